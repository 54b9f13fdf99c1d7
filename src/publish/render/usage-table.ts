import type { SubagentReport } from "../../domain/child-run.ts";
import type { Synthesis } from "../../domain/synthesis.ts";
import { totalTokens } from "../../domain/usage.ts";
import { describeUsage, formatCachedShare, formatCost, formatDuration, formatTokens, plural } from "./format.ts";
import { code, table } from "./markdown.ts";

/** One row an agent and a row for all; a failed or timed-out agent has its cost too. */
export function renderUsageTable(synthesis: Pick<Synthesis, "agents" | "usage" | "costUsd">): string {
	const rows = synthesis.agents.map((report) => [
		code(report.session),
		statusText(report),
		String(report.steps),
		String(report.toolUses),
		formatTokens(totalTokens(report.usage)),
		formatCachedShare(report.usage),
		formatCost(report.costUsd),
		formatDuration(report.durationMs),
	]);
	const sum = (pick: (report: SubagentReport) => number): number => synthesis.agents.reduce((total, report) => total + pick(report), 0);
	const total = [
		"all",
		"",
		String(sum((report) => report.steps)),
		String(sum((report) => report.toolUses)),
		formatTokens(totalTokens(synthesis.usage)),
		formatCachedShare(synthesis.usage),
		formatCost(synthesis.costUsd),
		"",
	];
	const head = ["Agent", "Status", "Steps", "Calls", "Tokens", "Cached", "Cost", "Time"];
	return `${table(head, [...rows, total], [2, 3, 4, 5, 6, 7])}\n\n${describeUsage(synthesis.usage)}; cost ${formatCost(synthesis.costUsd)}.`;
}

/** `completed`, or how and why it ended otherwise. */
export function statusText(report: Pick<SubagentReport, "status" | "stopReason">): string {
	return report.status === "completed" ? "completed" : `${report.status} (${report.stopReason})`;
}

/** `3 agents, 14 steps, 41.2k tokens, $0.12`. */
export function usageHeadline(synthesis: Pick<Synthesis, "agents" | "usage" | "costUsd">): string {
	const steps = synthesis.agents.reduce((total, report) => total + report.steps, 0);
	const parts = [
		plural(synthesis.agents.length, "agent"),
		plural(steps, "step"),
		`${formatTokens(totalTokens(synthesis.usage))} tokens`,
		`cost ${formatCost(synthesis.costUsd)}`,
	];
	return parts.join(", ");
}
