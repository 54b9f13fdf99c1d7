import { answerQuestion, askForText } from "./answer-question.ts";
import type { CommandDefinition } from "./command.ts";
import { splitFirst } from "./split-first.ts";

const USAGE = "NAME TASK";

export const AGENT: CommandDefinition = {
	name: "agent",
	usage: USAGE,
	summary: "gives a task to an agent of the repository, as it stands on the base branch",
	role: "write",
	on: "anything",
	spends: true,
	async run(text, world) {
		const [agent, task] = splitFirst(text);
		if (agent === "" || task === "") return askForText("agent", USAGE, "The agent's name or the task");
		return answerQuestion({ kind: "agent", agent, text: task }, world);
	},
};
