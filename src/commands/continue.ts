import { answerQuestion, askForText } from "./answer-question.ts";
import { type CommandDefinition, refused } from "./command.ts";
import { splitFirst } from "./split-first.ts";

const USAGE = "agent_N MESSAGE";

export const CONTINUE: CommandDefinition = {
	name: "continue",
	usage: USAGE,
	summary: "goes on with an agent of an earlier run, its whole conversation restored from the run's checked journals",
	role: "write",
	on: "anything",
	spends: true,
	async run(text, world) {
		const [agentId, message] = splitFirst(text);
		if (agentId === "" || message === "") return askForText("continue", USAGE, "The agent's id or the message");
		if (!/^agent_[1-9]\d{0,4}$/.test(agentId)) {
			return refused(
				`\`${agentId.replace(/`/g, "'").slice(0, 40)}\` is no agent's id; wanted one such as \`agent_1\`, as a reply or the summary names it.`,
			);
		}
		return answerQuestion({ kind: "continue", agentId, text: message }, world);
	},
};
