import { SEVERITIES, type Evidence, type Finding, type FindingTier, type Severity } from "../domain/finding.ts";

const EVIDENCE_ORDER: readonly Evidence["kind"][] = ["reproduced", "traced", "stated"];
const TIER_ORDER: readonly FindingTier[] = ["inline", "file", "body"];

/** 0 is the worst. */
export function severityRank(severity: Severity): number {
	return SEVERITIES.indexOf(severity);
}

/** 0 is the strongest. */
export function evidenceRank(evidence: Evidence): number {
	return EVIDENCE_ORDER.indexOf(evidence.kind);
}

/** 0 is the closest to the code. */
export function tierRank(tier: FindingTier): number {
	return TIER_ORDER.indexOf(tier);
}

/** Byte order, the same on every machine. */
export function compareText(a: string, b: string): number {
	return a < b ? -1 : a > b ? 1 : 0;
}

/** Total order: severity, evidence, confidence, then the place, so that equal inputs give equal reports. */
export function compareFindings(a: Finding, b: Finding): number {
	return (
		severityRank(a.severity) - severityRank(b.severity) ||
		evidenceRank(a.evidence) - evidenceRank(b.evidence) ||
		b.confidence - a.confidence ||
		compareText(a.path, b.path) ||
		a.startLine - b.startLine ||
		compareText(a.fingerprint, b.fingerprint)
	);
}

export function rankFindings(findings: readonly Finding[]): readonly Finding[] {
	return [...findings].sort(compareFindings);
}
