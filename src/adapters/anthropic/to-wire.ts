import type Anthropic from "@anthropic-ai/sdk";
import type {
	ContentBlock,
	ModelMessage,
	ModelRequest,
	TextBlock,
	ToolResultBlock,
	ToolSpec,
	ToolUseBlock,
} from "../../domain/model-message.ts";
import { findModel, resolveModelAlias } from "../../domain/model-table.ts";
import { isRecord, toWellFormed } from "./well-formed.ts";

/** What stands in a user turn that has nothing to say, for the API takes neither an empty turn nor one of the assistant at the end. */
export const CONTINUE_TEXT = "Continue.";
/** Result of a tool that printed nothing (BR-69). */
export const NO_OUTPUT_TEXT = "(no output)";
/** Result of a call that never ran, for example because the run was stopped (BR-70, R18). */
export const CANCELLED_TEXT = "cancelled";

/** At most this many cache marks a request (COST.md 4.2). */
const MOST_MARKS = 4;

type WireBlock = Anthropic.ContentBlockParam;

interface WireTurn {
	readonly role: "user" | "assistant";
	readonly content: WireBlock[];
}

interface OpenCall {
	readonly id: string;
	readonly wireId: string;
}

/** The request body without `stream`. Pure: equal requests give equal bytes, and a longer history keeps its prefix. */
export function toWireRequest(request: ModelRequest): Omit<Anthropic.MessageCreateParamsNonStreaming, "stream"> {
	const model = resolveModelAlias(request.model);
	const entry = findModel(model);
	const system = request.system.flatMap(toTextBlock);
	const messages = toWireMessages(request.messages);
	limitMarks([...system, ...messages.flatMap((message) => message.content)]);
	return {
		model,
		max_tokens: Math.min(request.maxTokens, entry?.maxOutput ?? request.maxTokens),
		// The default differs by model, so it is always sent, but to the models that know no effort (COST.md 4.3).
		...(entry?.defaultEffort === null ? {} : { output_config: { effort: request.effort } }),
		...(request.tools.length === 0 ? {} : { tools: request.tools.map(toWireTool) }),
		...(system.length === 0 ? {} : { system }),
		messages: messages as Anthropic.MessageParam[],
	};
}

/**
 * Our history as the API takes it (BR-69 to BR-72): roles alternate and a user turn ends it; no blank text; each call has
 * exactly one result, results first; thinking and unknown blocks go back untouched. A turn that is left empty goes away
 * and its neighbours join.
 */
export function toWireMessages(history: readonly ModelMessage[]): readonly WireTurn[] {
	const turns: WireTurn[] = [];
	const usedIds = new Set<string>();
	let open: OpenCall[] = [];
	for (const message of history) {
		if (message.role === "assistant") {
			const { content, calls } = toAssistantContent(message.content, usedIds);
			if (content.length === 0) continue;
			if (open.length > 0) turns.push({ role: "user", content: answerCalls(open, []) });
			if (turns.length === 0) turns.push({ role: "user", content: [{ type: "text", text: CONTINUE_TEXT }] });
			append(turns, "assistant", content);
			open = calls;
		} else {
			const content = [...answerCalls(open, message.content), ...toUserContent(message.content)];
			open = [];
			if (content.length === 0 && turns.at(-1)?.role === "assistant") content.push({ type: "text", text: CONTINUE_TEXT });
			if (content.length > 0) append(turns, "user", content);
		}
	}
	if (open.length > 0) turns.push({ role: "user", content: answerCalls(open, []) });
	if (!endsWell(turns)) turns.push({ role: "user", content: [{ type: "text", text: CONTINUE_TEXT }] });
	return turns;
}

/** True for a user turn, and for a paused turn of the provider's own tools, which goes back as it is (BR-71). */
function endsWell(turns: readonly WireTurn[]): boolean {
	const last = turns.at(-1);
	return last?.role === "user" || last?.content.at(-1)?.type === "server_tool_use";
}

function append(turns: WireTurn[], role: WireTurn["role"], content: readonly WireBlock[]): void {
	const last = turns.at(-1);
	if (last?.role === role) last.content.push(...content);
	else turns.push({ role, content: [...content] });
}

function toAssistantContent(
	blocks: readonly ContentBlock[],
	usedIds: Set<string>,
): { readonly content: readonly WireBlock[]; readonly calls: OpenCall[] } {
	const content: WireBlock[] = [];
	const calls: OpenCall[] = [];
	for (const block of blocks) {
		if (block.type === "text") content.push(...toTextBlock(block));
		else if (block.type === "opaque") content.push(block.raw as WireBlock);
		else if (block.type === "tool-use") {
			const wireId = uniqueId(block.id, usedIds);
			calls.push({ id: block.id, wireId });
			content.push(toWireCall(block, wireId));
		}
	}
	// A turn that was cut while thinking, or whose text was blank: the API refuses thinking as the last block.
	while (isThinking(content.at(-1))) content.pop();
	return { content, calls };
}

/** One result a call, in the order of the calls; what is missing is made up as cancelled, strays are left out (BR-70). */
function answerCalls(open: readonly OpenCall[], blocks: readonly ContentBlock[]): WireBlock[] {
	const results = blocks.filter((block) => block.type === "tool-result");
	return open.map(({ id, wireId }) => {
		const at = results.findIndex((result) => result.toolUseId === id);
		return toWireResult(wireId, at === -1 ? undefined : results.splice(at, 1)[0]);
	});
}

function toWireResult(wireId: string, result: ToolResultBlock | undefined): Anthropic.ToolResultBlockParam {
	if (result === undefined) return { type: "tool_result", tool_use_id: wireId, content: CANCELLED_TEXT, is_error: true };
	return {
		type: "tool_result",
		tool_use_id: wireId,
		content: isBlank(result.content) ? NO_OUTPUT_TEXT : toWellFormed(result.content),
		...(result.isError === true ? { is_error: true } : {}),
		...(result.cache === true ? { cache_control: { type: "ephemeral" as const } } : {}),
	};
}

function toUserContent(blocks: readonly ContentBlock[]): readonly WireBlock[] {
	return blocks.flatMap((block): WireBlock[] => {
		if (block.type === "text") return toTextBlock(block);
		return block.type === "opaque" ? [block.raw as WireBlock] : [];
	});
}

function toTextBlock(block: TextBlock): Anthropic.TextBlockParam[] {
	if (isBlank(block.text)) return [];
	return [
		{
			type: "text",
			text: toWellFormed(block.text),
			...(block.cache === true ? { cache_control: { type: "ephemeral" as const } } : {}),
		},
	];
}

function toWireCall(block: ToolUseBlock, wireId: string): Anthropic.ToolUseBlockParam {
	return {
		type: "tool_use",
		id: wireId,
		name: toWellFormed(block.name),
		input: isRecord(block.input) ? toWellFormed(block.input) : {},
	};
}

function toWireTool(tool: ToolSpec): Anthropic.Tool {
	const schema = toWellFormed(tool.inputSchema);
	return {
		name: tool.name,
		...(isBlank(tool.description) ? {} : { description: toWellFormed(tool.description) }),
		input_schema: { ...schema, type: "object" },
	};
}

/** The id as the API takes it: its alphabet, and once in a conversation; providers behind a gateway may repeat theirs. */
function uniqueId(id: string, used: Set<string>): string {
	const base = id.replace(/[^a-zA-Z0-9_-]/g, "_") || "call";
	let wireId = base;
	for (let count = 2; used.has(wireId); count++) wireId = `${base}-${count}`;
	used.add(wireId);
	return wireId;
}

/** Keeps the first two marks (shared prefixes) and the last two (the end of the history). */
function limitMarks(blocks: readonly WireBlock[]): void {
	const marked = blocks.filter((block) => "cache_control" in block);
	for (const block of marked.slice(MOST_MARKS / 2, Math.max(MOST_MARKS / 2, marked.length - MOST_MARKS / 2))) {
		delete (block as { cache_control?: unknown }).cache_control;
	}
}

function isThinking(block: WireBlock | undefined): boolean {
	return block?.type === "thinking" || block?.type === "redacted_thinking";
}

function isBlank(text: string): boolean {
	return text.trim() === "";
}
