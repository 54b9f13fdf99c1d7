import type { ContentBlock, ModelMessage, ModelRequest } from "../domain/model-message.ts";

/**
 * Bytes a token, on the careful side: source code has three to four. A reservation must not be too small, because
 * the cap is only as hard as the estimate; the real number replaces it when the reply is there.
 */
const BYTES_PER_TOKEN = 3;

export function estimateTextTokens(text: string): number {
	return Math.ceil(Buffer.byteLength(text, "utf8") / BYTES_PER_TOKEN);
}

function estimateBlock(block: ContentBlock): number {
	switch (block.type) {
		case "text":
			return estimateTextTokens(block.text);
		case "tool-use":
			return estimateTextTokens(block.name) + estimateTextTokens(JSON.stringify(block.input ?? {}));
		case "tool-result":
			return estimateTextTokens(block.content);
		case "opaque":
			return estimateTextTokens(JSON.stringify(block.raw ?? null));
	}
}

export function estimateMessages(messages: readonly ModelMessage[]): number {
	return messages.reduce((sum, message) => sum + message.content.reduce((part, block) => part + estimateBlock(block), 0), 0);
}

/** Prompt tokens of a whole request: tools, system, messages. */
export function estimateRequest(request: Pick<ModelRequest, "system" | "tools" | "messages">): number {
	const tools = request.tools.length === 0 ? 0 : estimateTextTokens(JSON.stringify(request.tools));
	const system = request.system.reduce((sum, block) => sum + estimateTextTokens(block.text), 0);
	return tools + system + estimateMessages(request.messages);
}
