import type { Usage } from "./usage.ts";

/** One block of a message, in our own spelling; adapters translate to the provider's wire form. */
export type ContentBlock = TextBlock | ToolUseBlock | ToolResultBlock | OpaqueBlock;

export interface TextBlock {
	readonly type: "text";
	readonly text: string;
	/** A prompt cache mark stands on this block (at most four a request, COST.md 4.2). */
	readonly cache?: true;
}

export interface ToolUseBlock {
	readonly type: "tool-use";
	readonly id: string;
	readonly name: string;
	readonly input: unknown;
	/**
	 * Set when the raw input text did not parse strictly: the call must not be executed and
	 * gets an error result with this reason (SECURITY.md 5.1, R09).
	 */
	readonly invalidInput?: string;
}

export interface ToolResultBlock {
	readonly type: "tool-result";
	readonly toolUseId: string;
	/** Never empty: an empty output becomes "(no output)" (BR-69). */
	readonly content: string;
	readonly isError?: true;
	readonly cache?: true;
}

/** A block that must go back exactly as it came: thinking, redacted thinking and whatever is unknown to us (BR-72). */
export interface OpaqueBlock {
	readonly type: "opaque";
	readonly raw: unknown;
}

export interface ModelMessage {
	readonly role: "user" | "assistant";
	readonly content: readonly ContentBlock[];
}

/** What a model is told about a tool; schema is JSON Schema (object). */
export interface ToolSpec {
	readonly name: string;
	readonly description: string;
	readonly inputSchema: Readonly<Record<string, unknown>>;
}

export type Effort = "low" | "medium" | "high" | "xhigh" | "max";

export interface ModelRequest {
	readonly model: string;
	readonly effort: Effort;
	/** Output limit in tokens; 0 is a warm-up that only fills the cache. */
	readonly maxTokens: number;
	readonly system: readonly TextBlock[];
	readonly tools: readonly ToolSpec[];
	readonly messages: readonly ModelMessage[];
	/** Session that asks, for records and replays of them; a provider is never told. */
	readonly session?: string;
}

/** Why a reply ended. `error` and `aborted` carry a failure; everything unknown is `unknown`, never success (R14). */
export type ReplyStop =
	| "end-turn"
	| "tool-use"
	| "max-tokens"
	| "refusal"
	| "pause-turn"
	| "context-window"
	| "error"
	| "aborted"
	| "unknown";

/** Named provider failures (BR-74, BR-76). `fatal` ones stop all children of the run at once. */
export interface ModelFailure {
	readonly kind:
		| "rate-limited"
		| "overloaded"
		| "server"
		| "connection"
		| "stalled"
		| "too-long"
		| "credit"
		| "authentication"
		| "permission"
		| "not-found"
		| "invalid-request"
		| "deadline";
	/** One line, no HTML, no key. */
	readonly message: string;
	/** True for credit, authentication and permission: no other child can do better. */
	readonly fatal: boolean;
	readonly status?: number;
}

/** A finished call. A provider failure is a value here, never a rejection (principle 5). */
export interface ModelReply {
	readonly stop: ReplyStop;
	readonly content: readonly ContentBlock[];
	/** Everything billed for this call, failed attempts included as far as known. */
	readonly usage: Usage;
	/**
	 * `usage` by request when more than one was billed, in order, the answering one last. Prices with a step and the
	 * size of the last context need single requests (`costOfReply`, S-105).
	 */
	readonly billed?: readonly Usage[];
	/** The model that really answered (S-132). */
	readonly model: string;
	/** Requests really sent for this call, retries included. */
	readonly attempts: number;
	readonly durationMs: number;
	readonly failure?: ModelFailure;
	readonly requestId?: string;
}
