import { formatCost, plural } from "../publish/render/format.ts";
import { table } from "../publish/render/markdown.ts";
import { type CommandDefinition, done } from "./command.ts";

export const COST: CommandDefinition = {
	name: "cost",
	usage: "",
	summary: "adds up what this conversation has cost so far, and shows its limits",
	role: "triage",
	on: "anything",
	spends: false,
	async run(_text, world) {
		const commands = world.replies.map((reply) => reply.command.usd);
		const { runUsd, pullRequestUsd } = world.settings.budget;
		const rows = [
			["Reviews", world.reviewUsd === undefined ? "none told of" : formatCost(world.reviewUsd)],
			[plural(world.replies.length, "command"), formatCost(addUp(commands))],
			["Together", formatCost(addUp([...commands, world.reviewUsd ?? (world.reviewUsd === null ? null : 0)]))],
			["Limit of a run", formatCost(runUsd)],
			["Limit of a pull request", pullRequestUsd === undefined ? "none (`budget.pullRequestUsd`)" : formatCost(pullRequestUsd)],
		];
		return done(`At list prices, in US dollars:\n\n${table(["What", "Cost"], rows, [1])}`);
	},
};

/** Null, shown as n/a, as soon as one part has no known price. */
export function addUp(costs: readonly (number | null)[]): number | null {
	return costs.reduce<number | null>((sum, cost) => (sum === null || cost === null ? null : sum + cost), 0);
}
