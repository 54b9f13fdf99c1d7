import type Anthropic from "@anthropic-ai/sdk";
import type { ContentBlock, ReplyStop } from "../../domain/model-message.ts";
import { NO_USAGE } from "../../domain/usage.ts";
import type { Usage } from "../../domain/usage.ts";
import { isRecord } from "./well-formed.ts";

/** What has come of a reply so far. Only a complete one may be used; of the others, only the usage. */
export interface ReadReply {
	readonly complete: boolean;
	readonly stop: ReplyStop;
	/** The provider's own word, for messages. */
	readonly stopReason: string;
	readonly content: readonly ContentBlock[];
	/** Undefined as long as nothing was billed as far as we know. */
	readonly usage: Usage | undefined;
	readonly model: string | undefined;
}

interface OpenBlock {
	readonly block: Record<string, unknown>;
	/** Tool input exactly as it came. */
	json: string;
	closed: boolean;
}

/** Collects the events of one stream. */
export interface ReplyReader {
	add(event: Anthropic.RawMessageStreamEvent): void;
	read(): ReadReply;
}

/**
 * A reader of raw events. The SDK's own accumulator is not used because it repairs cut tool input without a word
 * (SECURITY.md 5.1); here the raw JSON is kept and parsed strictly.
 */
export function createReplyReader(): ReplyReader {
	const blocks = new Map<number, OpenBlock>();
	let usage: Usage | undefined;
	let model: string | undefined;
	let stopReason = "";
	let complete = false;
	return {
		add: (event) => {
			switch (event.type) {
				case "message_start":
					model = event.message.model;
					usage = mergeUsage(NO_USAGE, event.message.usage);
					break;
				case "content_block_start":
					blocks.set(event.index, { block: { ...event.content_block }, json: "", closed: false });
					break;
				case "content_block_delta":
					addDelta(blocks.get(event.index), event.delta);
					break;
				case "content_block_stop": {
					const open = blocks.get(event.index);
					if (open !== undefined) open.closed = true;
					break;
				}
				case "message_delta":
					stopReason = event.delta.stop_reason ?? stopReason;
					usage = mergeUsage(usage ?? NO_USAGE, event.usage);
					break;
				case "message_stop":
					complete = true;
					break;
				default:
				// Events we do not know carry nothing we need.
			}
		},
		read: () => {
			const ordered = [...blocks.entries()].sort(([a], [b]) => a - b).map(([, open]) => open);
			return finish(ordered, stopReason, { complete, usage, model });
		},
	};
}

/** A reply that came in one piece (the warm-up). */
export function readWholeMessage(message: Anthropic.Message): ReadReply {
	const blocks = (message.content ?? []).map((block) => ({ block: { ...block }, json: "", closed: true }));
	return finish(blocks, message.stop_reason ?? "", { complete: true, usage: mergeUsage(NO_USAGE, message.usage), model: message.model });
}

function addDelta(open: OpenBlock | undefined, delta: Anthropic.RawContentBlockDelta): void {
	if (open === undefined) return;
	const { block } = open;
	if (delta.type === "text_delta") block["text"] = textOf(block["text"]) + delta.text;
	else if (delta.type === "thinking_delta") block["thinking"] = textOf(block["thinking"]) + delta.thinking;
	else if (delta.type === "signature_delta") block["signature"] = delta.signature;
	else if (delta.type === "input_json_delta") open.json += delta.partial_json;
}

function finish(blocks: readonly OpenBlock[], stopReason: string, rest: Pick<ReadReply, "complete" | "usage" | "model">): ReadReply {
	const hasCalls = blocks.some(({ block }) => block["type"] === "tool_use");
	const stop = toReplyStop(stopReason, hasCalls);
	return { ...rest, stop, stopReason, content: blocks.map((open) => toContentBlock(open, stop, stopReason)) };
}

/** What we do not know is never success (R14); a stop for tools without a call is not one either. */
function toReplyStop(stopReason: string, hasCalls: boolean): ReplyStop {
	switch (stopReason) {
		case "end_turn":
			return "end-turn";
		case "tool_use":
			return hasCalls ? "tool-use" : "unknown";
		case "max_tokens":
			return "max-tokens";
		case "refusal":
			return "refusal";
		case "pause_turn":
			return "pause-turn";
		case "model_context_window_exceeded":
			return "context-window";
		default:
			return "unknown";
	}
}

function toContentBlock(open: OpenBlock, stop: ReplyStop, stopReason: string): ContentBlock {
	const { block } = open;
	if (block["type"] === "text") return { type: "text", text: textOf(block["text"]) };
	if (block["type"] !== "tool_use") return { type: "opaque", raw: toOpaque(open) };
	const parsed = parseToolInput(open);
	const invalidInput = parsed.error ?? (stop === "tool-use" ? undefined : `the reply ended with "${stopReason}", so no call of it is run`);
	return {
		type: "tool-use",
		id: textOf(block["id"]),
		name: textOf(block["name"]),
		input: parsed.input,
		...(invalidInput === undefined ? {} : { invalidInput }),
	};
}

/** The input of a call, taken only when all of it is there and is one JSON object (R09, R10). */
function parseToolInput({ block, json, closed }: OpenBlock): { readonly input: Record<string, unknown>; readonly error?: string } {
	if (!closed) return { input: {}, error: "the input is not complete" };
	if (json === "") return { input: isRecord(block["input"]) ? block["input"] : {} };
	let input: unknown;
	try {
		input = JSON.parse(json);
	} catch {
		return { input: {}, error: "the input is not valid JSON" };
	}
	return isRecord(input) ? { input } : { input: {}, error: "the input is not a JSON object" };
}

/** Calls of the provider's own tools get their input in deltas, too; all else is as it came. */
function toOpaque(open: OpenBlock): Record<string, unknown> {
	return open.json === "" ? open.block : { ...open.block, input: parseToolInput(open).input };
}

/** Counts are cumulative, so a later one replaces an earlier one; what is absent or null leaves it as it was. */
function mergeUsage(before: Usage, wire: Anthropic.Usage | Anthropic.MessageDeltaUsage | undefined): Usage {
	return {
		input: wire?.input_tokens ?? before.input,
		cacheWrite: wire?.cache_creation_input_tokens ?? before.cacheWrite,
		cacheRead: wire?.cache_read_input_tokens ?? before.cacheRead,
		output: wire?.output_tokens ?? before.output,
	};
}

function textOf(value: unknown): string {
	return typeof value === "string" ? value : "";
}
