import type { SubagentReport } from "../../domain/child-run.ts";
import { totalTokens } from "../../domain/usage.ts";
import { capitalise, formatCost, formatDuration, formatTokens, plural } from "./format.ts";
import { code } from "./markdown.ts";

/** Names that plain capitals would misspell. */
const LANGUAGE_NAMES: Readonly<Record<string, string>> = {
	typescript: "TypeScript",
	javascript: "JavaScript",
	cpp: "C++",
	csharp: "C#",
	php: "PHP",
	sql: "SQL",
};

/** `[Go Specialist Report]`: what a reader and a parent agent recognise a child's report by (S-025). */
export function childReportHeading(report: Pick<SubagentReport, "agent" | "kind" | "displayName">): string {
	const name = report.displayName ?? LANGUAGE_NAMES[report.agent] ?? capitalise(report.agent);
	return report.kind === "specialist" ? `[${name} Specialist Report]` : `[${name} Report]`;
}

/**
 * The human part of a child's report: heading, what it says, its findings in one line each, what is open, then
 * `go: 2 steps, 4.4k tokens` and a line of calls (S-025). Also for children that failed: then it says why.
 */
export function renderChildReport(report: SubagentReport): string {
	const said = report.report.summary === "" ? report.text : report.report.summary;
	const findings = report.report.findings.map((finding) => {
		const line = finding.startLine === undefined ? "" : `:${finding.startLine}`;
		return `- ${finding.severity}: ${finding.title} (${code(finding.path + line)})`;
	});
	const parts = [
		`**${childReportHeading(report)}**`,
		said,
		findings.join("\n"),
		report.report.open.length === 0 ? "" : `Open:\n${report.report.open.map((text) => `- ${text}`).join("\n")}`,
		report.error === undefined ? "" : `It ${report.status}: ${report.error}`,
		`${usageLine(report)}\n${callsLine(report)}`,
	];
	return parts.filter((part) => part !== "").join("\n\n");
}

function usageLine(report: SubagentReport): string {
	const cached = report.usage.cacheRead === 0 ? "" : ` (${formatTokens(report.usage.cacheRead)} from the cache)`;
	const cost = report.costUsd === null ? "" : `, ${formatCost(report.costUsd)}`;
	return `${report.agent}: ${plural(report.steps, "step")}, ${formatTokens(totalTokens(report.usage))} tokens${cached}${cost}, ${formatDuration(report.durationMs)}`;
}

function callsLine(report: SubagentReport): string {
	const refused = report.refused.length === 0 ? "" : `, ${report.refused.length} refused`;
	const end = report.status === "completed" ? "" : `, ended ${report.status} (${report.stopReason})`;
	return `calls: ${plural(report.toolUses, "tool call")}${refused}${end}`;
}
