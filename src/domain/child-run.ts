import type { AgentDefinition, AgentKind } from "./agent.ts";
import type { ChildReport } from "./finding.ts";
import type { Usage } from "./usage.ts";

/** How a run ended (D-40). */
export type ChildStatus = "completed" | "partial" | "failed" | "cancelled" | "refused" | "skipped";

export type ChildStopReason =
	| "done"
	| "max_steps"
	| "token_budget"
	| "timeout"
	| "repeated_calls"
	| "context_overflow"
	| "wrap_up"
	| "no_wrap_up"
	| "error"
	| "interrupted"
	| "cancelled";

/** Limits of one child; each is the minimum of agent, settings, input and policy (S-045). */
export interface ChildLimits {
	/** Model calls before wrap-up; 1 to 200. */
	readonly maxSteps: number;
	/** Cumulative tokens: input + cache + output (D-10). */
	readonly tokenBudget: number;
	readonly timeoutMs: number;
	/** Characters of the final answer (S-086). */
	readonly answerChars: number;
}

/** One file of an assignment, with what the child is meant to read of it. */
export interface AssignedFile {
	readonly path: string;
	readonly additions: number;
	readonly deletions: number;
}

/** Agent plus files plus budget share: the unit that becomes one child. */
export interface Assignment {
	readonly agent: AgentDefinition;
	readonly files: readonly AssignedFile[];
	/** The bounded, self-contained objective (S-058). */
	readonly task: string;
	readonly limits: ChildLimits;
	/** Why this agent got these files; shown in the plan and the report (S-017). */
	readonly reason: string;
	/** read: no write tools and a shared tree; write: its own worktree. */
	readonly access: "read" | "write";
	/** The command that tests this language here, when known (D-08). */
	readonly testCommand?: string;
	/** Shown before the child starts: large skills, a wish for a model that was not met. */
	readonly warnings?: readonly string[];
}

/** What one child leaves behind; also when it failed (S-096, S-098). */
export interface SubagentReport {
	readonly agent: string;
	/** What people read where the agent's name is an id: `TypeScript` for `typescript`. */
	readonly displayName?: string;
	readonly kind: AgentKind;
	/** `moe-go-1`, `agent-reviewer-2`, `explore-1`: unique in the run, safe as a file name (S-075). */
	readonly session: string;
	/** The model that really answered; the wanted one when none did (S-132). */
	readonly model: string;
	readonly status: ChildStatus;
	readonly stopReason: ChildStopReason;
	readonly report: ChildReport;
	/** The last useful text, or the note that says why there is none; always set (S-080, S-087). */
	readonly text: string;
	readonly steps: number;
	readonly toolUses: number;
	readonly usage: Usage;
	/** Tokens of the last model call's context: input + cache + output (S-105). */
	readonly contextTokens: number;
	/** Null when the model has no price in the table (S-106). */
	readonly costUsd: number | null;
	readonly durationMs: number;
	/** Milliseconds since the epoch; absent for a child that never began. */
	readonly startedAt?: number;
	/** Path of the journal file. */
	readonly journal?: string;
	readonly files: readonly string[];
	/** Files of which the child read content through a tool or its brief. */
	readonly filesRead: readonly string[];
	readonly reason: string;
	readonly error?: string;
	/** It failed because the provider was not available: overloaded, limiting the rate, failing or out of reach. */
	readonly outage?: true;
	/**
	 * What is left of the child's own tree: `path` is the patch file, or the tree itself where git failed, and then
	 * `reason` says why (S-193, S-195).
	 */
	readonly worktree?: { readonly path: string; readonly branch?: string; readonly kept: boolean; readonly reason?: string };
	/** Tool calls that were refused, by reason code. */
	readonly refused: readonly { readonly code: string; readonly text: string }[];
}
