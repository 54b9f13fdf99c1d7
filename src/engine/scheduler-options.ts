import type { Assignment, SubagentReport } from "../domain/child-run.ts";
import type { JournalEntry } from "../domain/journal-entry.ts";
import type { Clock, Journal, JournalStore } from "../seams.ts";
import type { ChildEnvironment, ChildIdentity } from "./child-environment.ts";
import type { InboxControl } from "./inbox.ts";
import type { Ledger } from "./ledger.ts";
import type { Registry } from "./registry.ts";
import type { RunBudget } from "./run-budget.ts";
import type { TreeLock } from "./tree-lock.ts";

/** A child that somebody wants. */
export interface ChildRequest {
	readonly assignment: Assignment;
	/** Address for messages. */
	readonly name?: string;
	/** Short label; the agent's name when there is none (S-141). */
	readonly description?: string;
	/** The tool call it comes from. */
	readonly callId?: string;
	/** Shown before the child starts (S-133). */
	readonly warnings?: readonly string[];
	/** Writes in a tree that others use as well: runs alone among the children of its caller. */
	readonly alone?: boolean;
}

/** Who wants it: the pipeline, a primary, or a child one level up. */
export interface Caller {
	readonly agentId: string | null;
	readonly session: string | null;
	readonly depth: number;
	readonly budget: RunBudget;
	readonly inbox: InboxControl;
	readonly lock: TreeLock;
}

/** What one child needs of its own: opened when its turn comes, closed after its end record. */
export interface ChildResources
	extends Pick<
		ChildEnvironment,
		| "model"
		| "modelId"
		| "effort"
		| "tools"
		| "brief"
		| "gate"
		| "recordRefusal"
		| "beforeEnd"
		| "policyHash"
		| "briefFiles"
		| "contextWindow"
		| "outputTokens"
		| "toolResultChars"
	> {
	readonly worktree?: { readonly path: string; readonly branch?: string };
	/** Ends this child and no other: a hook asked for it, its tree could not be made. */
	readonly signal?: AbortSignal;
	/** Text in front of the task: what a hook adds (S-175). Ignored for a continued child. */
	readonly preface?: string;
	/** Given the child's own journal before it starts. */
	useJournal?(journal: Journal): void;
	/** Says what became of the worktree. */
	close(report: SubagentReport): Promise<SubagentReport["worktree"]>;
}

export interface SchedulerOptions {
	readonly base: string;
	readonly head: string;
	/** The run's own journal: starts, ends, warnings and debits. */
	readonly journal: Journal;
	readonly journals: JournalStore;
	readonly clock: Clock;
	readonly budget: RunBudget;
	readonly ledger: Ledger;
	readonly registry: Registry;
	/** Children that run at the same time, of every depth (S-147). */
	readonly maxConcurrent: number;
	/** Cancels everything (S-169). */
	readonly signal: AbortSignal;
	readonly price: ChildEnvironment["price"];
	readonly redact: ChildEnvironment["redact"];
	readonly events?: ChildEnvironment["events"];
	readonly parseReportText?: ChildEnvironment["parseReportText"];
	/**
	 * Opens worktree, tools and model for a child; `self` is the child as a caller, for its own tools that delegate.
	 * What it throws makes that child fail, and no other (S-093).
	 */
	open(request: ChildRequest, identity: ChildIdentity, self: Caller, resumed?: boolean): Promise<ChildResources>;
	/** Refusals before anything starts, in their order: isolation, skills (S-137). Undefined lets the call through. */
	refuse?(request: ChildRequest): string | undefined;
	/** The records of a session of this run, for a continuation. */
	readEntries?(session: string): Promise<readonly JournalEntry[]>;
}

/** How a child is spoken of where it has no description. */
export function describeRequest(request: ChildRequest): string {
	return request.description ?? request.assignment.agent.name;
}
