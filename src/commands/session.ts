import { code, fence, table } from "../publish/render/markdown.ts";
import { type CommandDefinition, done } from "./command.ts";
import { nameCommand } from "./name-command.ts";

export const SESSION: CommandDefinition = {
	name: "session",
	usage: "",
	summary: "shows the last run: its id, its artifacts and each agent with its status",
	role: "triage",
	on: "anything",
	spends: false,
	async run(_text, world) {
		const run = await world.earlierRun();
		if (run === undefined) return done("There was no run here yet whose agents we told of.");
		const rows = run.agents.map((agent) => [code(agent.id), code(agent.session), agent.status, code(agent.sha256.slice(0, 12))]);
		const where = run.url === undefined ? "" : ` Journals: [artifacts of the run](${run.url}).`;
		const tips = `See ${nameCommand("agents")}, ${nameCommand("experts")}, ${nameCommand("cost")}, ${nameCommand("audit")}; go on with one by ${nameCommand("continue", "agent_N MESSAGE")}.`;
		const tree = run.tree.ok ? fence(run.tree.text) : `The journals are not at hand: ${world.cleanLine(run.tree.reason)}.`;
		const attempt = run.attempt > 1 ? `, attempt ${run.attempt}` : "";
		return done(
			[
				`Run ${code(run.run)}${attempt}.${where}`,
				rows.length === 0 ? "No agent ran." : table(["Agent", "Session", "Status", "Journal"], rows),
				tree,
				tips,
			].join("\n\n"),
		);
	},
};
