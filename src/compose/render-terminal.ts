import { SEVERITIES } from "../domain/finding.ts";
import type { ReportFinding, RunReport } from "../domain/run-report.ts";
import { formatCost, formatDuration, formatTokens, plural } from "../publish/render/format.ts";

const INDENT = "    ";
const WIDTH = 96;

/** Breaks a paragraph at blanks; code lines (indented or fenced) are left as they are. */
function wrap(text: string): string[] {
	const lines: string[] = [];
	let code = false;
	for (const line of text.split("\n")) {
		if (/^\s*(`{3,}|~{3,})/.test(line)) code = !code;
		if (code || line.length <= WIDTH) {
			lines.push(line);
			continue;
		}
		let current = "";
		for (const word of line.split(" ")) {
			if (current !== "" && current.length + word.length + 1 > WIDTH) {
				lines.push(current);
				current = word;
			} else current = current === "" ? word : `${current} ${word}`;
		}
		lines.push(current);
	}
	return lines;
}

function place(finding: ReportFinding): string {
	if (finding.startLine === 0) return finding.path;
	return finding.endLine > finding.startLine
		? `${finding.path}:${finding.startLine}-${finding.endLine}`
		: `${finding.path}:${finding.startLine}`;
}

function renderFinding(finding: ReportFinding): string {
	const head = `${finding.severity.padEnd(9)} ${finding.id}  ${place(finding)}\n${INDENT}${finding.title}`;
	const suggestion =
		finding.suggestion === undefined ? [] : ["", "Suggested:", ...finding.suggestion.split("\n").map((line) => `  ${line}`)];
	const body = [...wrap(finding.body), ...suggestion].map((line) => (line === "" ? "" : INDENT + line)).join("\n");
	return `${head}\n${body}`;
}

function renderAgents(report: RunReport): string {
	const rows = report.agents.map((agent) => [
		agent.session,
		agent.status,
		`${agent.steps} steps`,
		`${agent.toolUses} calls`,
		formatTokens(agent.usage.input + agent.usage.cacheRead + agent.usage.cacheWrite + agent.usage.output),
		formatCost(agent.costUsd),
		formatDuration(agent.durationMs),
	]);
	const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
	return rows
		.map((row) =>
			row
				.map((cell, column) => cell.padEnd(widths[column] ?? 0))
				.join("  ")
				.trimEnd(),
		)
		.join("\n");
}

/** The report as plain text for a terminal or a log: verdict, findings worst first, who read what, what nobody read. */
export function renderTerminal(report: RunReport): string {
	const live = report.findings.filter((finding) => finding.state !== "fixed");
	const sorted = [...live].sort((a, b) => SEVERITIES.indexOf(a.severity) - SEVERITIES.indexOf(b.severity));
	const skipped = report.files.filter((file) => file.state === "skipped");
	const parts = [
		`Rookery: ${report.run.mergeBase.slice(0, 12)}..${report.run.head.slice(0, 12)}, ${plural(report.files.length, "file")}, provider ${report.run.provider}`,
		report.verdict.sentence,
		...sorted.map(renderFinding),
		...(report.agents.length === 0 ? [] : [`Who reviewed:\n${renderAgents(report)}`]),
		...(skipped.length === 0 ? [] : [`Not reviewed:\n${skipped.map((file) => `${file.path}: ${file.reason ?? ""}`).join("\n")}`]),
		...(report.dismissed.length === 0 ? [] : [`Dismissed: ${report.dismissed.length} (reasons in the JSON report)`]),
		...(report.notes.length === 0 ? [] : [`Notes:\n${report.notes.map((note) => `- ${note}`).join("\n")}`]),
	];
	return parts.join("\n\n");
}
