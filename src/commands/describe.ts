import { formatCost, formatTokens, plural, shortSha } from "../publish/render/format.ts";
import { code, table } from "../publish/render/markdown.ts";
import { type ChangeDescription, type CommandDefinition, done } from "./command.ts";

const MAX_FILES = 40;
const PROMPT =
	"Describe what this pull request changes, for somebody who is about to review it: its aim in one sentence; the parts of the change in the order in which to read them, one line each with the path; what a reader should look at twice. Say only what the diff shows.";

export const DESCRIBE: CommandDefinition = {
	name: "describe",
	usage: "",
	summary: "describes the change: its parts, sizes and languages, and in words when there is a model",
	role: "write",
	on: "pull-request",
	spends: true,
	async run(_text, world) {
		const change = await world.describeChange();
		const head = `The change at ${code(shortSha(world.head))}: ${plural(change.files.length, "file")}, +${total(change, "additions")} −${total(change, "deletions")}.`;
		const answer = await world.ask({ kind: "explore", text: PROMPT });
		const words =
			answer.kind === "answered"
				? [world.clean(answer.markdown.trim()), `<sub>${formatTokens(answer.tokens)} tokens, ${formatCost(answer.costUsd)}.</sub>`]
				: [];
		const remarks = change.trustDiff.map(
			(row) => `- This change touches what steers reviewers: ${code(row.path)}: ${world.cleanLine(row.text)}`,
		);
		const body = [head, renderFiles(change), remarks.join("\n"), ...words].filter((part) => part !== "").join("\n\n");
		return done(body, answer.kind === "answered" ? { costUsd: answer.costUsd } : {});
	},
};

function total(change: ChangeDescription, key: "additions" | "deletions"): number {
	return change.files.reduce((sum, file) => sum + file[key], 0);
}

function renderFiles(change: ChangeDescription): string {
	const largest = [...change.files].sort((a, b) => b.additions + b.deletions - (a.additions + a.deletions)).slice(0, MAX_FILES);
	if (largest.length === 0) return "";
	const rows = largest.map((file) => [code(file.path), file.status, file.language, `+${file.additions} −${file.deletions}`]);
	const left = change.files.length - largest.length;
	return `${table(["File", "Change", "Language", "Lines"], rows)}${left === 0 ? "" : `\n\n_${left} smaller ones are left out._`}`;
}
