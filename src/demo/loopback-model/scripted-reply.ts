import type { Fault } from "./fault.ts";
import { openingText, turnOf } from "./wire-request.ts";
import type { WireRequest } from "./wire-request.ts";

/** One block of a scripted reply. */
export type ScriptedBlock =
	| { readonly type: "text"; readonly text: string }
	| { readonly type: "thinking"; readonly text: string }
	| { readonly type: "redacted"; readonly text: string }
	| {
			readonly type: "tool";
			readonly name: string;
			readonly input: unknown;
			/** Made from the request when absent, so that equal requests get equal ids. */
			readonly id?: string;
			/** Sent instead of the input's JSON, for input that does not parse. */
			readonly rawInput?: string;
	  }
	/** Any other block, sent as it is. */
	| { readonly type: "raw"; readonly block: Readonly<Record<string, unknown>> };

/** What the model answers to one request. */
export interface ScriptedReply {
	readonly blocks: readonly ScriptedBlock[];
	/** `tool_use` when a tool block is there and `end_turn` otherwise, unless given; any text goes, known or not. */
	readonly stop?: string;
	/** Reported instead of characters / 4. */
	readonly outputTokens?: number;
	/** Reported instead of the simulated numbers, for checks of prices. */
	readonly usage?: { readonly input?: number; readonly cacheRead?: number; readonly cacheWrite?: number };
	/** The model that claims to have answered. */
	readonly model?: string;
	readonly latencyMs?: number;
	readonly fault?: Fault;
}

/** A request as scripts see it. */
export interface ModelCall {
	readonly request: WireRequest;
	/** Assistant messages so far, so 0 for the first call of a conversation. */
	readonly turn: number;
	/** System prompt and first user message, where a child can be told by its marker. */
	readonly opening: string;
	/** Results of the last user message, in order. */
	readonly results: readonly { readonly id: string; readonly content: string; readonly isError: boolean }[];
}

export type Decide = (call: ModelCall) => ScriptedReply;

/** The part of one child, told by a marker in its system prompt or first user message. */
export interface ChildScript {
	readonly marker: string;
	/** Shown in the records; the marker when absent. */
	readonly name?: string;
	/** One a turn; the last one answers all further turns. */
	readonly replies: readonly (ScriptedReply | Decide)[];
}

/** A final text. */
export function say(text: string, options: Omit<ScriptedReply, "blocks"> = {}): ScriptedReply {
	return { blocks: [{ type: "text", text }], ...options };
}

/** One or several calls in one reply, with a text before them when given. */
export function callTools(
	calls: readonly { readonly name: string; readonly input: unknown; readonly id?: string; readonly rawInput?: string }[],
	options: Omit<ScriptedReply, "blocks"> & { readonly text?: string; readonly thinking?: string } = {},
): ScriptedReply {
	const { text, thinking, ...rest } = options;
	return {
		blocks: [
			...(thinking === undefined ? [] : [{ type: "thinking" as const, text: thinking }]),
			...(text === undefined ? [] : [{ type: "text" as const, text }]),
			...calls.map((call) => ({ type: "tool" as const, ...call })),
		],
		...rest,
	};
}

/** One call. */
export function callTool(
	name: string,
	input: unknown,
	options: Omit<ScriptedReply, "blocks"> & { readonly text?: string } = {},
): ScriptedReply {
	return callTools([{ name, input }], options);
}

/** Plays one script a child; a request that no marker fits is answered with a short final text. */
export function decideByScript(scripts: readonly ChildScript[]): Decide {
	return (call) => {
		const script = findScript(scripts, call.opening);
		const reply = script?.replies[Math.min(call.turn, script.replies.length - 1)];
		if (reply === undefined) return say("Nothing to say.");
		return typeof reply === "function" ? reply(call) : reply;
	};
}

/** The script whose marker stands in the text; the longest marker wins, so that one may be the start of another. */
export function findScript(scripts: readonly ChildScript[], opening: string): ChildScript | undefined {
	return scripts.filter((script) => opening.includes(script.marker)).sort((a, b) => b.marker.length - a.marker.length)[0];
}

/** What a script is told about a request. */
export function describeCall(request: WireRequest): ModelCall {
	const last = request.messages.findLast((message) => message.role === "user");
	return {
		request,
		turn: turnOf(request),
		opening: openingText(request),
		results: (last?.content ?? [])
			.filter((block) => block.type === "tool_result")
			.map((block) => ({
				id: String(block["tool_use_id"]),
				content: typeof block["content"] === "string" ? block["content"] : JSON.stringify(block["content"] ?? ""),
				isError: block["is_error"] === true,
			})),
	};
}
