import type { ModelReply, ModelRequest } from "../domain/model-message.ts";
import type { Usage } from "../domain/usage.ts";

/* Who answers, and who delegates. */

/** A model provider, the offline analyst or a replay. */
export interface ModelClient {
	/** `anthropic`, `offline`, `replay`, …: shown in the report. */
	readonly provider: string;
	/**
	 * One finished model call. Never rejects for a provider failure: the reply's stop says `error` or
	 * `aborted`, `failure` says why, and `usage` holds what was billed all the same.
	 */
	complete(request: ModelRequest, signal: AbortSignal): Promise<ModelReply>;
}

/** What somebody wants done by an agent: one bounded, self-contained objective (S-051, S-058). */
export interface DelegateRequest {
	readonly objective: string;
	/** The profile to use; the runner chooses when absent. */
	readonly agent?: string;
	/** What the agent must know and cannot find out for itself. */
	readonly context?: string;
}

/** `ok` and `report` are all a runner must give; the rest is for those that know more. */
export interface DelegateResult {
	/** True when the objective is met (D-43). */
	readonly ok: boolean;
	readonly report: string;
	/** The profile that really ran. */
	readonly agent?: string;
	readonly usage?: Usage;
	/** Null when the model has no known price. */
	readonly costUsd?: number | null;
	/** Paths of files that were left behind: journal, patch. */
	readonly artifacts?: readonly string[];
}

/** The public seam for delegation: whoever has one can carry out the `task` tool (S-051, DESIGN.md 5). */
export interface DelegateRunner {
	/** Names for the tool's description (S-054). */
	listAgents?(): readonly string[] | Promise<readonly string[]>;
	/** May reject; the tool turns that into a result. The signal means: stop now (S-055). */
	run(request: DelegateRequest, signal?: AbortSignal): Promise<DelegateResult>;
}
