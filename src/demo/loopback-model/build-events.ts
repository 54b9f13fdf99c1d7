import { createHash } from "node:crypto";
import type Anthropic from "@anthropic-ai/sdk";
import type { Fault } from "./fault.ts";
import { countTokens } from "./prompt-cache.ts";
import type { PromptUsage } from "./prompt-cache.ts";
import type { ScriptedBlock, ScriptedReply } from "./scripted-reply.ts";
import { redactThinking, signThinking } from "./sign-thinking.ts";
import type { WireBlock } from "./wire-request.ts";

/** A finished block with the text in which its deltas carry it. */
interface BuiltBlock {
	readonly block: WireBlock;
	readonly text: string;
}

/** How a stream ends after its events. */
export type StreamEnd = "end" | "destroy" | "hang";

export interface StreamPlan {
	readonly events: readonly StreamEvent[];
	readonly end: StreamEnd;
}

export type StreamEvent = Anthropic.RawMessageStreamEvent | { readonly type: "ping" } | ErrorEvent;

interface ErrorEvent {
	readonly type: "error";
	readonly error: { readonly type: string; readonly message: string };
}

const PIECE = 200;

/** The message that a scripted reply stands for; ids are made from `seed`, so that equal requests get equal answers. */
export function buildMessage(
	reply: ScriptedReply,
	model: string,
	usage: PromptUsage,
	seed: string,
	fault: Fault | undefined,
): Anthropic.Message {
	const blocks = reply.blocks.map((block, index) => buildBlock(block, `${seed}${index}`));
	const outputTokens =
		reply.outputTokens ??
		Math.max(
			1,
			blocks.reduce((sum, { text }) => sum + countTokens(text), 0),
		);
	const stop = reply.stop ?? (reply.blocks.some((block) => block.type === "tool") ? "tool_use" : "end_turn");
	return {
		id: `msg_${seed}`,
		type: "message",
		role: "assistant",
		model: reply.model ?? model,
		content: blocks.map(({ block, text }) => finishBlock(block, text, fault)),
		stop_reason: stop as Anthropic.StopReason,
		stop_sequence: null,
		stop_details: null,
		container: null,
		diagnostics: null,
		usage: buildUsage(reply, usage, outputTokens),
	} as unknown as Anthropic.Message;
}

/** A short name that is the same for equal bodies. */
export function seedOf(bytes: Uint8Array): string {
	return createHash("sha256").update(bytes).digest("hex").slice(0, 16);
}

/** The events of a message, with a fault of the stream worked in. */
export function planStream(message: Anthropic.Message, reply: ScriptedReply, seed: string, fault: Fault | undefined): StreamPlan {
	const start: StreamEvent = {
		type: "message_start",
		message: { ...message, content: [], stop_reason: null, usage: { ...message.usage, output_tokens: 1 } },
	};
	const middle = reply.blocks.flatMap((block, index) => blockEvents(buildBlock(block, `${seed}${index}`), index, fault));
	const end: readonly StreamEvent[] = [
		{
			type: "message_delta",
			delta: { stop_reason: message.stop_reason, stop_sequence: null, stop_details: null, container: null },
			usage: message.usage,
		} as unknown as StreamEvent,
		{ type: "message_stop" },
	];
	switch (fault?.kind) {
		case "error-event":
			return {
				events: [start, ...firstHalf(middle), { type: "error", error: { type: fault.type, message: fault.message } }],
				end: "end",
			};
		case "cut":
			return { events: [start, ...upToToolInput(middle)], end: "destroy" };
		case "no-message-stop":
			return { events: [start, ...middle], end: "end" };
		case "silence":
			return { events: fault.after === "headers" ? [] : [start], end: "hang" };
		default:
			return { events: [start, { type: "ping" }, ...middle, ...end], end: "end" };
	}
}

function buildBlock(block: ScriptedBlock, seed: string): BuiltBlock {
	switch (block.type) {
		case "text":
			return { block: { type: "text", text: "", citations: null }, text: block.text };
		case "thinking":
			return { block: { type: "thinking", thinking: "", signature: "" }, text: block.text };
		case "redacted":
			return { block: { type: "redacted_thinking", data: redactThinking(block.text) }, text: block.text };
		case "tool":
			return {
				block: { type: "tool_use", id: block.id ?? `toolu_${seed}`, name: block.name, input: {}, caller: { type: "direct" } },
				text: block.rawInput ?? JSON.stringify(block.input),
			};
		case "raw":
			return { block: { type: "unknown", ...block.block }, text: "" };
	}
}

/** The block as it stands in an answer that is not streamed. Input that does not parse cannot be shown there. */
function finishBlock(block: WireBlock, text: string, fault: Fault | undefined): WireBlock {
	if (block.type === "text") return { ...block, text };
	if (block.type === "thinking") return { ...block, thinking: text, signature: signThinking(text) };
	if (block.type !== "tool_use") return block;
	try {
		return { ...block, input: fault?.kind === "truncated-input" ? {} : JSON.parse(text) };
	} catch {
		return block;
	}
}

function blockEvents({ block, text }: BuiltBlock, index: number, fault: Fault | undefined): StreamEvent[] {
	const delta = (value: Readonly<Record<string, unknown>>) =>
		({ type: "content_block_delta", index, delta: value }) as unknown as StreamEvent;
	const deltas: StreamEvent[] = [];
	if (block.type === "text") deltas.push(...pieces(text).map((piece) => delta({ type: "text_delta", text: piece })));
	if (block.type === "thinking") {
		deltas.push(...pieces(text).map((piece) => delta({ type: "thinking_delta", thinking: piece })));
		deltas.push(delta({ type: "signature_delta", signature: signThinking(text) }));
	}
	if (block.type === "tool_use") {
		const json = fault?.kind === "truncated-input" ? text.slice(0, Math.ceil(text.length / 2)) : text;
		const middle = Math.ceil(json.length / 2);
		deltas.push(
			...["", json.slice(0, middle), json.slice(middle)].map((piece) => delta({ type: "input_json_delta", partial_json: piece })),
		);
	}
	return [
		{ type: "content_block_start", index, content_block: block } as unknown as StreamEvent,
		...deltas,
		{ type: "content_block_stop", index },
	];
}

function pieces(text: string): string[] {
	const points = [...text];
	return Array.from({ length: Math.ceil(points.length / PIECE) }, (_, index) => points.slice(index * PIECE, (index + 1) * PIECE).join(""));
}

function firstHalf(events: readonly StreamEvent[]): readonly StreamEvent[] {
	return events.slice(0, Math.ceil(events.length / 2));
}

function upToToolInput(events: readonly StreamEvent[]): readonly StreamEvent[] {
	const at = events.findIndex(
		(event) => event.type === "content_block_delta" && "partial_json" in event.delta && event.delta.partial_json !== "",
	);
	return at === -1 ? firstHalf(events) : events.slice(0, at + 1);
}

function buildUsage(reply: ScriptedReply, usage: PromptUsage, outputTokens: number): Anthropic.Usage {
	const write5m = reply.usage === undefined ? usage.write5m : (reply.usage.cacheWrite ?? 0);
	const write1h = reply.usage === undefined ? usage.write1h : 0;
	return {
		input_tokens: reply.usage === undefined ? usage.fresh : (reply.usage.input ?? 0),
		cache_read_input_tokens: reply.usage === undefined ? usage.read : (reply.usage.cacheRead ?? 0),
		cache_creation_input_tokens: write5m + write1h,
		cache_creation: { ephemeral_5m_input_tokens: write5m, ephemeral_1h_input_tokens: write1h },
		output_tokens: outputTokens,
		output_tokens_details: { thinking_tokens: thinkingTokens(reply) },
		server_tool_use: null,
		service_tier: "standard",
		inference_geo: null,
	} as unknown as Anthropic.Usage;
}

function thinkingTokens(reply: ScriptedReply): number {
	return reply.blocks.reduce((sum, block) => (block.type === "thinking" ? sum + countTokens(block.text) : sum), 0);
}
