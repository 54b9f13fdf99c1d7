import type { SubagentReport } from "../domain/child-run.ts";
import type { JournalEntry } from "../domain/journal-entry.ts";
import { totalTokens } from "../domain/usage.ts";
import type { ToolOutput } from "../seams.ts";

/** Calls that look for something; they make the search list of an answer (S-035). */
const SEARCHES: ReadonlySet<string> = new Set(["glob", "grep", "find_symbol", "find_references", "repo_map"]);
const MAX_SEARCHES = 12;
const MAX_ARGUMENT_CHARS = 60;

/** What a child did, taken from its journal. */
export interface CallSummary {
	/** Tool name to number of calls, in order of first use. */
	readonly counts: ReadonlyMap<string, number>;
	/** `grep "budget"`, …, in order. */
	readonly searches: readonly string[];
}

export function summariseCalls(entries: readonly JournalEntry[]): CallSummary {
	const counts = new Map<string, number>();
	const searches: string[] = [];
	for (const entry of entries) {
		if (entry.type !== "tool.call") continue;
		counts.set(entry.tool, (counts.get(entry.tool) ?? 0) + 1);
		if (SEARCHES.has(entry.tool)) searches.push(`${entry.tool} ${argumentOf(entry.input)}`.trimEnd());
	}
	return { counts, searches };
}

function argumentOf(input: unknown): string {
	if (typeof input !== "object" || input === null) return "";
	const first = Object.values(input).find((value): value is string => typeof value === "string");
	if (first === undefined) return "";
	const line = first.replace(/\s+/g, " ").trim();
	return JSON.stringify(line.length > MAX_ARGUMENT_CHARS ? `${line.slice(0, MAX_ARGUMENT_CHARS)}…` : line);
}

/** The answer of an explore child, then steps and tokens and what was searched for (S-035). */
export function renderExploreResult(report: SubagentReport, calls: CallSummary): ToolOutput {
	const shown = calls.searches.slice(0, MAX_SEARCHES);
	const more = calls.searches.length - shown.length;
	const searched = shown.length === 0 ? [] : [`searched: ${shown.join("; ")}${more > 0 ? `; and ${more} more` : ""}`];
	return render(report, [report.text, [renderSteps("explore", report), ...searched].join("\n")]);
}

/** The report of a specialist under a heading with its name, then steps and tokens and its calls (S-025). */
export function renderExpertResult(report: SubagentReport, displayName: string, language: string, calls: CallSummary): ToolOutput {
	const counts = [...calls.counts].map(([tool, count]) => (count === 1 ? tool : `${tool} ×${count}`)).join(", ");
	return render(report, [
		`[${displayName} Specialist Report]`,
		renderFindings(report),
		`${renderSteps(language, report)}\ncalls: ${counts || "none"}`,
	]);
}

function render(report: SubagentReport, parts: readonly string[]): ToolOutput {
	const failed = report.status === "failed" || report.status === "cancelled" || report.status === "refused" || report.status === "skipped";
	if (!failed) return { content: parts.join("\n\n"), data: report };
	return {
		content: `${report.agent} ${report.status}: ${report.error ?? report.text}\n\n${parts.at(-1) ?? ""}`,
		isError: true,
		data: report,
	};
}

function renderSteps(who: string, report: SubagentReport): string {
	const steps = `${report.steps} ${report.steps === 1 ? "step" : "steps"}`;
	return `${who}: ${steps}, ${(totalTokens(report.usage) / 1_000).toFixed(1)}k tokens`;
}

/** Only what was handed in: the human form of a report, worst first as the child wrote it. */
function renderFindings(report: SubagentReport): string {
	const { summary, findings, open } = report.report;
	const partial = report.status === "partial" ? [report.text.split("\n", 1)[0] ?? ""] : [];
	const lines = findings.map((finding) => {
		const line = finding.startLine === undefined ? "" : `:${finding.startLine}`;
		return `- ${finding.severity} ${finding.path}${line} ${finding.title}: ${finding.body}`;
	});
	const rest = open.length === 0 ? [] : [`Open:\n${open.map((text) => `- ${text}`).join("\n")}`];
	return [...partial, summary, lines.join("\n"), ...rest].filter((part) => part !== "").join("\n\n");
}
