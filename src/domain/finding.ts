import type { Side } from "./change-set.ts";

export type Severity = "critical" | "important" | "minor" | "nit";

/** Worst first; the index is the rank. */
export const SEVERITIES: readonly Severity[] = ["critical", "important", "minor", "nit"];

export const CATEGORIES = [
	"bug",
	"security",
	"concurrency",
	"error-handling",
	"performance",
	"compatibility",
	"test",
	"documentation",
	"style",
	"maintainability",
	"other",
] as const;

export type Category = (typeof CATEGORIES)[number];

export interface Evidence {
	/** reproduced: a check shows it; traced: read in the code or the index; stated: only said. */
	readonly kind: "reproduced" | "traced" | "stated";
	readonly detail: string;
}

/** What a child hands in with `submit_report`: not yet checked against the code. */
export interface ReportedFinding {
	readonly path: string;
	/** The exact code it speaks of; anchoring looks for it in the head file. */
	readonly quote?: string;
	readonly startLine?: number;
	readonly endLine?: number;
	readonly side?: Side;
	readonly severity: Severity;
	readonly category: Category;
	readonly title: string;
	readonly body: string;
	readonly suggestion?: string;
	/** 0 to 100. */
	readonly confidence: number;
	readonly evidence: Evidence;
}

export interface ChildReport {
	readonly summary: string;
	readonly findings: readonly ReportedFinding[];
	/** What is open: not looked at, or needs a person. */
	readonly open: readonly string[];
}

/** How a finding can be placed: in a hunk, on a changed file, or only in the body (DESIGN.md 9.1). */
export type FindingTier = "inline" | "file" | "body";

/** A checked finding. Marked, never dropped (principle 9). */
export interface Finding {
	/** Short human id such as `R7K2`; stable as the fingerprint is. */
	readonly id: string;
	/** Hex; category + path lineage + enclosing symbol + normalised quote; no line number, no wording (BR-68). */
	readonly fingerprint: string;
	/** Head-side path also for findings on the old side (BR-19). */
	readonly path: string;
	readonly side: Side;
	/** 1-based, inclusive; equal for a one-line finding; 0 when no line is known. */
	readonly startLine: number;
	readonly endLine: number;
	readonly tier: FindingTier;
	/** Why the tier is not `inline`; empty otherwise. */
	readonly tierReason: string;
	readonly severity: Severity;
	readonly category: Category;
	readonly title: string;
	readonly body: string;
	readonly suggestion?: string;
	readonly confidence: number;
	readonly evidence: Evidence;
	/** The code at the anchor as it stands in the file; empty when no line is known. */
	readonly quote: string;
	/** Sessions of the children that reported it. */
	readonly sources: readonly string[];
	readonly state: "new" | "open" | "fixed";
	/** The name of the file that the fingerprint goes by, when it is another than `path`. */
	readonly lineage?: string;
}

export interface DismissedFinding {
	readonly finding: Finding;
	readonly reason: string;
	/** Somebody said no to it: it is remembered with the open ones, so that it is there again when the no has ended. */
	readonly silent?: true;
}
