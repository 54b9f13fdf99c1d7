import type { DismissedFinding, Finding } from "../domain/finding.ts";
import type { OtherComment } from "../domain/other-comment.ts";
import type { SettledFinding } from "../domain/review-state.ts";
import type { Suppression } from "../domain/suppression.ts";
import { createSilenceFinder, type SilenceFinder } from "./find-silence.ts";

/** Nits a summary bears; the rest goes to the report's dismissed list. */
export const MAX_NITS = 5;

export interface FilterLimits {
	/** 0 to 100. */
	readonly minConfidence: number;
	/** Inline comments of one run. */
	readonly maxInline: number;
	/** Inline comments over the life of the pull request. */
	readonly maxInlinePerPullRequest: number;
	/** Inline comments that already stand. */
	readonly inlinePosted: number;
	/** After the first round only what is urgent is commented on; the rest stands in the summary (1c-9). */
	readonly laterRound?: boolean;
	/** What people closed on this pull request, by fingerprint. */
	readonly settled?: readonly SettledFinding[];
	/** What the team closed for every pull request, and when it is now in milliseconds since the epoch. */
	readonly suppressions?: readonly Suppression[];
	readonly at?: number;
	/** Where other bots have commented already (1c-17). */
	readonly otherComments?: readonly OtherComment[];
}

export interface Filtered {
	readonly findings: readonly Finding[];
	readonly dismissed: readonly DismissedFinding[];
	/** What a reader of the summary must know of what was left out. */
	readonly notes: readonly string[];
}

/**
 * Takes ranked findings. What is not shown is dismissed with its reason; what is over the inline caps is moved to
 * the body and never dropped (A92). Nits are never inline: they are listed together, so they do not count. Nothing
 * critical leaves without a line that says so, and a mere sign takes nothing critical away.
 */
export function filterFindings(ranked: readonly Finding[], limits: FilterLimits): Filtered {
	const findings: Finding[] = [];
	const dismissed: DismissedFinding[] = [];
	const notes: string[] = [];
	const memory = createSilenceFinder({ settled: limits.settled ?? [], suppressions: limits.suppressions ?? [], at: limits.at ?? 0 });
	let nits = 0;
	let inline = 0;
	for (const finding of ranked) {
		const silent = silence(finding, memory, notes);
		if (silent !== undefined) {
			dismissed.push({ finding, reason: silent, silent: true });
			continue;
		}
		if (finding.confidence < limits.minConfidence) {
			dismissed.push({ finding, reason: `confidence ${finding.confidence} is below ${limits.minConfidence}` });
			continue;
		}
		if (finding.severity === "nit") {
			nits += 1;
			if (nits > MAX_NITS) dismissed.push({ finding, reason: `more than ${MAX_NITS} nits` });
			else findings.push(finding);
			continue;
		}
		const over = finding.tier === "inline" && finding.state === "new" ? whyNotInline(finding, inline, limits) : undefined;
		if (over !== undefined) findings.push({ ...finding, tier: "body", tierReason: over });
		else {
			if (finding.tier === "inline" && finding.state === "new") inline += 1;
			findings.push(finding);
		}
	}
	return { findings, dismissed, notes };
}

/** Why a finding is not shown; what a reader must learn of it goes to the notes. */
function silence(finding: Finding, memory: SilenceFinder, notes: string[]): string | undefined {
	const found = memory.find(finding);
	if (found === undefined) {
		const expired = finding.state === "fixed" ? undefined : memory.findExpired(finding);
		if (expired !== undefined) {
			notes.push(`Shown again, since its suppression by ${expired.who} ended on ${expired.until ?? ""}: ${finding.title}.`);
		}
		return undefined;
	}
	if (finding.severity === "critical" && finding.state !== "fixed") {
		if (found.sign) {
			notes.push(`A critical finding stays although ${found.reason}: ${finding.title}. \`/dismiss\` takes it off the list.`);
			return undefined;
		}
		notes.push(`A critical finding is not shown (${found.reason}): ${finding.title}.`);
	}
	return found.reason;
}

function whyNotInline(finding: Finding, inline: number, limits: FilterLimits): string | undefined {
	if (limits.laterRound === true && finding.severity === "minor") return "later rounds comment on critical and important findings only";
	const other = finding.severity === "critical" ? undefined : limits.otherComments?.find((comment) => isAtSameSite(finding, comment));
	if (other !== undefined) return `${other.author} has commented on the same lines`;
	if (inline >= limits.maxInline) return `over the cap of ${limits.maxInline} inline comments a run`;
	if (inline + limits.inlinePosted >= limits.maxInlinePerPullRequest) {
		return `over the cap of ${limits.maxInlinePerPullRequest} inline comments a pull request`;
	}
	return undefined;
}

function isAtSameSite(finding: Finding, comment: OtherComment): boolean {
	return (
		finding.side === "RIGHT" &&
		finding.path === comment.path &&
		finding.startLine <= comment.endLine &&
		comment.startLine <= finding.endLine
	);
}
