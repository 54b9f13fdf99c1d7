import type { SubagentReport } from "./child-run.ts";
import type { Sha } from "./ids.ts";
import type { ModelFailure } from "./model-message.ts";
import type { PublishedAgent } from "./review-state.ts";
import type { Degradation } from "./synthesis.ts";
import type { Usage } from "./usage.ts";
import type { Verification } from "./verification.ts";

/*
 * One review over several jobs (X-05, DESIGN.md 12). A job that works leaves an outbox: one folder with two JSON files.
 * A job that publishes takes them, and believes nothing in them that it can find out for itself.
 */

export const OUTBOX_VERSION = 1;
/** Says whose it is and what lies beside it. */
export const OUTBOX_FILE = "outbox.json";
/** What the children have reported. */
export const OUTBOX_REPORTS = "reports.json";
/** Names of artifacts that hold one outbox each start with it. */
export const OUTBOX_ARTIFACT = "rookery-outbox-";

/** The children of one job, with its share of the run's budget. */
export interface Shard {
	/** From 1. */
	readonly number: number;
	/** Places in the plan's list of assignments, from 0, ascending. */
	readonly assignments: readonly number[];
	readonly tokens: number;
	readonly usd: number;
}

/** What the planning job tells the others: commits, who runs what, and a digest by which each finds the same plan again. */
export interface ShardedPlan {
	readonly version: typeof OUTBOX_VERSION;
	readonly run: string;
	readonly pullRequest: number;
	readonly base: Sha;
	readonly head: Sha;
	readonly mergeBase: Sha;
	/** SHA-256 over who reads what (`digestPlan`). */
	readonly digest: string;
	/** Whether hooks can be run; without, children that have some are left out of the plan. */
	readonly hooks: boolean;
	readonly shards: readonly Shard[];
	/** Files that an earlier round has read; absent when they are too many to be handed on. */
	readonly carried?: readonly string[];
}

/** `outbox.json`: whose work it is, on what, and the hashes of the rest. */
export interface OutboxHead {
	readonly version: typeof OUTBOX_VERSION;
	readonly run: string;
	readonly attempt: number;
	/** `owner/name`, as the runner names it. */
	readonly repository: string;
	readonly pullRequest: number;
	/** `owner/name` of the head; null for a fork that is gone. */
	readonly headRepository: string | null;
	readonly base: Sha;
	readonly head: Sha;
	readonly mergeBase: Sha;
	readonly shard: { readonly number: number; readonly of: number };
	/** `digestPlan` of the plan that was worked on. */
	readonly plan: string;
	readonly hooks: boolean;
	/** Version of the action. */
	readonly action: string;
	readonly provider: string;
	/** Milliseconds since the epoch. */
	readonly startedAt: number;
	readonly endedAt: number;
	/** Where the audit of this job ended. */
	readonly audit: { readonly entries: number; readonly head: string | null };
	/** Remarks for the summary that only this job could make. */
	readonly notes: readonly string[];
	/** Its children with the hashes of their journals. */
	readonly agents: readonly PublishedAgent[];
	/** SHA-256 and size of each file beside this one. */
	readonly files: Readonly<Record<string, { readonly sha256: string; readonly bytes: number }>>;
}

/** `reports.json`. */
export interface OutboxReports {
	/** In the order of the shard's assignments. */
	readonly reports: readonly SubagentReport[];
	readonly verification: Verification;
	/** How far the job went down because the provider was away. */
	readonly degradation?: Degradation;
	readonly totals: { readonly usage: Usage; readonly costUsd: number | null; readonly estimated: boolean };
	readonly fatal?: ModelFailure;
	readonly exhaustive: boolean;
}

/** An outbox whose form and hashes are right. */
export interface Outbox {
	/** Artifact or folder it came from, for messages. */
	readonly source: string;
	/** Of `outbox.json`. */
	readonly sha256: string;
	readonly head: OutboxHead;
	readonly reports: OutboxReports;
}

/** An outbox as it was found, before anything of it is believed. */
export interface RawOutbox {
	readonly source: string;
	readonly head: Buffer;
	readonly reports: Buffer;
}
