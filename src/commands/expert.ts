import { answerQuestion, askForText } from "./answer-question.ts";
import type { CommandDefinition } from "./command.ts";
import { splitFirst } from "./split-first.ts";

const USAGE = "LANGUAGE|auto TASK";

export const EXPERT: CommandDefinition = {
	name: "expert",
	usage: USAGE,
	summary: "gives a bounded task to the specialist of a language; `auto` chooses by what the task names",
	role: "write",
	on: "anything",
	spends: true,
	async run(text, world) {
		const [language, task] = splitFirst(text);
		if (language === "" || task === "") return askForText("expert", USAGE, "The language or the task");
		return answerQuestion({ kind: "expert", language: language.toLowerCase(), text: task }, world);
	},
};
