import { answerQuestion, askForText } from "./answer-question.ts";
import type { CommandDefinition } from "./command.ts";

export const EXPLORE: CommandDefinition = {
	name: "explore",
	usage: "QUESTION",
	summary: "one read-only explorer searches the code and answers with places",
	role: "write",
	on: "anything",
	spends: true,
	async run(text, world) {
		if (text === "") return askForText("explore", "QUESTION", "The question");
		return answerQuestion({ kind: "explore", text }, world);
	},
};
