import type { SubagentReport } from "../domain/child-run.ts";
import { SEVERITIES, type Finding } from "../domain/finding.ts";
import type { ReviewPlan } from "../domain/review-plan.ts";
import type { CoverageRow, Degradation, Verdict } from "../domain/synthesis.ts";

export interface VerdictInput {
	readonly findings: readonly Finding[];
	readonly coverage: readonly CoverageRow[];
	readonly plan: ReviewPlan;
	readonly reports: readonly SubagentReport[];
	readonly degradation?: Degradation | undefined;
}

/** The state a maintainer can trust: "no issues" only at full coverage, and never green when nothing could be read. */
export function decideVerdict(input: VerdictInput): Verdict {
	const verdict = decideByReading(input);
	const { degradation } = input;
	if (degradation === undefined || degradation.away - degradation.weaker < degradation.reviewers) return verdict;
	// Nobody's mistake and nothing to fix in the pull request: said plainly, and neither green nor red.
	const away = `The model provider was not available (${degradation.cause.replace(/[.\s]+$/, "")})`;
	if (degradation.checks === 0) return { state: "partial", sentence: `Not reviewed: ${lowerFirst(away)}. Comment /review to try again.` };
	return { state: "partial", sentence: `${away}, so only fixed checks ran: ${lowerFirst(verdict.sentence)} Comment /review to try again.` };
}

function lowerFirst(text: string): string {
	return text.charAt(0).toLowerCase() + text.slice(1);
}

function decideByReading(input: VerdictInput): Verdict {
	const { coverage, plan, reports } = input;
	if (coverage.length === 0) return { state: "skipped", sentence: "Nothing to review: no files are changed." };
	const left = new Map(plan.skippedFiles.map((file) => [file.path, file.reason]));
	const wanted = coverage.filter(
		(row) => row.state !== "skipped" || row.assigned !== null || !isBenign(left.get(row.path) ?? row.reason ?? ""),
	);
	if (wanted.length === 0) {
		return { state: "skipped", sentence: `Nothing to review: ${count(coverage.length, "changed file")}, ${reasonsOf(coverage)}.` };
	}
	const unsettled = wanted.some((row) => row.assigned !== null || row.state !== "reviewed");
	// With every file read in an earlier round nobody had to start.
	const useful = !unsettled || reports.some((report) => report.status === "completed" || report.status === "partial");
	const live = input.findings.filter((finding) => finding.state !== "fixed");
	if (!useful) return { state: "failed", sentence: failedSentence(reports, wanted.length) };
	const read = coverage.filter((row) => row.state === "reviewed").length;
	const unread = wanted.filter((row) => row.state !== "reviewed");
	const all = coverage.length === 1 ? "the changed file" : `the ${count(read, "changed file")}`;
	const reached = read === coverage.length ? all : `${read} of ${count(coverage.length, "changed file")}`;
	const rest = read === coverage.length ? "" : `; ${notRead(coverage)}`;
	if (live.length > 0) {
		const broken = unread.some((row) => row.assigned !== null) || reports.some((report) => report.status !== "completed");
		return { state: broken ? "partial" : "findings", sentence: `${countBySeverity(live)} in ${reached}${rest}.` };
	}
	if (coverage.every((row) => row.state === "skipped"))
		return { state: "failed", sentence: `No file could be reviewed: ${notRead(coverage)}.` };
	if (unread.length > 0) return { state: "partial", sentence: `No issues in the part that was read (${reached})${rest}.` };
	// Somebody read every file, and somebody who was to read some of them did not: nobody knows what that one had found.
	const unfinished = reports.filter((report) => report.status !== "completed").length;
	if (unfinished > 0) {
		const who = `${unfinished} of ${count(reports.length, "agent")} did not finish`;
		return { state: "partial", sentence: `No issues found in ${reached}${rest}, but ${who}.` };
	}
	return { state: "clean", sentence: `No issues found in ${reached}${rest}.` };
}

/** `3 findings (1 critical, 2 minor)`. */
export function countBySeverity(findings: readonly Finding[]): string {
	const parts = SEVERITIES.flatMap((severity) => {
		const number = findings.filter((finding) => finding.severity === severity).length;
		return number === 0 ? [] : [`${number} ${severity}`];
	});
	return `${count(findings.length, "finding")} (${parts.join(", ")})`;
}

/**
 * Reasons for which nobody would read the file anyway. Everything else that was left out (a cap, the budget, no
 * reviewer) makes the review partial, because a person would expect it to be read.
 */
const BENIGN =
	/\b(?:generated|lock ?file|vendored|vendor|binary|submodule|minified|snapshot|paths|pathsIgnore|ignored|excluded|moved|renamed|mode|empty|no content change|no text change)\b/i;

function isBenign(reason: string): boolean {
	return BENIGN.test(reason);
}

function failedSentence(reports: readonly SubagentReport[], files: number): string {
	if (reports.length === 0) return `The review failed: no reviewer ran on ${count(files, "changed file")}.`;
	const first = reports.find((report) => report.error !== undefined);
	const cause = first?.error?.split("\n", 1)[0]?.slice(0, 200) ?? reports[0]?.stopReason ?? "error";
	return `The review failed: no reviewer finished (${cause.replace(/[.\s]+$/, "")}).`;
}

function notRead(coverage: readonly CoverageRow[]): string {
	const partial = coverage.filter((row) => row.state === "partial").length;
	const skipped = coverage.filter((row) => row.state === "skipped");
	const parts = [
		...(partial === 0 ? [] : [`${partial} read in part`]),
		...(skipped.length === 0 ? [] : [`${skipped.length} not read (${reasonsOf(skipped)})`]),
	];
	return parts.join(", ");
}

/** The three most frequent reasons, each with its count. */
function reasonsOf(rows: readonly CoverageRow[]): string {
	const counts = new Map<string, number>();
	for (const row of rows) {
		const reason = row.reason ?? "not read";
		counts.set(reason, (counts.get(reason) ?? 0) + 1);
	}
	const sorted = [...counts].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1));
	const shown = sorted.slice(0, 3).map(([reason, number]) => (counts.size === 1 ? reason : `${number} ${reason}`));
	return sorted.length > 3 ? `${shown.join(", ")} and ${sorted.length - 3} more reasons` : shown.join(", ");
}

function count(number: number, noun: string): string {
	return `${number} ${noun}${number === 1 ? "" : "s"}`;
}
