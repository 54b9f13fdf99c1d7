import type { ReasonCode } from "../domain/errors.ts";
import type { Actor, Sha } from "../domain/ids.ts";
import type { CommandReply } from "../publish/read-replies.ts";

/** Bounds that hold whoever asks. A person does not reach them; a loop does at once. */
export const LOOP_LIMITS = {
	/** Commands on one issue or pull request in 24 hours that may call a model. */
	spendingADay: 30,
	/** All commands in 24 hours. */
	commandsADay: 100,
	/** The same command with the same text on the same head, by anybody. */
	sameOnHead: 3,
	/** Answers in a row to a bot that the workflow allows. */
	botRounds: 2,
	/** Commands in a row that came within `quickSeconds` of our last answer: nobody reads that fast. */
	sameQuickRounds: 2,
	quickRounds: 5,
	quickSeconds: 20,
} as const;

const DAY_MS = 86_400_000;

export interface AskedCommand {
	readonly name: string;
	/** 16 hex digits of its text. */
	readonly digest: string;
	readonly spends: boolean;
}

export interface LoopFacts {
	readonly asked: readonly AskedCommand[];
	readonly author: Actor;
	readonly head: Sha;
	/** ISO 8601 of the comment. */
	readonly commentedAt: string;
	/** Ours so far, oldest first. */
	readonly replies: readonly CommandReply[];
	/** Times of earlier comments by id, ISO 8601. */
	readonly commentTimes: ReadonlyMap<number, string>;
	/** Milliseconds since the epoch. */
	readonly now: number;
	readonly isSpending: (name: string) => boolean;
}

export type LoopVerdict =
	| { readonly stop: false }
	/** `told`: it was said before, so that saying it again would only feed the loop. */
	| { readonly stop: true; readonly code: ReasonCode; readonly reason: string; readonly told: boolean };

/** Whether one more answer is sound. Pure: decided from what our own replies say. */
export function checkLoops(facts: LoopFacts): LoopVerdict {
	const loop = findLoop(facts);
	if (loop !== undefined) return { stop: true, code: "E_LOOP", reason: loop, told: wasTold(facts, "E_LOOP") };
	const limit = findLimit(facts);
	if (limit !== undefined) return { stop: true, code: "E_LIMIT", reason: limit, told: wasTold(facts, "E_LIMIT") };
	return { stop: false };
}

function findLoop(facts: LoopFacts): string | undefined {
	const { author, replies } = facts;
	const own = trailing(replies, (reply) => reply.command.by === author.login);
	if (author.type === "Bot" && own.length >= LOOP_LIMITS.botRounds) {
		return `${LOOP_LIMITS.botRounds} answers in a row to the bot ${author.login} are enough; a person can go on`;
	}
	const quick = countQuick(facts, own);
	const same = quick.filter((reply) => reply.command.asked.some((each) => facts.asked.some((now) => isSame(each, now))));
	if (same.length > LOOP_LIMITS.sameQuickRounds || quick.filter((reply) => spends(reply, facts)).length > LOOP_LIMITS.quickRounds) {
		return `each of ${author.login}'s last ${quick.length + 1} commands came within ${LOOP_LIMITS.quickSeconds} seconds of an answer, which looks like a program`;
	}
	const again = replies.filter(
		(reply) =>
			reply.command.head === facts.head && reply.command.asked.some((each) => facts.asked.some((now) => now.spends && isSame(each, now))),
	);
	if (again.length < LOOP_LIMITS.sameOnHead) return undefined;
	return `the same was asked ${LOOP_LIMITS.sameOnHead} times on this commit; it can be asked again when there is a new one`;
}

/** The newest replies as long as each fits. */
function trailing(replies: readonly CommandReply[], fits: (reply: CommandReply) => boolean): readonly CommandReply[] {
	const stop = replies.findLastIndex((reply) => !fits(reply));
	return replies.slice(stop + 1);
}

/** Earlier rounds with this author, newest first in a row, of which each and the present one followed an answer at once. */
function countQuick(facts: LoopFacts, own: readonly CommandReply[]): readonly CommandReply[] {
	let next: string | undefined = facts.commentedAt;
	const quick: CommandReply[] = [];
	for (const reply of [...own].reverse()) {
		const waited = Date.parse(next ?? "") - Date.parse(reply.createdAt);
		if (!(waited >= -1_000 && waited < LOOP_LIMITS.quickSeconds * 1_000)) break;
		quick.push(reply);
		next = facts.commentTimes.get(reply.to);
	}
	return quick;
}

function isSame(a: { readonly name: string; readonly digest: string }, b: AskedCommand): boolean {
	return a.name === b.name && a.digest === b.digest;
}

function spends(reply: CommandReply, facts: LoopFacts): boolean {
	return reply.command.asked.some((each) => facts.isSpending(each.name));
}

function findLimit(facts: LoopFacts): string | undefined {
	const today = facts.replies.filter((reply) => facts.now - Date.parse(reply.createdAt) < DAY_MS);
	if (today.length >= LOOP_LIMITS.commandsADay) return `${LOOP_LIMITS.commandsADay} commands in 24 hours are the limit here`;
	if (!facts.asked.some((each) => each.spends)) return undefined;
	if (today.filter((reply) => reply.command.outcome !== "refused" && spends(reply, facts)).length >= LOOP_LIMITS.spendingADay) {
		return `${LOOP_LIMITS.spendingADay} commands in 24 hours that may cost something are the limit here`;
	}
	return undefined;
}

function wasTold(facts: LoopFacts, code: ReasonCode): boolean {
	return facts.replies.some(
		(reply) =>
			reply.command.code === code &&
			(code !== "E_LOOP" || reply.command.by === facts.author.login) &&
			facts.now - Date.parse(reply.createdAt) < DAY_MS,
	);
}
