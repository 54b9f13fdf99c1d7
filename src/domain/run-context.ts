import type { ReasonCode } from "./errors.ts";
import type { Actor, RepositoryRef, Sha } from "./ids.ts";
import type { PullRequestFacts } from "./trigger.ts";

/**
 * What the actor and the origin of the head allow (SECURITY.md 3.6).
 * T0 untrusted: read-only, no commands. T1 trusted: sandboxed commands. T2 maintainer.
 */
export type TrustTier = "T0" | "T1" | "T2";

/** Resolved once at the start; every later stage uses these object ids and never a moving name (BR-20). */
export interface RunContext {
	readonly runId: string;
	readonly attempt: number;
	readonly event: string;
	readonly repository: RepositoryRef;
	readonly actor: Actor;
	readonly tier: TrustTier;
	/** Why the tier is not higher; shown in the report. */
	readonly tierReason: string;
	/** The reason as a code, where one of SECURITY.md 6 fits. */
	readonly tierCode?: ReasonCode;
	/** Commit whose agents, settings and policy count. */
	readonly trusted: Sha;
	readonly base: Sha;
	readonly head: Sha;
	/** Common ancestor of base and head; the diff is merge base to head. */
	readonly mergeBase: Sha;
	readonly pullRequest?: PullRequestFacts;
	/** Remarks for the summary: deepened clone, moved head, hidden text removed and the like. */
	readonly notes: readonly string[];
	/** Where the run's pages are, for links; undefined on the command line. */
	readonly links?: { readonly repository: string; readonly run: string };
}
