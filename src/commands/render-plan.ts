import { costOf } from "../domain/cost.ts";
import { formatCost, formatCount, formatTokens, plural, shortSha } from "../publish/render/format.ts";
import { code, details, table } from "../publish/render/markdown.ts";
import type { CommandWorld, PlanPreview, PlanRow } from "./command.ts";

/** Measured on typical reviews: steps of a child that finds little, and of one that digs. */
const FEW_STEPS = 3;
const MANY_STEPS = 12;
/** Text that a child writes in a step, and what its tools bring in. */
const OUTPUT_TOKENS = 700;
const RESULT_TOKENS = 2_500;
const ROLE_TOKENS = 1_500;

/** Who would run, with which tools and limits, and what it may cost. */
export function renderPlan(plan: PlanPreview, world: Pick<CommandWorld, "settings" | "cleanLine" | "provider">): string {
	const low = sum(plan.rows.map((row) => estimate(row, plan.packTokens, FEW_STEPS)));
	const high = sum(plan.rows.map((row) => estimate(row, plan.packTokens, MANY_STEPS)));
	const { runUsd } = world.settings.budget;
	const rows = plan.rows.map((row) => [
		code(row.agent),
		plural(row.files, "file"),
		formatCount(row.lines),
		code(row.model),
		`${row.maxSteps} steps, ${formatTokens(row.tokenBudget)} tokens`,
		world.cleanLine(row.reason),
	]);
	const tools = [...new Set(plan.rows.flatMap((row) => row.tools))].sort();
	return [
		`Plan for ${code(shortSha(plan.head))}: ${plural(plan.rows.length, "agent")}, ${describeCost(low, high, runUsd, world.provider)}. No model was asked for this.`,
		rows.length === 0 ? "" : table(["Agent", "Reads", "Lines", "Model", "At most", "Why"], rows, [2]),
		tools.length === 0 ? "" : `Tools: ${tools.map(code).join(" ")}.`,
		...leftOut(
			"not read",
			plan.skippedFiles.map((file) => `- ${code(file.path)}: ${world.cleanLine(file.reason)}`),
		),
		...leftOut(
			"agents that do not run",
			plan.skippedAgents.map((agent) => `- ${code(agent.name)}: ${world.cleanLine(agent.reason)}`),
		),
		...plan.notes.map((note) => world.cleanLine(note)),
	]
		.filter((part) => part !== "")
		.join("\n\n");
}

function describeCost(low: number | null, high: number | null, runUsd: number, provider: string): string {
	if (provider === "offline") return "at no cost (there is no model key, so the offline analyst would review)";
	if (low === null || high === null) return `cost unknown (a model has no known price), at most ${formatCost(runUsd)}`;
	return `about ${formatCost(Math.min(low, runUsd))} to ${formatCost(Math.min(high, runUsd))}, never above ${formatCost(runUsd)}`;
}

/** One child: the shared part is written to the cache by one and read by all, own text grows with each step. */
function estimate(row: PlanRow, packTokens: number, wanted: number): number | null {
	const steps = Math.min(wanted, row.maxSteps);
	const first = costOf(row.model, { input: ROLE_TOKENS, cacheWrite: packTokens, cacheRead: 0, output: OUTPUT_TOKENS });
	const later = costOf(row.model, {
		input: RESULT_TOKENS,
		cacheWrite: 0,
		cacheRead: packTokens + ROLE_TOKENS + (steps / 2) * RESULT_TOKENS,
		output: OUTPUT_TOKENS,
	});
	return first === null || later === null ? null : first + later * (steps - 1);
}

function sum(costs: readonly (number | null)[]): number | null {
	return costs.reduce<number | null>((total, cost) => (total === null || cost === null ? null : total + cost), 0);
}

function leftOut(what: string, lines: readonly string[]): readonly string[] {
	return lines.length === 0 ? [] : [details(`${formatCount(lines.length)} ${what}`, lines.slice(0, 100).join("\n"))];
}
