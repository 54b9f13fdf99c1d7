import { invalid, isRecord } from "./wire-request.ts";
import type { Refusal, WireBlock, WireRequest } from "./wire-request.ts";
import { isOwnRedacted, isOwnSignature } from "./sign-thinking.ts";

const TOOL_ID = /^[a-zA-Z0-9_-]+$/;

/** Models that take `system` messages inside the conversation (COST.md 4.2). */
const MID_SYSTEM = /^claude-(opus-4-8|opus-5|fable-5|mythos-5|sonnet-5-5|haiku-5-5)/;

const USER_BLOCKS: ReadonlySet<string> = new Set(["text", "image", "document", "tool_result", "search_result"]);

/**
 * The rules of the conversation: roles, non-blank texts, calls paired with results by id, thinking blocks as they were
 * sent (BR-69 to BR-72). `sentTurns` holds the order of thinking and calls of each reply that had both, by call id.
 */
export function checkConversation(request: WireRequest, sentTurns: ReadonlyMap<string, readonly string[]>): Refusal | undefined {
	return (
		checkSystem(request.system) ??
		checkRoles(request) ??
		checkBlocks(request) ??
		checkPairing(request) ??
		checkThinkingOrder(request, sentTurns)
	);
}

/** The order of thinking blocks and calls of a turn, as `sentTurns` remembers it. */
export function turnOrder(blocks: readonly WireBlock[]): readonly string[] {
	return blocks.flatMap((block) => {
		if (block.type === "thinking") return [String(block["signature"])];
		if (block.type === "redacted_thinking") return [String(block["data"])];
		return block.type === "tool_use" ? [String(block["id"])] : [];
	});
}

function checkSystem(system: readonly WireBlock[]): Refusal | undefined {
	for (const [index, block] of system.entries()) {
		if (block.type !== "text") return invalid(`system.${index}.type: Input should be 'text'`);
		if (isBlank(block["text"])) return invalid("system: text content blocks must be non-empty");
	}
	return undefined;
}

function checkRoles(request: WireRequest): Refusal | undefined {
	const { messages } = request;
	if (messages.length === 0) return invalid("messages: at least one message is required");
	if (messages[0]?.role !== "user") return invalid('messages: first message must use the "user" role');
	let previous = "";
	for (const [index, message] of messages.entries()) {
		if (!["user", "assistant", "system"].includes(message.role)) {
			return invalid(`messages.${index}.role: Input should be 'user', 'assistant' or 'system'`);
		}
		if (message.role === "system") {
			if (!MID_SYSTEM.test(request.model)) return invalid(`messages.${index}.role: system is not supported on this model`);
			continue;
		}
		if (message.role === previous) return invalid(`messages.${index}: roles must alternate between "user" and "assistant"`);
		previous = message.role;
	}
	const last = messages.at(-1);
	if (previous === "assistant" && last?.content.at(-1)?.type !== "server_tool_use") {
		return invalid("This model does not support assistant message prefill. The conversation must end with a user message.");
	}
	return undefined;
}

function checkBlocks(request: WireRequest): Refusal | undefined {
	for (const [messageIndex, message] of request.messages.entries()) {
		const where = `messages.${messageIndex}`;
		if (message.content.length === 0) return invalid(`${where}: all messages must have non-empty content`);
		for (const [index, block] of message.content.entries()) {
			const refusal = checkBlock(block, message.role, `${where}.content.${index}`);
			if (refusal !== undefined) return refusal;
		}
		const lastType = message.content.at(-1)?.type;
		if (message.role === "assistant" && (lastType === "thinking" || lastType === "redacted_thinking")) {
			return invalid(`${where}: The final block in an assistant message cannot be \`thinking\`.`);
		}
	}
	return undefined;
}

function checkBlock(block: WireBlock, role: string, where: string): Refusal | undefined {
	if (role === "user" && !USER_BLOCKS.has(block.type)) return invalid(`${where}: \`${block.type}\` blocks cannot be in user messages`);
	if (role === "system" && block.type !== "text") return invalid(`${where}: system messages hold text blocks only`);
	switch (block.type) {
		case "text":
			if (typeof block["text"] !== "string") return invalid(`${where}.text: Input should be a valid string`);
			if (block["text"] === "") return invalid("messages: text content blocks must be non-empty");
			return isBlank(block["text"]) ? invalid("messages: text content blocks must contain non-whitespace text") : undefined;
		case "tool_use":
			return checkToolUse(block, role, where);
		case "tool_result":
			return checkToolResult(block, role, where);
		case "thinking":
			return isOwnSignature(block) ? undefined : invalid(`${where}: Invalid \`signature\` in \`thinking\` block`);
		case "redacted_thinking":
			return isOwnRedacted(block) ? undefined : invalid(`${where}: Invalid \`data\` in \`redacted_thinking\` block`);
		default:
			return undefined;
	}
}

function checkToolUse(block: WireBlock, role: string, where: string): Refusal | undefined {
	if (role !== "assistant") return invalid(`${where}: \`tool_use\` blocks can only be in assistant messages`);
	const { id, name, input } = block;
	if (typeof id !== "string" || !TOOL_ID.test(id)) return invalid(`${where}.id: String should match pattern '^[a-zA-Z0-9_-]+$'`);
	if (typeof name !== "string" || name === "") return invalid(`${where}.name: Field required`);
	return isRecord(input) ? undefined : invalid(`${where}.input: Input should be a valid dictionary`);
}

function checkToolResult(block: WireBlock, role: string, where: string): Refusal | undefined {
	if (role !== "user") return invalid(`${where}: \`tool_result\` blocks can only be in user messages`);
	const { content } = block;
	const empty = content === undefined || (Array.isArray(content) && content.length === 0) || content === "";
	if (empty && block["is_error"] === true) return invalid(`${where}: content cannot be empty if \`is_error\` is true`);
	if (Array.isArray(content) && content.some((inner) => isRecord(inner) && inner["type"] === "text" && isBlank(inner["text"]))) {
		return invalid("messages: text content blocks must be non-empty");
	}
	return undefined;
}

function checkPairing(request: WireRequest): Refusal | undefined {
	const seen = new Set<string>();
	for (const [index, message] of request.messages.entries()) {
		const refusal = checkResults(request, index);
		if (refusal !== undefined) return refusal;
		if (message.role !== "assistant") continue;
		const calls = idsOf(message.content, "tool_use", "id");
		for (const id of calls) {
			if (seen.has(id)) return invalid(`messages.${index}: \`tool_use\` ids must be unique`);
			seen.add(id);
		}
		const next = request.messages[index + 1];
		const answered = new Set(next?.role === "user" ? idsOf(next.content, "tool_result", "tool_use_id") : []);
		const open = calls.filter((id) => !answered.has(id));
		if (open.length > 0) {
			return invalid(
				`messages.${index}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${open.join(", ")}. ` +
					"Each `tool_use` block must have a corresponding `tool_result` block in the next message.",
			);
		}
	}
	return undefined;
}

function checkResults(request: WireRequest, index: number): Refusal | undefined {
	const message = request.messages[index];
	if (message === undefined || message.role !== "user") return undefined;
	const results = idsOf(message.content, "tool_result", "tool_use_id");
	const before = request.messages[index - 1];
	const calls = new Set(before?.role === "assistant" ? idsOf(before.content, "tool_use", "id") : []);
	const stray = results.find((id) => !calls.has(id));
	if (stray !== undefined) {
		return invalid(
			`messages.${index}: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${stray}. ` +
				"Each `tool_result` block must have a corresponding `tool_use` block in the previous message.",
		);
	}
	if (new Set(results).size < results.length) return invalid(`messages.${index}: each \`tool_use\` must have a single result`);
	const firstOther = message.content.findIndex((block) => block.type !== "tool_result");
	const lastResult = message.content.findLastIndex((block) => block.type === "tool_result");
	return firstOther !== -1 && firstOther < lastResult
		? invalid(`messages.${index}: \`tool_result\` blocks must come first in the message`)
		: undefined;
}

/** A turn may lose its thinking as a whole, but what is left of it must be all of it, in the order in which it was sent. */
function checkThinkingOrder(request: WireRequest, sentTurns: ReadonlyMap<string, readonly string[]>): Refusal | undefined {
	for (const [index, message] of request.messages.entries()) {
		if (message.role !== "assistant" || !message.content.some((block) => block.type.includes("thinking"))) continue;
		const firstCall = idsOf(message.content, "tool_use", "id")[0];
		const sent = firstCall === undefined ? undefined : sentTurns.get(firstCall);
		if (sent !== undefined && sent.join("\n") !== turnOrder(message.content).join("\n")) {
			return invalid(
				`messages.${index}: \`thinking\` or \`redacted_thinking\` blocks in the assistant message cannot be modified. ` +
					"These blocks must remain as they were in the original response.",
			);
		}
	}
	return undefined;
}

function idsOf(blocks: readonly WireBlock[], type: string, field: string): string[] {
	return blocks.filter((block) => block.type === type).map((block) => String(block[field]));
}

function isBlank(text: unknown): boolean {
	return typeof text !== "string" || text.trim() === "";
}
