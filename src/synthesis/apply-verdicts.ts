import type { DismissedFinding, Finding } from "../domain/finding.ts";
import type { ClaimVerdict, ProposedTest, TestProof, Verification } from "../domain/verification.ts";

export interface Judged {
	readonly findings: readonly Finding[];
	readonly dismissed: readonly DismissedFinding[];
	readonly notes: readonly string[];
}

/**
 * Brings what verifiers said to this round's findings (X-10): a confirmed one names the place that confirms it, a
 * refuted one goes to the dismissed list with the reason, every other one is shown as unverified and why. Nothing is
 * added, and nothing leaves but what was refuted by name; count in is count out (A96). Findings of earlier rounds pass.
 */
export function applyVerdicts(findings: readonly Finding[], verification: Verification): Judged {
	const verdicts = new Map(verification.verdicts.map((verdict) => [verdict.fingerprint, verdict]));
	const reasons = new Map(verification.unverified.map((each) => [each.fingerprint, each.reason]));
	const kept: Finding[] = [];
	const dismissed: DismissedFinding[] = [];
	const notes: string[] = [];
	for (const finding of findings) {
		const verdict = finding.state === "new" ? verdicts.get(finding.fingerprint) : undefined;
		const reason = finding.state === "new" ? reasons.get(finding.fingerprint) : undefined;
		if (verdict?.word === "refuted") {
			dismissed.push({ finding, reason: `refuted by ${verdict.by}: ${verdict.reason}${placeOf(verdict)}` });
			// Nobody should have to open the report to learn that something critical was taken off the list.
			if (finding.severity === "critical")
				notes.push(`A critical finding was refuted by ${verdict.by} and is not shown: ${finding.title}.`);
		} else if (verdict?.word === "confirmed") kept.push(confirm(finding, verdict));
		else if (verdict !== undefined) kept.push(withRemark(finding, `Not verified: ${verdict.by} could not tell. ${verdict.reason}`));
		else if (reason !== undefined) kept.push(withRemark(finding, `Not verified: ${reason}.`));
		else kept.push(finding);
	}
	return { findings: kept, dismissed, notes };
}

function placeOf({ detail }: ClaimVerdict): string {
	return detail === "" ? "" : ` (${detail})`;
}

/** What was only said and then traced by somebody else is traced; only a test that we ran ourselves reproduces it. */
function confirm(finding: Finding, verdict: ClaimVerdict): Finding {
	if (verdict.test !== undefined && verdict.proof?.ok === true) return reproduce(finding, verdict.test, verdict.proof, verdict.by);
	const tried =
		verdict.proof === undefined
			? finding
			: withRemark(finding, `A test for it did not show it: ${verdict.proof.ok ? "" : verdict.proof.reason}.`);
	return confirmByReading(tried, verdict);
}

/** The test is shown, so that whoever fixes the fault can add it. */
function reproduce(finding: Finding, test: ProposedTest, proof: Extract<TestProof, { ok: true }>, by: string): Finding {
	const longest = Math.max(2, ...[...test.content.matchAll(/`+/g)].map((run) => run[0].length));
	const fence = "`".repeat(longest + 1);
	const shown = `A test that fails on the head and passes on the base, \`${test.path}\`:\n\n${fence}\n${test.content.trimEnd()}\n${fence}`;
	const named = proof.failing.map((name) => name.replace(/\s+/g, " ").slice(0, 120)).join(", ");
	return {
		...finding,
		body: `${finding.body}\n\n${shown}`,
		evidence: {
			kind: "reproduced",
			detail: `${proof.command} with ${test.path}: ${named} fails on the head and passes on the base; test by ${by}`,
		},
		sources: [...new Set([...finding.sources, by])],
	};
}

function confirmByReading(finding: Finding, verdict: ClaimVerdict): Finding {
	const { kind, detail } = finding.evidence;
	const own = detail.replace(/[.\s]+$/, "");
	const read = verdict.detail.replace(/[.\s]+$/, "");
	// Who comes to the same words has not to repeat them.
	const also = `confirmed by ${verdict.by}${read === "" || own.startsWith(read) ? "" : `: ${read}`}`;
	return {
		...finding,
		evidence: { kind: kind === "stated" ? "traced" : kind, detail: own === "" ? also : `${own}; ${also}` },
		sources: [...new Set([...finding.sources, verdict.by])],
	};
}

function withRemark(finding: Finding, remark: string): Finding {
	return { ...finding, body: `${finding.body}\n\n_${remark.replace(/\s+/g, " ").replaceAll("_", "\\_")}_` };
}
