import { UserError } from "../../domain/errors.ts";
import type { Sha } from "../../domain/ids.ts";
import type { Outbox, OutboxHead } from "../../domain/outbox.ts";
import type { PullRequestFacts } from "../../domain/trigger.ts";
import type { GitHistory } from "../../seams.ts";
import { refuse } from "./parse-outbox.ts";

/** The run that left the outboxes, as GitHub tells of it. */
export interface ExpectedRun {
	readonly run: string;
	readonly attempt: number;
	/** `owner/name` that this job works for. */
	readonly repository: string;
	/** Where GitHub names them. */
	readonly head?: Sha;
	readonly headRepository?: string | null;
}

/**
 * The outboxes that belong to a run and to each other, the newest of each shard, in their order. Throws a UserError with `E_OUTBOX` and the reason when one is
 * another run's or repository's (a replay, a mix-up), when GitHub names another head, when they disagree, and when one
 * shard has two.
 */
export function selectOutboxes(found: readonly Outbox[], expected: ExpectedRun): readonly Outbox[] {
	for (const { source, head } of found) {
		if (!isSame(head.repository, expected.repository))
			throw refuse(`${source}: repository: found ${head.repository}, wanted ${expected.repository}`);
		if (head.run !== expected.run) throw refuse(`${source}: run: found ${head.run}, wanted ${expected.run}; it was left by another run`);
		if (head.attempt > expected.attempt) throw refuse(`${source}: attempt: found ${head.attempt}, wanted at most ${expected.attempt}`);
		if (expected.head !== undefined && head.head !== expected.head) {
			throw refuse(`${source}: head: found ${head.head}, wanted ${expected.head}, the head of run ${expected.run}`);
		}
		if (expected.headRepository !== undefined && !isSame(head.headRepository, expected.headRepository)) {
			throw refuse(`${source}: headRepository: found ${String(head.headRepository)}, wanted ${String(expected.headRepository)}`);
		}
		if (head.shard.number > head.shard.of) throw refuse(`${source}: shard: found ${head.shard.number} of ${head.shard.of}`);
	}
	const newest = new Map<number, Outbox>();
	for (const outbox of found) {
		const { number } = outbox.head.shard;
		const other = newest.get(number);
		if (other?.head.attempt === outbox.head.attempt)
			throw refuse(`shard ${number} of attempt ${outbox.head.attempt} has two outboxes: ${other.source} and ${outbox.source}`);
		if (other === undefined || other.head.attempt < outbox.head.attempt) newest.set(number, outbox);
	}
	const outboxes = [...newest.values()].sort((a, b) => a.head.shard.number - b.head.shard.number);
	const [first, ...others] = outboxes;
	if (first !== undefined) for (const other of others) checkAgreement(first, other);
	return outboxes;
}

const SHARED = ["pullRequest", "headRepository", "base", "head", "mergeBase", "plan", "hooks", "provider"] as const;

function checkAgreement(first: Outbox, other: Outbox): void {
	for (const key of SHARED) {
		if (first.head[key] !== other.head[key]) {
			throw refuse(`${other.source}: ${key}: found ${String(other.head[key])}, wanted ${String(first.head[key])} as in ${first.source}`);
		}
	}
	if (first.head.shard.of !== other.head.shard.of) {
		throw refuse(`${other.source}: shard: found one of ${other.head.shard.of}, wanted one of ${first.head.shard.of} as in ${first.source}`);
	}
}

/**
 * Compares with the pull request as the API shows it now. A head that has moved on is no fault of anybody: the newer run
 * will speak, and the reason is given. Throws `E_OUTBOX` when the pull request is another one.
 */
export function compareWithPullRequest(
	common: Pick<OutboxHead, "head"> & { readonly headRepository?: string | null },
	now: PullRequestFacts,
): { readonly stale?: string } {
	if (common.headRepository !== undefined && !isSame(common.headRepository, now.head.repository)) {
		throw refuse(
			`pull request #${now.number} has its head in ${now.head.repository ?? "a repository that is gone"}, found ${common.headRepository ?? "none"}`,
		);
	}
	if (common.head === now.head.sha) return {};
	return {
		stale: `the head of #${now.number} is ${now.head.sha} now and was ${common.head} when it was read; the newer commit has a review of its own`,
	};
}

/**
 * The pull request with the base that was worked on, if that is a commit which the base branch has, or has had: what
 * steers the run is read there. Throws `E_OUTBOX` for any other commit.
 */
export async function pinBase(
	pinned: Sha,
	now: PullRequestFacts,
	history: Pick<GitHistory, "commitExists" | "fetchCommit" | "mergeBase">,
): Promise<PullRequestFacts> {
	if (pinned === now.base.sha) return now;
	for (const commit of [now.base.sha, pinned]) {
		if (await history.commitExists(commit)) continue;
		const fetched = await history.fetchCommit(commit);
		if (!fetched.ok) throw refuse(`base: commit ${commit} could not be fetched (${fetched.reason})`);
	}
	if ((await history.mergeBase(pinned, now.base.sha)) !== pinned) {
		throw refuse(`base: found ${pinned}, wanted a commit of ${now.base.ref}, which stands at ${now.base.sha}`);
	}
	return { ...now, base: { ...now.base, sha: pinned } };
}

/** Throws `E_STALE` when what was read of the commits is not what stands there now. */
export function checkPlan(pinned: Pick<OutboxHead, "mergeBase" | "plan">, found: { readonly mergeBase: Sha; readonly plan: string }): void {
	if (pinned.mergeBase !== found.mergeBase) throw refuse(`mergeBase: found ${pinned.mergeBase}, wanted ${found.mergeBase}`);
	if (pinned.plan === found.plan) return;
	throw new UserError(
		`plan: found ${pinned.plan.slice(0, 12)}, wanted ${found.plan.slice(0, 12)}: who reads what differs from when the jobs were planned (another review was published meanwhile, or the jobs have other inputs); start the workflow again`,
		{ code: "E_STALE" },
	);
}

function isSame(a: string | null, b: string | null): boolean {
	return a === null || b === null ? a === b : a.toLowerCase() === b.toLowerCase();
}
