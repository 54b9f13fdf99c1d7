import type { ChildStatus, ChildStopReason } from "./child-run.ts";
import type { ModelMessage } from "./model-message.ts";
import type { Usage } from "./usage.ts";

export const JOURNAL_VERSION = 1;

/** Common head of each line: schema version, gapless sequence number from 1, server-independent time (ISO 8601). */
export interface JournalHead {
	readonly v: typeof JOURNAL_VERSION;
	readonly seq: number;
	readonly at: string;
}

/** What a child's or a run's journal holds; append-only, one JSON object a line (S-126 to S-134). */
export type JournalEvent =
	| {
			readonly type: "session.started";
			readonly session: string;
			readonly parent: string | null;
			readonly parentCall: string | null;
			readonly agent: string;
			readonly agentId: string;
			readonly name: string | null;
			readonly depth: number;
			readonly base: string;
			readonly head: string;
			readonly definitionHash: string | null;
			readonly policyHash: string | null;
	  }
	| { readonly type: "run.started"; readonly run: number; readonly model: string; readonly task: string; readonly files: readonly string[] }
	| { readonly type: "message"; readonly role: "user" | "assistant"; readonly message: ModelMessage; readonly notification?: true }
	| {
			readonly type: "model.call";
			readonly step: number;
			readonly model: string;
			readonly usage: Usage;
			readonly stop: string;
			readonly durationMs: number;
			readonly attempts: number;
			readonly failure?: string;
			readonly purpose: "step" | "wrap-up" | "compaction" | "warm-up" | "prose";
	  }
	| { readonly type: "tool.call"; readonly call: string; readonly tool: string; readonly input: unknown }
	| {
			readonly type: "tool.result";
			readonly call: string;
			readonly tool: string;
			readonly isError: boolean;
			readonly code?: string;
			readonly chars: number;
			readonly durationMs: number;
	  }
	| {
			readonly type: "permission.denied";
			readonly call: string;
			readonly tool: string;
			readonly code: string;
			readonly by: string;
			readonly reason: string;
	  }
	| { readonly type: "todo.updated"; readonly items: readonly unknown[] }
	| { readonly type: "agent.warning"; readonly call: string | null; readonly agent: string; readonly message: string }
	| {
			readonly type: "agent.started";
			readonly call: string | null;
			readonly agent: string;
			readonly agentId: string;
			readonly session: string;
			readonly model: string;
			readonly background: boolean;
			readonly description: string;
			readonly resumed?: true;
			readonly worktree?: string;
			readonly branch?: string;
	  }
	| {
			readonly type: "agent.finished";
			readonly call: string | null;
			readonly agent: string;
			readonly agentId: string;
			readonly session: string;
			readonly status: ChildStatus;
			readonly stopReason: ChildStopReason;
			readonly report: unknown;
			readonly worktreeKept?: boolean;
	  }
	| {
			readonly type: "child_debit";
			readonly session: string;
			readonly charge: number;
			readonly usage: Usage;
			readonly costUsd: number | null;
			readonly estimated: boolean;
	  }
	| { readonly type: "note"; readonly text: string }
	| { readonly type: "run.data"; readonly name: string; readonly data: unknown }
	| {
			readonly type: "end";
			readonly status: ChildStatus;
			readonly stopReason: ChildStopReason;
			readonly steps: number;
			readonly usage: Usage;
	  };

export type JournalEntry = JournalHead & JournalEvent;
