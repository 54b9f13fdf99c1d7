import type { LanguageChecks } from "./checks.ts";
import type { ChangedFile } from "./change-set.ts";
import type { ReasonCode } from "./errors.ts";
import { isAcceptableRef } from "./git-ref.ts";
import type { Sha } from "./ids.ts";

/*
 * Work that wants to leave a child's tree as a commit (DESIGN.md 11): what it changes, what was said against it, and
 * what shows that it is sound.
 */

/** A commit's files with a patch applied. It exists as objects only: no checkout, index or ref holds it. */
export interface PatchedTree {
	/** Commit that the patch was applied to. */
	readonly base: Sha;
	readonly tree: Sha;
	/** The explicit list of what a commit of this tree changes; never empty. */
	readonly files: readonly ChangedFile[];
}

/** One reason why a patch is held back; the patch itself is kept as an artifact all the same. */
export interface PatchProblem {
	readonly code: ReasonCode;
	readonly path?: string;
	/** One line for people; names the path and what is wanted, never a secret. */
	readonly text: string;
}

/** Something in a patch that a person should look at; it holds nothing back by itself. */
export interface PatchRisk {
	readonly path: string;
	/** One line for people. */
	readonly text: string;
	/** It takes from what the proof rests on: tests, checks, what they are run by. */
	readonly weakens: boolean;
}

/** How much a patch may change (PEERS.md 4.3). */
export interface PatchLimits {
	readonly maxFiles: number;
	/** Added and deleted lines together. */
	readonly maxLines: number;
}

export const DEFAULT_PATCH_LIMITS: PatchLimits = { maxFiles: 20, maxLines: 800 };

/**
 * What the checks before and after a patch say. `proved`: something ran and passed. `red`: a test, or a check
 * that was green, fails with the patch. `unproved`: no check could say anything, for the reason given.
 */
export interface Proof {
	readonly verdict: "proved" | "red" | "unproved";
	/** One sentence. */
	readonly sentence: string;
	readonly before: readonly LanguageChecks[];
	readonly after: readonly LanguageChecks[];
}

/** Who a commit is by. */
export interface CommitIdentity {
	readonly name: string;
	readonly email: string;
}

/** One commit and the branch that it is to become the end of. */
export interface CommitRequest {
	/** Without `refs/heads/`. */
	readonly branch: string;
	/** Where the branch must be for the push to go through, or null for a branch that must not be there yet. */
	readonly expected: Sha | null;
	/** The first one is what the files are compared with. `expected` is one of them, so that a push only ever goes forward. */
	readonly parents: readonly [Sha, ...Sha[]];
	readonly change: PatchedTree;
	readonly message: string;
	/** For commits that git makes; commits made through the API are the token's own and signed by GitHub. */
	readonly author: CommitIdentity;
}

/**
 * How a push ended. stale: the branch is not where it was expected (A09, R32). protected: a rule of the repository
 * forbids it, for good (BR-51). workflow: the token may not change workflow files (BR-50). taken: the name of the new
 * branch is in use, or is a folder of other branches (BR-49). uncertain: no answer came.
 */
export type PushOutcome =
	| { readonly ok: true; readonly commit: Sha /** GitHub shows the commit as verified. */; readonly signed: boolean }
	| {
			readonly ok: false;
			readonly reason: "stale" | "protected" | "workflow" | "not-permitted" | "taken" | "refused" | "uncertain";
			readonly message: string;
	  };

/** A push that could take something away is misuse: the branch's present end is always a parent of what is pushed. */
export function requireForward({ expected, parents, branch }: Pick<CommitRequest, "expected" | "parents" | "branch">): void {
	if (branch.startsWith("-") || !isAcceptableRef(`refs/heads/${branch}`)) throw new Error(`not a branch: ${JSON.stringify(branch)}`);
	if (expected !== null && !parents.includes(expected)) {
		throw new Error(`a push to ${branch} must go on from where it is (${expected}), not from ${parents.join(", ")}`);
	}
}
