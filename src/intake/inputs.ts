import type { Severity } from "../domain/finding.ts";

export const PROVIDERS = ["offline", "anthropic", "bedrock", "vertex", "foundry", "replay"] as const;
export type Provider = (typeof PROVIDERS)[number];

export const RUN_MODES = ["run", "plan", "work", "publish"] as const;
/** run: everything in one process. plan, work, publish: the same pipeline cut at its two seams (DESIGN.md 12). */
export type RunMode = (typeof RUN_MODES)[number];

export const PUBLISH_TARGETS = ["review", "sticky", "check", "summary"] as const;
export type PublishTarget = (typeof PUBLISH_TARGETS)[number];

/** What the workflow's `with:` block asks for, checked. Absent means: settings or defaults decide. */
export interface Inputs {
	readonly githubToken?: string;
	readonly anthropicApiKey?: string;
	/** Resolved: `anthropic` when a key is there, else `offline`. */
	readonly provider: Provider;
	/** False when the workflow left the provider open. */
	readonly providerGiven: boolean;
	readonly baseUrl?: string;
	readonly model?: string;
	readonly mode: RunMode;
	/** Mode plan: how many jobs the children are spread over at most. */
	readonly shards: number;
	/** Mode work: which shard of the plan this job runs, from 1. */
	readonly shard?: number;
	/** Modes work and publish: the planning job's output `plan`, as it is. */
	readonly plan?: string;
	/** Mode publish: folder with outboxes that an earlier step has downloaded. */
	readonly outbox?: string;
	/** Name of a maintenance job. */
	readonly job?: string;
	/** Path of the settings file on the trusted ref. */
	readonly settings: string;
	/** Path of a further policy file. */
	readonly policy?: string;
	readonly publish: ReadonlySet<PublishTarget>;
	readonly failOn?: Severity | "never";
	readonly maxCostUsd?: number;
	/** `owner/name@<full SHA>[:folder]`; parsed where the agents are read. */
	readonly agentsRepo?: string;
	readonly workingDirectory: string;
	readonly dryRun: boolean;
	/** Logins as written; compare with `isSameLogin`. */
	readonly allowedBots: readonly string[];
	/** Also read the runner's own agents. */
	readonly userAgents: boolean;
	/** Install and allow what the sandbox needs on this machine. */
	readonly setupSandbox: boolean;
	/** Private SSH key for signed commits. */
	readonly signingKey?: string;
	/** The stricter of this and the setting `agents.trust` counts. */
	readonly trust?: "base" | "pinned";
	/** Inputs that nobody declared, one line each. */
	readonly warnings: readonly string[];
}
