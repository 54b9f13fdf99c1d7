import type { FileStatus, Side } from "./change-set.ts";
import type { ChildStatus, ChildStopReason } from "./child-run.ts";
import type { Category, Evidence, FindingTier, Severity } from "./finding.ts";
import type { RefusedRow, TrustDiffRow, VerdictState } from "./synthesis.ts";
import type { Usage } from "./usage.ts";

export const RUN_REPORT_VERSION = 1;

/** The JSON report: a contract that programs outside rely on (schema in `schemas/report.schema.json`). */
export interface RunReport {
	readonly version: typeof RUN_REPORT_VERSION;
	readonly run: {
		readonly id: string;
		readonly trigger: string;
		readonly base: string;
		readonly head: string;
		readonly mergeBase: string;
		readonly provider: string;
		/** ISO 8601, UTC. */
		readonly startedAt: string;
		readonly endedAt: string;
	};
	readonly verdict: { readonly state: VerdictState; readonly sentence: string };
	readonly files: readonly {
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
	}[];
	readonly findings: readonly ReportFinding[];
	readonly dismissed: readonly { readonly finding: ReportFinding; readonly reason: string }[];
	readonly agents: readonly {
		readonly name: string;
		readonly kind: string;
		readonly session: string;
		readonly model: string;
		readonly status: ChildStatus;
		readonly stopReason: ChildStopReason;
		readonly steps: number;
		readonly toolUses: number;
		readonly usage: Usage;
		readonly costUsd: number | null;
		readonly durationMs: number;
		readonly worktree?: { readonly path: string; readonly branch?: string; readonly kept: boolean };
		/** Why this agent got its files. */
		readonly reason: string;
		readonly summary: string;
		readonly open: readonly string[];
		readonly error?: string;
		readonly journal?: string;
	}[];
	readonly usage: Usage & { readonly costUsd: number | null };
	readonly refused: readonly RefusedRow[];
	readonly trustDiff: readonly TrustDiffRow[];
	readonly notes: readonly string[];
	readonly audit: { readonly entries: number; readonly head: string | null };
}

export interface ReportFinding {
	readonly id: string;
	readonly fingerprint: string;
	readonly path: string;
	readonly side: Side;
	readonly startLine: number;
	readonly endLine: number;
	readonly tier: FindingTier;
	readonly severity: Severity;
	readonly category: Category;
	readonly title: string;
	readonly body: string;
	readonly suggestion?: string;
	readonly confidence: number;
	readonly evidence: Evidence;
	readonly sources: readonly string[];
	readonly state: "new" | "open" | "fixed";
}
