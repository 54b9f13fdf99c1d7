import { code, table } from "../publish/render/markdown.ts";
import { type CommandDefinition, done } from "./command.ts";
import { nameCommand } from "./name-command.ts";

export const AGENTS: CommandDefinition = {
	name: "agents",
	usage: "",
	summary: "lists custom agents with source, tools, model and whether they may run",
	role: "triage",
	on: "anything",
	spends: false,
	async run(_text, world) {
		const agents = await world.listAgents();
		if (agents.length === 0) return done("The base branch has no agent files (`.rookery/agents`, `.garuda/agents`, `.claude/agents`).");
		const rows = agents.map((row) => [
			code(row.name),
			code(row.source),
			row.tools.length === 0 ? "–" : row.tools.map(code).join(" "),
			code(row.model),
			`${row.runs ? "" : "**does not run**: "}${world.cleanLine(row.trust)}`,
		]);
		const tip = agents.some((row) => row.runs) ? `\n\nGive one a task with ${nameCommand("agent", "NAME TASK")}.` : "";
		return done(`${table(["Agent", "Source", "Tools", "Model", "Trust"], rows)}${tip}`);
	},
};
