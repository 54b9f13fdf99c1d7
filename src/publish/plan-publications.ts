import type { ChangeSet, FilePatch } from "../domain/change-set.ts";
import { addToDay, type DaySpend } from "../domain/day-spend.ts";
import { SEVERITIES, type Finding, type Severity } from "../domain/finding.ts";
import type { FileComment, Publication, ReviewComment } from "../domain/publication.ts";
import type { ReviewPlan } from "../domain/review-plan.ts";
import type { RunContext } from "../domain/run-context.ts";
import type { PublishedAgent } from "../domain/review-state.ts";
import { MANIFEST_FILE } from "../domain/run-manifest.ts";
import type { RunReport } from "../domain/run-report.ts";
import type { Synthesis } from "../domain/synthesis.ts";
import { totalTokens } from "../domain/usage.ts";
import type { CleanedSynthesis } from "./clean-synthesis.ts";
import { capOpen, printMarker, type StickyMarker } from "./marker.ts";
import { planResolutions, rememberClosed, visibleComments } from "./plan-resolutions.ts";
import type { ExistingState } from "./read-existing-state.ts";
import { rememberFiles } from "./remember-files.ts";
import { renderAnnotations } from "./render/annotations.ts";
import { renderFindingComment } from "./render/finding.ts";
import { plural } from "./render/format.ts";
import { renderStepSummary, type BannerRow } from "./render/step-summary.ts";
import { renderSummary, type SummaryInput } from "./render/summary.ts";
import { MAX_BODY_CHARS, MAX_CHECK_SUMMARY_CHARS } from "./size-packing.ts";

/** More comments in one request have been answered with 502. */
export const MAX_REVIEW_COMMENTS = 30;
/** Each is a request of its own, and a message of its own to everybody who watches. */
export const MAX_FILE_COMMENTS = 5;

export interface PublicationsInput {
	readonly synthesis: CleanedSynthesis;
	readonly changeSet: ChangeSet;
	readonly context: RunContext;
	readonly plan?: ReviewPlan;
	/** The very patches that were read. */
	readonly patches?: readonly FilePatch[];
	/** Digest of who reviews by which settings. */
	readonly reviewers?: string;
	/** Only a part of the review that an event would start; it is not remembered as read. */
	readonly part?: boolean;
	readonly failOn: Severity | "never";
	readonly report: RunReport;
	readonly provider: string;
	readonly existing: ExistingState;
	/** Tells several installations in one repository apart, for example the workflow's name. */
	readonly instance: string;
	readonly banner: readonly BannerRow[];
	/** Where `report.json` will lie; outputs hold paths, since their size is bounded (R25). */
	readonly reportPath: string;
	readonly checkName?: string;
	/** What the run was made from, by hashes; its own hash is published with the summary. */
	readonly manifest?: { readonly sha256: string; readonly content: string; readonly path: string };
	/** Who ran, with the hashes of their journals. */
	readonly agents?: readonly PublishedAgent[];
}

/**
 * Everything this run writes, as data: at most one review, one sticky comment, one check run, the step summary, the
 * outputs and the report file. Without a pull request only the last three. Pure.
 */
export function planPublications(input: PublicationsInput): readonly Publication[] {
	const { synthesis } = input;
	const fresh = input.context.pullRequest === undefined ? [] : freshFindings(synthesis.findings, input.existing);
	const comments = fresh.filter((finding) => finding.tier === "inline").slice(0, MAX_REVIEW_COMMENTS);
	const fileComments = fresh.filter((finding) => finding.tier === "file" && isUrgent(finding)).slice(0, MAX_FILE_COMMENTS);
	const visible = visibleComments(input.existing);
	const commented = new Set([
		...[...comments, ...fileComments].map((finding) => finding.id),
		...synthesis.findings.filter((finding) => visible.has(finding.fingerprint)).map((finding) => finding.id),
	]);
	const number = input.context.pullRequest?.number;
	const resolutions = number === undefined ? [] : planResolutions(number, synthesis, input.existing);
	const summary: SummaryInput = {
		synthesis,
		context: input.context,
		provider: input.provider,
		audit: input.report.audit,
		...(input.manifest === undefined ? {} : { manifest: input.manifest.sha256 }),
		commented,
		...(input.plan === undefined ? {} : { plan: input.plan }),
	};
	return [
		...planReview(input, comments, fileComments),
		...resolutions,
		...planSticky(input, synthesis, summary, rememberClosed(input.existing, resolutions)),
		...planCheck(input, synthesis, summary),
		{ kind: "step-summary", markdown: renderStepSummary(summary, input.banner) },
		{ kind: "outputs", values: outputsOf(input, synthesis) },
		{ kind: "file", name: "report.json", content: `${JSON.stringify(input.report, undefined, "\t")}\n` },
		...(input.manifest === undefined ? [] : [{ kind: "file", name: MANIFEST_FILE, content: input.manifest.content } as const]),
	];
}

/** New, not posted before, and worth a message: nits are only listed in the summary. */
function freshFindings(findings: readonly Finding[], existing: ExistingState): readonly Finding[] {
	return findings.filter(
		(finding) => finding.state === "new" && finding.severity !== "nit" && !existing.postedFingerprints.has(finding.fingerprint),
	);
}

function isUrgent(finding: Finding): boolean {
	return finding.severity === "critical" || finding.severity === "important";
}

/** Nothing new to say means no review at all: a review is a mail to everybody (S-003, quiet on clean). */
function planReview(input: PublicationsInput, inline: readonly Finding[], files: readonly Finding[]): readonly Publication[] {
	const { context } = input;
	if (context.pullRequest === undefined || inline.length + files.length === 0) return [];
	const marker = printMarker("review", {
		instance: input.instance,
		run: context.runId,
		attempt: context.attempt,
		head: context.head,
		part: "all",
	});
	const body = `${marker}\n${plural(inline.length + files.length, "new finding")}; the summary comment has the whole review. Answer a finding by its id.`;
	return [
		{
			kind: "review",
			pullRequest: context.pullRequest.number,
			commit: context.head,
			marker,
			body,
			comments: inline.map((finding) => toReviewComment(finding, context)),
			fileComments: files.map(
				(finding): FileComment => ({ findingId: finding.id, path: finding.path, body: commentBody(finding, context) }),
			),
		},
	];
}

/** GitHub refuses a start line that equals the line; it is only sent for real ranges. */
function toReviewComment(finding: Finding, context: RunContext): ReviewComment {
	const range = finding.endLine > finding.startLine ? { startLine: finding.startLine, startSide: finding.side } : {};
	return {
		findingId: finding.id,
		path: finding.path,
		side: finding.side,
		line: finding.endLine,
		...range,
		body: commentBody(finding, context),
	};
}

function commentBody(finding: Finding, context: RunContext): string {
	const { fingerprint, id } = finding;
	return renderFindingComment(finding, printMarker("finding", { fingerprint, id, run: context.runId, head: context.head }));
}

function planSticky(
	input: PublicationsInput,
	synthesis: Synthesis,
	summary: SummaryInput,
	closed: Pick<StickyMarker, "closed">,
): readonly Publication[] {
	const { context } = input;
	if (context.pullRequest === undefined) return [];
	const marker = printMarker("sticky", { ...stickyMarker(input, synthesis), ...closed });
	return [
		{ kind: "sticky", pullRequest: context.pullRequest.number, marker, body: renderSummary(summary, { marker, limit: MAX_BODY_CHARS }) },
	];
}

/** State for the next run. */
function stickyMarker(input: PublicationsInput, synthesis: Synthesis): StickyMarker {
	const live = (finding: Finding): boolean => finding.state !== "fixed";
	const silent = synthesis.dismissed.flatMap((each) => (each.silent === true ? [each.finding] : []));
	const open = [
		...synthesis.findings.filter(live).map(rememberFinding),
		...silent.filter(live).map((finding) => ({ ...rememberFinding(finding), silent: true })),
	];
	const { runId, attempt, head } = input.context;
	return {
		...{ instance: input.instance, run: runId, attempt, head, ...rememberFiles(input, synthesis), open: [...capOpen(open)] },
		provider: input.provider,
		usd: spentSoFar(input, synthesis.costUsd),
		day: spentToday(input, synthesis.costUsd),
		...(input.agents === undefined ? {} : { agents: input.agents.slice(0, MAX_AGENTS) }),
	};
}

function rememberFinding(finding: Finding): StickyMarker["open"][number] {
	const { fingerprint, id, path, startLine, endLine, lineage, severity, category, title } = finding;
	return {
		fingerprint,
		id,
		path,
		line: startLine,
		...(endLine > startLine && startLine > 0 ? { end: endLine } : {}),
		...(lineage === undefined ? {} : { from: lineage }),
		severity,
		category,
		title: title.slice(0, 200).toWellFormed(),
	};
}

/** A marker has room for these. */
const MAX_AGENTS = 40;

/** What all reviews of the pull request have cost; unknown as soon as one is. A run that is applied again counts once. */
function spentSoFar({ existing, context }: PublicationsInput, now: number | null): number | null {
	const before = existing.sticky?.marker;
	if (before !== undefined && before.run === context.runId && before.attempt === context.attempt) return before.usd ?? null;
	return before?.usd === null || now === null ? null : (before?.usd ?? 0) + now;
}

/** The same for the day, so that bounds of a day hold over runs. */
function spentToday({ existing, context, report }: PublicationsInput, now: number | null): DaySpend {
	const before = existing.sticky?.marker;
	const again = before?.run === context.runId && before.attempt === context.attempt;
	return again && before.day !== undefined ? before.day : addToDay(before?.day, Date.parse(report.run.endedAt), now);
}

function planCheck(input: PublicationsInput, synthesis: Synthesis, summary: SummaryInput): readonly Publication[] {
	if (input.context.pullRequest === undefined) return [];
	const { annotations, left } = renderAnnotations(synthesis.findings);
	const more = left === 0 ? "" : `\n\n${plural(left, "finding")} more than a check run can annotate.`;
	return [
		{
			kind: "check",
			head: input.context.head,
			name: input.checkName ?? "Rookery",
			conclusion: conclusionOf(synthesis, input.failOn),
			title: synthesis.verdict.sentence.slice(0, 250).toWellFormed(),
			summary: renderSummary({ ...summary, commented: new Set() }, { marker: "", limit: MAX_CHECK_SUMMARY_CHARS - more.length }) + more,
			annotations,
		},
	];
}

/**
 * One conclusion a verdict (1c-8): only a clean review is green. Findings at or above `fail-on` fail the check, also
 * in a partial review; below it the check is neutral, so that it never blocks.
 */
export function conclusionOf(
	synthesis: Pick<Synthesis, "verdict" | "findings">,
	failOn: Severity | "never",
): Extract<Publication, { kind: "check" }>["conclusion"] {
	switch (synthesis.verdict.state) {
		case "clean":
			return "success";
		case "skipped":
			return "skipped";
		case "failed":
			return "failure";
		case "findings":
		case "partial":
			return reachesFailLevel(synthesis.findings, failOn) ? "failure" : "neutral";
	}
}

/** True when a finding that is not fixed is at least as bad as the fail level; the exit code uses it too. */
export function reachesFailLevel(findings: readonly Pick<Finding, "severity" | "state">[], failOn: Severity | "never"): boolean {
	if (failOn === "never") return false;
	const level = SEVERITIES.indexOf(failOn);
	return findings.some((finding) => finding.state !== "fixed" && SEVERITIES.indexOf(finding.severity) <= level);
}

function outputsOf(input: PublicationsInput, synthesis: Synthesis): Readonly<Record<string, string>> {
	const live = synthesis.findings.filter((finding) => finding.state !== "fixed");
	const worst = SEVERITIES.find((severity) => live.some((finding) => finding.severity === severity));
	return {
		verdict: synthesis.verdict.state,
		findings: String(live.length),
		"worst-severity": worst ?? "",
		report: input.reportPath,
		"cost-usd": synthesis.costUsd === null ? "" : synthesis.costUsd.toFixed(6),
		tokens: String(totalTokens(synthesis.usage)),
		...(input.manifest === undefined ? {} : { manifest: input.manifest.path }),
	};
}
