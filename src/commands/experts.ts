import { formatCount, plural, shortSha } from "../publish/render/format.ts";
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
		const { specialists, others } = await world.listSpecialists();
		const rows = specialists.map((row) => [
			row.displayName,
			row.testCommand === undefined ? "–" : code(row.testCommand),
			row.extensions.map(code).join(" "),
			formatCount(row.files),
			row.changed === undefined ? "–" : row.changed === 0 ? "no" : `yes, ${formatCount(row.changed)} changed`,
		]);
		const routes = [
			...specialists.flatMap((row) => row.reasons.map((reason) => `- ${row.displayName}: ${reason}`)),
			...others.map((row) => `- ${row.name}, ${plural(row.files, "file")}: ${row.reason}`),
		];
		const why = routes.length === 0 ? "" : `\n\nWho reads what here, and why:\n\n${routes.join("\n")}`;
		return done(
			`Specialists at ${code(shortSha(world.head))}:\n\n${table(["Specialist", "Tests", "Extensions", "Files", "Runs here"], rows, [3])}${why}`,
		);
	},
};
