import type { ReasonCode } from "./errors.ts";
import type { Sha } from "./ids.ts";
import type { PatchProblem, PatchRisk, Proof } from "./patch.ts";
import type { PreviousFinding } from "./synthesis.ts";

/** What `/fix` was asked for: findings of the last review, words of a person, or both. */
export interface FixWish {
	readonly findings: readonly PreviousFinding[];
	/** Empty when findings were named. */
	readonly instruction: string;
	/** A branch and a pull request of our own, also where the pull request's branch could be pushed to. */
	readonly ownBranch: boolean;
}

/** What became of one finding. `by`: `suggestion`, or the session of the child. */
export interface FixedFinding {
	readonly finding: PreviousFinding;
	readonly state: "fixed" | "left";
	readonly by?: string;
	/** What was done, or why it was not; text of a model is not cleaned yet. */
	readonly note: string;
}

/** The review of the new head, or why there was none. */
export type FixReview =
	| { readonly kind: "reviewed"; readonly sentence: string; readonly url: string; readonly costUsd: number | null }
	| { readonly kind: "none"; readonly reason: string };

/**
 * How a fix ended. pushed: on the pull request's branch. proposed: on a branch of our own, with a pull request where one
 * could be opened. held: there is a patch, and it is for a person. nothing: there is none.
 */
export interface FixReport {
	readonly state: "pushed" | "proposed" | "held" | "nothing";
	/** The commit that it was made for. */
	readonly head: Sha;
	readonly findings: readonly FixedFinding[];
	/** Why it was held, or why there is nothing. */
	readonly reason?: string;
	readonly code?: ReasonCode;
	readonly problems: readonly PatchProblem[];
	/** What a person should look at in it. */
	readonly risks?: readonly PatchRisk[];
	readonly files: readonly { readonly path: string; readonly additions: number; readonly deletions: number }[];
	readonly proof?: Proof;
	readonly branch?: string;
	readonly commit?: Sha;
	readonly signed?: boolean;
	readonly pullRequest?: string;
	/** The patch without secrets, for a reply; absent when it is pushed. */
	readonly patch?: string;
	readonly review?: FixReview;
	/** What else has to be known. */
	readonly notes: readonly string[];
	/** US dollars of the children; null when a model has no known price. */
	readonly costUsd: number | null;
}
