import type { SubagentReport } from "../domain/child-run.ts";
import type { ReportedFinding } from "../domain/finding.ts";
import type { Claim, ClaimVerdict } from "../domain/verification.ts";
import { readProposedTest } from "./read-proposed-test.ts";

/** What one verifier leaves: a verdict for each claim that it has answered, and the others with the reason why not. */
export interface ReadVerdicts {
	readonly verdicts: readonly ClaimVerdict[];
	readonly unverified: readonly { readonly claim: Claim; readonly reason: string }[];
}

/** The claim's id and one word. */
const TITLE = /^\W*([A-Z0-9]{2,12})\b\W*(confirmed|refuted|unsure)\b/i;
/** Below this a refutation is a doubt: a finding that is wrong costs a look, one that is lost may cost much more. */
const LEAST_CONFIDENCE = 80;

/**
 * Reads a verifier's report. Silence never refutes: a claim without an answer, with two different ones, or of a verifier
 * that failed stays as it was. A refutation counts when it names code that was read and is sure of itself.
 */
export function readVerdicts(claims: readonly Claim[], report: SubagentReport): ReadVerdicts {
	const answers = new Map<string, ReportedFinding[]>();
	for (const finding of report.report.findings) {
		const id = TITLE.exec(finding.title)?.[1]?.toUpperCase();
		if (id !== undefined) answers.set(id, [...(answers.get(id) ?? []), finding]);
	}
	const verdicts: ClaimVerdict[] = [];
	const unverified: { claim: Claim; reason: string }[] = [];
	for (const claim of claims) {
		const own = answers.get(claim.id) ?? [];
		const words = new Set(own.map((finding) => wordOf(finding)));
		const [first] = own;
		if (first === undefined) unverified.push({ claim, reason: whyNoAnswer(report) });
		else if (words.size > 1) unverified.push({ claim, reason: "the verifier contradicts itself" });
		else verdicts.push({ ...readVerdict(first), fingerprint: claim.fingerprint, by: report.session });
	}
	return { verdicts, unverified };
}

function wordOf(finding: ReportedFinding): ClaimVerdict["word"] {
	return (TITLE.exec(finding.title)?.[2]?.toLowerCase() ?? "unsure") as ClaimVerdict["word"];
}

function readVerdict(finding: ReportedFinding): Omit<ClaimVerdict, "fingerprint" | "by"> {
	const word = wordOf(finding);
	const { kind, detail } = finding.evidence;
	const weak = word === "refuted" && (kind === "stated" || finding.confidence < LEAST_CONFIDENCE);
	const test = word === "confirmed" && kind === "reproduced" ? readProposedTest(detail) : undefined;
	return {
		word: weak ? "unsure" : word,
		reason: finding.body.trim(),
		detail: test === undefined ? (detail.trim().split("\n", 1)[0] ?? "") : "",
		...(test === undefined ? {} : { test }),
	};
}

function whyNoAnswer({ status, stopReason, error }: SubagentReport): string {
	if (status === "completed") return "the verifier did not answer";
	const cause = error?.split("\n", 1)[0]?.slice(0, 120) ?? stopReason;
	return `the verifier ${status === "partial" ? "stopped early" : status}: ${cause}`;
}
