import type { ModelMessage } from "../../domain/model-message.ts";

export interface ToolAnswer {
	readonly content: string;
	readonly isError: boolean;
}

/** Where a conversation stands. All state is in the messages, so that a resumed session goes on by itself. */
export interface Conversation {
	/** Answer to the last `diagnose` call. */
	readonly diagnosed: ToolAnswer | undefined;
	/** Answer to the last `submit_report` call. */
	readonly submitted: ToolAnswer | undefined;
	/** True when somebody wrote again after the report was handed in. */
	readonly question: boolean;
}

export function readConversation(messages: readonly ModelMessage[]): Conversation {
	const names = new Map<string, string>();
	let diagnosed: ToolAnswer | undefined;
	let submitted: ToolAnswer | undefined;
	let question = false;
	for (const message of messages) {
		let answered = false;
		for (const block of message.content) {
			if (block.type === "tool-use") names.set(block.id, block.name);
			if (block.type !== "tool-result") continue;
			answered = true;
			const answer = { content: block.content, isError: block.isError === true };
			const name = names.get(block.toolUseId);
			if (name === "diagnose") diagnosed = answer;
			if (name === "submit_report") submitted = answer;
		}
		// The loop may add a remark to tool results; a message of its own is somebody's new turn.
		if (message.role === "user" && !answered) question = submitted !== undefined && !submitted.isError;
	}
	return { diagnosed, submitted, question };
}
