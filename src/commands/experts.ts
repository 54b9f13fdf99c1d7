import { formatCount, shortSha } from "../publish/render/format.ts";
import { code, table } from "../publish/render/markdown.ts";
import { type CommandDefinition, done } from "./command.ts";

export const EXPERTS: CommandDefinition = {
	name: "experts",
	usage: "",
	summary: "lists the language specialists, their test commands and files, and which of them run here",
	role: "triage",
	on: "anything",
	spends: false,
	async run(_text, world) {
		const rows = (await world.listSpecialists()).map((row) => [
			row.displayName,
			row.testCommand === undefined ? "–" : code(row.testCommand),
			row.extensions.map(code).join(" "),
			formatCount(row.files),
			row.changed === undefined ? "–" : row.changed === 0 ? "no" : `yes, ${formatCount(row.changed)} changed`,
		]);
		return done(
			`Specialists at ${code(shortSha(world.head))}:\n\n${table(["Specialist", "Tests", "Extensions", "Files", "Runs here"], rows, [3])}`,
		);
	},
};
