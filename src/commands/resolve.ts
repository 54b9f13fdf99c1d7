import { type CommandDefinition, done } from "./command.ts";
import { findOpen, settleFindings } from "./settle-findings.ts";

export const RESOLVE: CommandDefinition = {
	name: "resolve",
	usage: "[ID…]",
	summary: "marks the named findings, or all open ones, as done with; conversations on GitHub stay as they are",
	role: "write",
	on: "pull-request",
	spends: false,
	async run(text, world) {
		const ids = text.split(/[\s,]+/).filter((id) => id !== "");
		if (ids.length === 0 && world.open.length === 0) return done("The last review left no finding open.");
		if (ids.length === 0) return settleFindings(world.open, "resolved", "", world);
		const found = findOpen(ids, world);
		return found.ok ? settleFindings(found.findings, "resolved", "", world) : found.result;
	},
};
