import type { BudgetUse } from "../domain/budget.ts";
import type { ReasonCode } from "../domain/errors.ts";
import type { ChildReport } from "../domain/finding.ts";
import type { Effort, ModelFailure, ModelMessage } from "../domain/model-message.ts";
import type { Usage } from "../domain/usage.ts";
import type { Clock, Journal, ModelClient, ToolEffect, ToolWorker } from "../seams.ts";
import type { Inbox } from "./inbox.ts";
import type { Ledger } from "./ledger.ts";
import type { RequestPrefix } from "./request-layout.ts";
import type { RunBudget } from "./run-budget.ts";

/** Who a child is within its run. */
export interface ChildIdentity {
	/** `moe-go-1`: unique in the run, safe as a file name (S-075). */
	readonly session: string;
	/** `agent_1`: what model and person use (S-156). */
	readonly agentId: string;
	/** Address for messages, when the caller gave one. */
	readonly name: string | null;
	/** Session of the caller; null for a child of the pipeline. */
	readonly parent: string | null;
	/** The very tool call that started it (S-146). */
	readonly parentCall: string | null;
	/** 0 for a primary, 1 for its children. */
	readonly depth: number;
}

/** A call that is about to run, its input already parsed. */
export interface GatedCall {
	readonly id: string;
	readonly tool: string;
	readonly effect: ToolEffect;
	readonly input: unknown;
}

/** Policy and hooks in one answer. A gate that throws counts as a denial. */
export type GateDecision =
	| { readonly allow: true }
	| { readonly allow: false; readonly code: ReasonCode; readonly by: string; readonly reason: string };
export type Gate = (call: GatedCall) => Promise<GateDecision>;

/** Records a call that was refused before the gate was asked: an unknown tool, input that does not fit, no room (S-031, S-120). */
export type RecordRefusal = (
	call: Omit<GatedCall, "effect">,
	denial: { readonly code?: ReasonCode; readonly by: string; readonly reason: string },
) => Promise<void>;

/** Progress for the job log: "step N · tool argument" (S-034). */
export type ChildProgress =
	| { readonly kind: "step"; readonly session: string; readonly step: number }
	| { readonly kind: "tool"; readonly session: string; readonly step: number; readonly tool: string; readonly argument: string };

/** Earlier messages of a session that is continued, and the message that continues it (S-161). */
export interface ResumedHistory {
	readonly messages: readonly ModelMessage[];
	readonly message: string;
	/** 2 for the first continuation. */
	readonly run: number;
}

/** Everything a child needs from outside. It owns none of it: who opened it disposes it. */
export interface ChildEnvironment extends ChildIdentity {
	readonly model: ModelClient;
	/** The full id that is asked for. */
	readonly modelId: string;
	readonly effort: Effort;
	readonly tools: ToolWorker;
	/** This child's own journal; closed by `runChild`. */
	readonly journal: Journal;
	readonly clock: Clock;
	readonly budget: RunBudget;
	/**
	 * `final` where `budget` is this agent's own share: its floor is kept from the children it starts, not from itself.
	 * Otherwise `child`, which never reaches into a floor (S-088).
	 */
	readonly budgetUse?: BudgetUse;
	readonly ledger: Ledger;
	readonly brief: RequestPrefix;
	readonly signal: AbortSignal;
	readonly base: string;
	readonly head: string;
	readonly policyHash?: string;
	/** US dollars of one request; null for a model without a price (S-106). */
	price(model: string, usage: Usage): number | null;
	redact(text: string): string;
	gate?: Gate;
	recordRefusal?: RecordRefusal;
	/**
	 * Asked when there is a final answer: a text goes back to the child as its next message and the work goes on (S-176).
	 * What it throws is not asked again: the answer counts.
	 */
	beforeEnd?(answer: { readonly text: string; readonly asked: number }): Promise<string | undefined>;
	events?(progress: ChildProgress): void;
	/** Credit, authentication, permission: nobody else can do better, so the run stops (BR-76). */
	onFatal?(failure: ModelFailure): void;
	/** The report in a text that should have been a `submit_report` call; undefined when there is none in it. */
	parseReportText?(text: string): ChildReport | undefined;
	/** Messages and notifications for this child, and the children it started. */
	readonly inbox?: Inbox;
	readonly resumed?: ResumedHistory;
	/** Files whose content stands in the brief; they count as read. */
	readonly briefFiles?: readonly string[];
	/** Prompt and output together, in tokens; from the model table unless given. */
	readonly contextWindow?: number;
	/** Output limit of a step and of the wrap-up, in tokens. */
	readonly outputTokens?: { readonly step?: number; readonly wrapUp?: number };
	/** Longest tool result that goes to the model, in characters. */
	readonly toolResultChars?: number;
}
