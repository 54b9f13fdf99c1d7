import type { SubagentReport } from "./child-run.ts";
import type { Category, Severity } from "./finding.ts";

/** A finding as a verifier is shown it: what is said and about which code, never how somebody came to it. */
export interface Claim {
	readonly id: string;
	readonly fingerprint: string;
	readonly path: string;
	/** 1-based, inclusive; 0 when no line is known. */
	readonly startLine: number;
	readonly endLine: number;
	readonly severity: Severity;
	readonly category: Category;
	readonly title: string;
	readonly body: string;
	readonly quote: string;
	/** Session that reported it first; empty for a finding of an earlier round. */
	readonly source: string;
	/** An earlier round's finding that nobody repeated although its code still stands: refuted means fixed. */
	readonly earlier: boolean;
}

export interface ClaimVerdict {
	readonly fingerprint: string;
	readonly word: "confirmed" | "refuted" | "unsure";
	/** One paragraph; text of a model. */
	readonly reason: string;
	/** The place that decides it. */
	readonly detail: string;
	/** Session of the verifier. */
	readonly by: string;
}

/** What became of the claims of a run. A claim with neither verdict nor reason was not up for verification. */
export interface Verification {
	readonly verdicts: readonly ClaimVerdict[];
	readonly unverified: readonly { readonly fingerprint: string; readonly reason: string }[];
	readonly reports: readonly SubagentReport[];
}

export const NO_VERIFICATION: Verification = { verdicts: [], unverified: [], reports: [] };
