import type { SubagentReport } from "./child-run.ts";
import type { FileStatus } from "./change-set.ts";
import type { Category, DismissedFinding, Finding, Severity } from "./finding.ts";
import type { Usage } from "./usage.ts";

export type VerdictState = "clean" | "findings" | "partial" | "skipped" | "failed";

export interface Verdict {
	readonly state: VerdictState;
	/** One sentence a maintainer reads first. */
	readonly sentence: string;
}

/** One row of the coverage ledger: who read this file, how much, or why not (DESIGN.md 9.6). */
export interface CoverageRow {
	readonly path: string;
	readonly previousPath?: string;
	readonly status: FileStatus;
	readonly additions: number;
	readonly deletions: number;
	readonly binary: boolean;
	readonly language?: string;
	readonly assigned: string | null;
	readonly state: "reviewed" | "partial" | "skipped";
	readonly reason?: string;
}

/** Something that was refused, counted by code and text (SECURITY.md 6). */
export interface RefusedRow {
	readonly code: string;
	readonly count: number;
	readonly text: string;
}

/** How far a run went down the ladder because the model provider was not available. Numbers are reviewers. */
export interface Degradation {
	/** What the provider said, one line. */
	readonly cause: string;
	readonly reviewers: number;
	/** Those it was away for at first. */
	readonly away: number;
	/** Of these: answered by a cheaper model, by fixed checks, by nobody. */
	readonly weaker: number;
	readonly models: readonly string[];
	readonly checks: number;
	readonly lost: number;
}

/** Everything the publications are made from. Pure data; the model may add prose, never findings. */
export interface Synthesis {
	readonly verdict: Verdict;
	/** A model's words about the review, shown under the verdict; nothing is decided by it (A96). */
	readonly overview?: string;
	/** Ranked, worst first. */
	readonly findings: readonly Finding[];
	readonly dismissed: readonly DismissedFinding[];
	readonly coverage: readonly CoverageRow[];
	readonly agents: readonly SubagentReport[];
	readonly usage: Usage;
	readonly costUsd: number | null;
	readonly refused: readonly RefusedRow[];
	/** What the children left open, with the session that said so. */
	readonly open: readonly { readonly session: string; readonly text: string }[];
	readonly notes: readonly string[];
	/** Changes the pull request makes to reviewer configuration (S-040, X-06). */
	readonly trustDiff: readonly TrustDiffRow[];
}

export interface TrustDiffRow {
	readonly path: string;
	readonly kind: "agent" | "skill" | "hook" | "settings" | "policy" | "instructions" | "workflow" | "other";
	readonly change: "added" | "changed" | "removed";
	/** One line for people; cleaned, since names in it come from the head. */
	readonly text: string;
	/** SHA-256 of the file's bytes on the old and the new side, absent where the file is. */
	readonly oldHash?: string;
	readonly newHash?: string;
	/** True when the change gives an agent commands, writes or network, or touches hooks, policy or workflows. */
	readonly attention?: boolean;
	/** What an agent file grants before and after (S-040). */
	readonly agent?: AgentDiff;
	/** Unified diff of the file, bounded. Text of the head: data, to be fenced and never followed. */
	readonly patch?: string;
}

/** The difference of two versions of one agent; tool names in the engine's spelling, brackets kept. */
export interface AgentDiff {
	readonly name: string;
	/** Why the new version would not load; absent when it would. */
	readonly refused?: string;
	readonly toolsAdded: readonly string[];
	readonly toolsRemoved: readonly string[];
	readonly gains: readonly ("write" | "execute" | "network")[];
	/** Values before and after, undefined where the file does not say; only what differs. */
	readonly fields: readonly { readonly field: string; readonly from?: string; readonly to?: string }[];
	/** True when the instructions differ. */
	readonly promptChanged: boolean;
}

/** A finding of an earlier round, as our own sticky marker remembers it. */
export interface PreviousFinding {
	readonly fingerprint: string;
	readonly id: string;
	readonly path: string;
	/** 1-based; 0 when no line was known. */
	readonly line: number;
	/** Last line, when it is another one. */
	readonly end?: number | undefined;
	/** The name of the file that its identity goes by, when it is another than `path` (renames, moved code). */
	readonly from?: string | undefined;
	readonly severity: Severity;
	readonly category: Category;
	readonly title: string;
	/** It was not shown, because somebody had said no to it. */
	readonly silent?: boolean | undefined;
}

/** What earlier runs on this pull request left: enough to tell new, still open and fixed apart. */
export interface PreviousReview {
	readonly head: string;
	/** Blob id by path at the last review. */
	readonly blobs: Readonly<Record<string, string>>;
	/** Who answered then: `anthropic`, `offline`, …; absent when it is not known. */
	readonly provider?: string;
	readonly open: readonly PreviousFinding[];
	/** Inline comments of ours that already stand on the pull request; counts against the cap. */
	readonly inlinePosted: number;
}
