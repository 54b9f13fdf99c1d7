import type { ContentBlock, ModelMessage } from "../domain/model-message.ts";
import type { ChildState } from "./child-state.ts";
import { contextWindow, outputLimit, textBlock, textOf } from "./child-state.ts";
import { estimateMessages } from "./estimate-tokens.ts";
import { buildRequest } from "./request-layout.ts";
import { spend } from "./spend.ts";

/** Tool results that stay whole: the last steps are what the child is working on. */
const KEPT_MESSAGES = 4;
const STUB_BELOW_CHARS = 400;
/** Shortening must win at least this share of the history, else a summary is asked for as well. */
const WORTHWHILE_SHARE = 0.3;
/** Of the context window; a history above it is shortened before the provider refuses it. */
const FULL_SHARE = 0.9;

const SUMMARY_NOTE =
	"The conversation is about to be shortened. Write down, for yourself: what you have found so far (path:line and the exact code), what you have ruled out, and what is still to be looked at. Plain text, no tool calls.";

/** True when the next request would come near the end of the model's context. */
export function isNearlyFull(state: ChildState, nextTokens: number): boolean {
	return nextTokens + outputLimit(state, "step") > contextWindow(state) * FULL_SHARE;
}

/**
 * Makes room: old tool results become stubs first; where that wins too little, one call sums the work up, and the
 * summary takes the history's place. The history is append-only in all other cases, because an edit makes the cache
 * useless for everything behind it and can invalidate thinking blocks (COST.md 4.2). The first message stays as it
 * is, so that the shared prefix is still read from the cache. False when no room could be made.
 */
export async function makeRoom(state: ChildState): Promise<boolean> {
	const before = estimateMessages(state.messages.slice(1));
	if (before === 0) return false;
	const shortened = shortenToolResults(state.messages, KEPT_MESSAGES);
	const won = before - estimateMessages(shortened.slice(1));
	if (won >= before * WORTHWHILE_SHARE) {
		await replaceHistory(state, shortened, "shortened");
		return true;
	}
	const summary = await summarise(state, shortenToolResults(state.messages, 0));
	if (summary === undefined) return false;
	const first = state.messages[0];
	if (first === undefined) return false;
	const rest: ModelMessage = {
		role: "user",
		content: [textBlock(`Your work so far, summed up by you:\n\n${summary}\n\nGo on from there.`)],
	};
	await replaceHistory(state, [first, rest], "summarised", summary);
	return true;
}

async function summarise(state: ChildState, messages: readonly ModelMessage[]): Promise<string | undefined> {
	const request = buildRequest({
		model: state.environment.modelId,
		effort: state.environment.effort,
		maxTokens: outputLimit(state, "wrap-up"),
		prefix: state.environment.brief,
		tools: state.tools,
		messages: withNote(messages, SUMMARY_NOTE),
	});
	const spent = await spend(state, "compaction", request);
	if (spent.kind === "limit" || spent.reply.stop === "error" || spent.reply.stop === "aborted" || spent.reply.stop === "refusal")
		return undefined;
	const text = textOf(spent.reply.content);
	return text === "" ? undefined : text;
}

async function replaceHistory(
	state: ChildState,
	messages: readonly ModelMessage[],
	how: "shortened" | "summarised",
	summary?: string,
): Promise<void> {
	state.messages = [...messages];
	state.contextTokens = 0;
	state.measuredMessages = 0;
	await state.environment.journal.append({
		type: "run.data",
		name: "compaction",
		data: { how, messages, ...(summary === undefined ? {} : { reply: [textBlock(summary)] }) },
	});
}

/** Results before the last `kept` messages become one line that says what was there. Calls and results stay paired (BR-70). */
function shortenToolResults(messages: readonly ModelMessage[], kept: number): readonly ModelMessage[] {
	return withoutThinking(messages).map((message, index, all) => {
		if (index >= all.length - kept) return message;
		return { role: message.role, content: message.content.map(shortenBlock) };
	});
}

/** Thinking belongs to the history it was written in: an edited one goes back without any, as a whole (BR-72, COST.md 4.2). */
function withoutThinking(messages: readonly ModelMessage[]): readonly ModelMessage[] {
	return messages
		.map((message) => ({ role: message.role, content: message.content.filter((block) => !isThinking(block)) }))
		.filter((message) => message.content.length > 0);
}

function isThinking(block: ContentBlock): boolean {
	if (block.type !== "opaque" || typeof block.raw !== "object" || block.raw === null || !("type" in block.raw)) return false;
	return block.raw.type === "thinking" || block.raw.type === "redacted_thinking";
}

function shortenBlock(block: ContentBlock): ContentBlock {
	if (block.type !== "tool-result" || block.content.length < STUB_BELOW_CHARS) return block;
	return { ...block, content: `[result of ${block.content.length} characters dropped to make room; call the tool again if you need it]` };
}

/** The conversation with a note of ours at its end, in one user turn where the last message is ours already. */
export function withNote(messages: readonly ModelMessage[], note: string): readonly ModelMessage[] {
	const last = messages.at(-1);
	if (last?.role !== "user") return [...messages, { role: "user", content: [textBlock(note)] }];
	return [...messages.slice(0, -1), { role: "user", content: [...last.content, textBlock(note)] }];
}
