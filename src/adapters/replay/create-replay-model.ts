import type { JournalEntry } from "../../domain/journal-entry.ts";
import type { ContentBlock, ModelFailure, ModelMessage, ModelReply, ModelRequest, ReplyStop } from "../../domain/model-message.ts";
import { NO_USAGE } from "../../domain/usage.ts";
import type { ModelClient } from "../../seams.ts";
import type { RunJournals } from "./read-run-journals.ts";

/** The recorded replies of one session, played from the front. */
interface Tape {
	readonly session: string;
	/** First user message, by which a request finds its tape. */
	readonly opening: string;
	readonly replies: readonly ModelReply[];
	/** Texts and calls of the replies so far, to tell tapes with one opening apart. */
	next: number;
}

const STOPS: ReadonlySet<string> = new Set<ReplyStop>([
	"end-turn",
	"tool-use",
	"max-tokens",
	"refusal",
	"pause-turn",
	"context-window",
	"error",
	"aborted",
	"unknown",
]);
const FAILURES: ReadonlySet<string> = new Set<ModelFailure["kind"]>([
	"rate-limited",
	"overloaded",
	"server",
	"connection",
	"stalled",
	"too-long",
	"credit",
	"authentication",
	"permission",
	"not-found",
	"invalid-request",
	"deadline",
]);

/**
 * A model that says again what was said in an earlier run, with the usage of then (provider `replay`): for debugging a
 * run's loop, tools and publishing without a key. A request finds its session by its first message, so the commits
 * and the agents must be those of the recorded run; one that fits nothing gets a failed reply that says so.
 */
export function createReplayModel(journals: RunJournals): ModelClient {
	const tapes = [...journals.sessions.values()].flatMap((journal) => readTape(journal.entries));
	const warmUp = journals.run.entries.flatMap((entry) => (entry.type === "model.call" ? [toReply(entry, [])] : []));
	return {
		provider: "replay",
		async complete(request) {
			if (request.maxTokens === 0) return warmUp[0] ?? { ...failed(request, "no warm-up was recorded"), stop: "max-tokens" };
			const tape = findTape(tapes, request);
			const reply = tape?.replies[tape.next];
			if (tape === undefined || reply === undefined) return failed(request, explainMiss(tape));
			tape.next += 1;
			return reply;
		},
	};
}

function explainMiss(tape: Tape | undefined): string {
	if (tape === undefined) return "no recorded session begins like this request: other commits, other agents or another task";
	return `the record of ${tape.session} has only ${tape.replies.length} replies`;
}

function failed(request: ModelRequest, message: string): ModelReply {
	const failure: ModelFailure = { kind: "invalid-request", message: `replay: ${message}`, fatal: false };
	return { stop: "error", content: [], usage: NO_USAGE, model: request.model, attempts: 0, durationMs: 0, failure };
}

/**
 * The tape with this opening whose played replies are the ones that stand in the request; a fresh one comes last. Where
 * two children began with one task, each gets the tape of its own session, whoever asks first.
 */
function findTape(tapes: readonly Tape[], request: ModelRequest): Tape | undefined {
	const opening = openingOf(request.messages);
	const candidates = tapes.filter((tape) => tape.opening === opening);
	const said = saidIn(request.messages);
	const fits = candidates.filter((tape) => said.startsWith(saidBy(tape)) && tape.next < tape.replies.length);
	const own = (tape: Tape): number => Number(tape.session === request.session);
	return fits.sort((a, b) => own(b) - own(a) || b.next - a.next)[0] ?? candidates[0];
}

/** Marks are set anew in each request, so they do not count. */
function openingOf(messages: readonly ModelMessage[]): string {
	return JSON.stringify((messages[0]?.content ?? []).map((block) => (block.type === "text" ? block.text : block.type)));
}

/** Tools gave their calls' ids; they tell two children with one task apart as soon as they have made a step. */
function saidIn(messages: readonly ModelMessage[]): string {
	return messages
		.filter((message) => message.role === "assistant")
		.map((message) => spell(message.content))
		.join("");
}

function saidBy(tape: Tape): string {
	return tape.replies
		.slice(0, tape.next)
		.map((reply) => spell(reply.content))
		.join("");
}

function spell(content: readonly ContentBlock[]): string {
	return content
		.map((block) =>
			block.type === "tool-use" ? `[${block.id}]` : block.type === "text" && block.text.trim() !== "" ? `(${block.text})` : "",
		)
		.join("");
}

function readTape(entries: readonly JournalEntry[]): readonly Tape[] {
	const started = entries.find((entry) => entry.type === "session.started");
	const first = entries.find((entry) => entry.type === "message");
	if (started?.type !== "session.started" || first?.type !== "message") return [];
	const replies = entries.flatMap((entry, index) => (entry.type === "model.call" ? [toReply(entry, contentAfter(entries, index))] : []));
	return [{ session: started.session, opening: openingOf([first.message]), replies, next: 0 }];
}

/** What a call brought stands behind it: as a message, as a closing answer, or as the summary of a compaction. */
function contentAfter(entries: readonly JournalEntry[], call: number): readonly ContentBlock[] {
	for (const entry of entries.slice(call + 1)) {
		if (entry.type === "model.call") return [];
		if (entry.type === "message") return entry.role === "assistant" ? entry.message.content : [];
		if (entry.type === "run.data" && entry.name === "wrap-up") return readBlocks(entry.data, "answer");
		if (entry.type === "run.data" && entry.name === "compaction") return readBlocks(entry.data, "reply");
	}
	return [];
}

function readBlocks(data: unknown, key: string): readonly ContentBlock[] {
	if (typeof data !== "object" || data === null) return [];
	const value: unknown = (data as Readonly<Record<string, unknown>>)[key];
	return Array.isArray(value) ? (value as ContentBlock[]) : [];
}

function toReply(call: Extract<JournalEntry, { type: "model.call" }>, content: readonly ContentBlock[]): ModelReply {
	const failure = readFailure(call.failure);
	return {
		stop: STOPS.has(call.stop) ? (call.stop as ReplyStop) : "unknown",
		content,
		usage: call.usage,
		model: call.model,
		attempts: call.attempts,
		durationMs: call.durationMs,
		...(failure === undefined ? {} : { failure }),
	};
}

/** `kind: message`, as the engine writes it. */
function readFailure(text: string | undefined): ModelFailure | undefined {
	if (text === undefined) return undefined;
	const [kind = "", ...rest] = text.split(": ");
	const known = FAILURES.has(kind) ? (kind as ModelFailure["kind"]) : "server";
	return { kind: known, message: rest.join(": "), fatal: known === "credit" || known === "authentication" || known === "permission" };
}
