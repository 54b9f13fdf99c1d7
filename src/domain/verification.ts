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

/** A new file with a test that is meant to fail because of the claim. Text of a model. */
export interface ProposedTest {
	/** Repository path. */
	readonly path: string;
	readonly content: string;
}

/** What running a proposed test has shown: `ok` only when it is red on the head and green on the merge base. */
export type TestProof =
	| { readonly ok: true; readonly command: string; readonly failing: readonly string[] }
	| { readonly ok: false; readonly reason: string };

export interface ClaimVerdict {
	readonly fingerprint: string;
	readonly word: "confirmed" | "refuted" | "unsure";
	/** One paragraph; text of a model. */
	readonly reason: string;
	/** The place that decides it. */
	readonly detail: string;
	/** Session of the verifier. */
	readonly by: string;
	/** The test it hands in for the claim. */
	readonly test?: ProposedTest;
	/** What became of the test; absent when nobody has run it. */
	readonly proof?: TestProof;
}

/** What became of the claims of a run. A claim with neither verdict nor reason was not up for verification. */
export interface Verification {
	readonly verdicts: readonly ClaimVerdict[];
	readonly unverified: readonly { readonly fingerprint: string; readonly reason: string }[];
	readonly reports: readonly SubagentReport[];
}

export const NO_VERIFICATION: Verification = { verdicts: [], unverified: [], reports: [] };
