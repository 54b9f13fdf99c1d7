import type { DismissedFinding, Finding } from "../domain/finding.ts";
import { describeSettled, type SettledFinding } from "../domain/review-state.ts";

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
}

export interface Filtered {
	readonly findings: readonly Finding[];
	readonly dismissed: readonly DismissedFinding[];
}

/**
 * Takes ranked findings. What is not shown is dismissed with its reason; what is over the inline caps is moved to
 * the body and never dropped (A92). Nits are never inline: they are listed together, so they do not count.
 */
export function filterFindings(ranked: readonly Finding[], limits: FilterLimits): Filtered {
	const findings: Finding[] = [];
	const dismissed: DismissedFinding[] = [];
	const settled = new Map(limits.settled?.map((each) => [each.fingerprint, each]));
	let nits = 0;
	let inline = 0;
	for (const finding of ranked) {
		const said = finding.state === "fixed" ? undefined : settled.get(finding.fingerprint);
		if (said !== undefined) {
			dismissed.push({ finding, reason: describeSettled(said) });
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
	return { findings, dismissed };
}

function whyNotInline(finding: Finding, inline: number, limits: FilterLimits): string | undefined {
	if (limits.laterRound === true && finding.severity === "minor") return "later rounds comment on critical and important findings only";
	if (inline >= limits.maxInline) return `over the cap of ${limits.maxInline} inline comments a run`;
	if (inline + limits.inlinePosted >= limits.maxInlinePerPullRequest) {
		return `over the cap of ${limits.maxInlinePerPullRequest} inline comments a pull request`;
	}
	return undefined;
}
