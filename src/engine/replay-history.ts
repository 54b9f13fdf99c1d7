import type { JournalEntry } from "../domain/journal-entry.ts";
import type { ContentBlock, ModelMessage, ToolResultBlock } from "../domain/model-message.ts";
import { withNote } from "./compaction.ts";

/**
 * The conversation of a session, rebuilt from its journal (principle 12 of the style guide): messages as they were
 * added, a compaction replaces what was before it, a wrap-up counts as question and answer. A call that was left
 * without its result, because the process died, gets an error result: the provider refuses it otherwise (R18, BR-70).
 */
export function replayHistory(entries: readonly JournalEntry[]): readonly ModelMessage[] {
	let messages: readonly ModelMessage[] = [];
	for (const entry of entries) {
		if (entry.type === "message") messages = [...messages, entry.message];
		if (entry.type !== "run.data") continue;
		if (entry.name === "compaction") messages = readCompaction(entry.data) ?? messages;
		if (entry.name === "wrap-up") messages = addWrapUp(messages, entry.data);
	}
	return pairCalls(messages);
}

function readCompaction(data: unknown): readonly ModelMessage[] | undefined {
	if (typeof data !== "object" || data === null || !("messages" in data) || !Array.isArray(data.messages)) return undefined;
	return data.messages as ModelMessage[];
}

function addWrapUp(messages: readonly ModelMessage[], data: unknown): readonly ModelMessage[] {
	if (typeof data !== "object" || data === null || !("note" in data) || !("answer" in data)) return messages;
	if (typeof data.note !== "string" || !Array.isArray(data.answer)) return messages;
	// Calls in a closing answer were never run, so they do not go back.
	const text = (data.answer as ContentBlock[]).filter((block) => block.type === "text" && block.text.trim() !== "");
	if (text.length === 0) return messages;
	return [...withNote(messages, data.note), { role: "assistant", content: text }];
}

function pairCalls(messages: readonly ModelMessage[]): readonly ModelMessage[] {
	const paired: ModelMessage[] = [];
	for (const [index, message] of messages.entries()) {
		paired.push(message);
		if (message.role !== "assistant") continue;
		const next = messages[index + 1];
		const answered = new Set(
			next?.role === "user" ? next.content.flatMap((block) => (block.type === "tool-result" ? [block.toolUseId] : [])) : [],
		);
		const missing = message.content.flatMap((block) =>
			block.type === "tool-use" && !answered.has(block.id) ? [cancelledResult(block.id)] : [],
		);
		if (missing.length > 0) paired.push({ role: "user", content: missing });
	}
	return paired;
}

function cancelledResult(id: string): ToolResultBlock {
	return { type: "tool-result", toolUseId: id, content: "cancelled: the run ended before this call had a result", isError: true };
}
