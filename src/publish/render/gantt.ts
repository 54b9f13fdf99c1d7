import type { SubagentReport } from "../../domain/child-run.ts";
import { fence } from "./markdown.ts";

/** More bars than this no reader tells apart. */
const MAX_BARS = 40;

const STATES: Readonly<Partial<Record<SubagentReport["status"], string>>> = {
	completed: "done",
	partial: "active",
	failed: "crit",
	cancelled: "crit",
};

/**
 * When each child worked, as a Mermaid Gantt chart: the earliest first, failed ones marked critical. Empty when there are
 * fewer than two children with a known start, since one bar tells nothing.
 */
export function renderGantt(reports: readonly SubagentReport[]): string {
	const timed = reports.flatMap((report) => (report.startedAt === undefined ? [] : [{ report, start: report.startedAt }]));
	if (timed.length < 2) return "";
	const bars = timed.sort((a, b) => a.start - b.start || (a.report.session < b.report.session ? -1 : 1)).slice(0, MAX_BARS);
	const lines: string[] = [];
	let section = "";
	for (const [index, { report, start }] of bars.entries()) {
		const name = plainName(report.displayName ?? report.agent);
		if (name !== section) lines.push(`    section ${name}`);
		section = name;
		const state = STATES[report.status];
		const end = start + Math.max(1, Math.round(report.durationMs));
		lines.push(`    ${plainName(report.session)} :${state === undefined ? "" : `${state}, `}c${index}, ${Math.round(start)}, ${end}`);
	}
	const left = timed.length - bars.length;
	return fence(
		[
			"gantt",
			`    title Agents over time${left > 0 ? ` (${left} more not shown)` : ""}`,
			"    dateFormat x",
			"    axisFormat %H:%M:%S",
			...lines,
		].join("\n"),
		"mermaid",
	);
}

/** Nothing that the chart's own grammar reads: colons, semicolons, hashes, commas, percent signs. */
function plainName(text: string): string {
	return (
		text
			.replace(/[^\p{L}\p{N} ._()+-]+/gu, " ")
			.trim()
			.slice(0, 60) || "agent"
	);
}
