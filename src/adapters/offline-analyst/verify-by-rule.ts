import { type ClaimLine, parseClaims } from "../../domain/claim-lines.ts";
import type { ParsedDiagnosis } from "../../domain/diagnosis.ts";
import type { ChildReport, ReportedFinding } from "../../domain/finding.ts";
import type { ModelMessage } from "../../domain/model-message.ts";
import { toFinding } from "./build-report.ts";

/** The block of a verifier's brief; it stands in the child's own part of the first message, behind all text of the pull request. */
const CLAIMS = /<(claims-[0-9a-f]{16})>\n([\s\S]*?)\n<\/\1>/;

/** The claims that a conversation is about; none in a review. */
export function readClaims(messages: readonly ModelMessage[]): readonly ClaimLine[] {
	const own = messages[0]?.content.at(-1);
	return own?.type === "text" ? parseClaims(CLAIMS.exec(own.text)?.[2] ?? "") : [];
}

/**
 * Verdicts without a model: each claim is held against a second run of the checks over its file. A check that shows the
 * same at the same place confirms it, one that ran and shows nothing there refutes it, and what no check looks for is
 * left undecided.
 * @param diagnosis undefined when the checks did not run
 */
export function judgeClaims(claims: readonly ClaimLine[], diagnosis: ParsedDiagnosis | undefined): ChildReport {
	const facts = diagnosis?.facts.map((fact) => ({ fact, finding: toFinding(fact) })) ?? [];
	const unread = new Map(diagnosis?.notChecked.map((row) => [row.path, row.reason]));
	const findings = claims.map((claim): ReportedFinding => {
		const match = facts.find(({ fact, finding }) => fact.path === claim.path && finding.category === claim.category && meets(claim, fact));
		if (match !== undefined) return answer(claim, "confirmed", "The check shows it again.", match.finding.evidence.detail);
		const reason = diagnosis === undefined || diagnosis.shortened ? "the checks did not run to their end" : unread.get(claim.path);
		if (reason !== undefined) return answer(claim, "unsure", `It could not be checked again: ${reason}.`, "");
		return answer(claim, "refuted", "The checks ran over the file again and show nothing there.", `${claim.path}:${claim.startLine}`);
	});
	return { summary: `${findings.length} claims held against the checks.`, findings, open: [] };
}

function meets(claim: ClaimLine, fact: { readonly line: number; readonly endLine: number }): boolean {
	return claim.startLine === 0 || (claim.startLine <= fact.endLine && fact.line <= claim.endLine);
}

function answer(claim: ClaimLine, word: string, body: string, detail: string): ReportedFinding {
	return {
		path: claim.path,
		severity: claim.severity,
		category: claim.category,
		title: `${claim.id} ${word}`,
		body,
		confidence: 97,
		evidence: { kind: detail === "" ? "stated" : "traced", detail },
	};
}
