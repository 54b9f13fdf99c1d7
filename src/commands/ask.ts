import { answerQuestion, askForText } from "./answer-question.ts";
import type { CommandDefinition } from "./command.ts";

export const ASK: CommandDefinition = {
	name: "ask",
	usage: "QUESTION",
	summary: "answers a question; may delegate to explore, specialists and agents. Free text behind a mention of us is the same",
	role: "write",
	on: "anything",
	spends: true,
	async run(text, world) {
		if (text === "") return askForText("ask", "QUESTION", "The question");
		return answerQuestion({ kind: "ask", text }, world);
	},
};
