import type { ChangedFile, FilePatch } from "../domain/change-set.ts";
import type { Sha } from "../domain/ids.ts";
import type { CommitRequest, PatchedTree, PushOutcome } from "../domain/patch.ts";

/* The repository: its history, its trees, its commits. */

/** The files of a commit, of this repository or another one. */
export interface CommitReader {
	/** Text of a file at a commit; undefined when it does not exist there. Rejects when the objects cannot be read (BR-12). */
	readFile(commit: Sha, path: string): Promise<Buffer | undefined>;
	/** Paths below a prefix at a commit, in byte order, with mode and blob id. Never follows links. */
	listFiles(commit: Sha, prefix?: string): Promise<readonly { readonly path: string; readonly mode: string; readonly blob: Sha }[]>;
}

/** The repository's objects, read through git and never through a checkout. */
export interface RepositoryReader extends CommitReader {
	/** Patches of the given files, in the order given. */
	patches(mergeBase: Sha, head: Sha, files: readonly ChangedFile[]): Promise<readonly FilePatch[]>;
	/** Paths that each of the last commits up to this one changed, newest first, merges left out; what a shallow clone has. */
	changedTogether?(commit: Sha): Promise<readonly (readonly string[])[]>;
}

/** How an attempt to get more history from the remote ended. Failure is an answer: the caller has another way. */
export type FetchOutcome = { readonly ok: true } | { readonly ok: false; readonly reason: string };

/** The commits of the repository, and the remote that can complete them. Rejects only when git itself fails. */
export interface GitHistory {
	commitExists(commit: Sha): Promise<boolean>;
	/** Full id of the commit that a branch, `origin/branch`, tag, `HEAD` or id names here; undefined when nothing does. */
	resolve(revision: string): Promise<Sha | undefined>;
	/** Best common ancestor among the commits that are here; null when there is none. */
	mergeBase(first: Sha, second: Sha): Promise<Sha | null>;
	isShallow(): Promise<boolean>;
	/** Gets the head of a pull request by its own ref, which exists for forks too, and checks that the wanted commit came (BR-33). */
	fetchPullHead(number: number, expected: Sha): Promise<FetchOutcome>;
	fetchCommit(commit: Sha): Promise<FetchOutcome>;
	/** Moves the border of a shallow clone this many commits further back behind the given commits. */
	deepen(tips: readonly Sha[], by: number): Promise<FetchOutcome>;
	unshallow(tips: readonly Sha[]): Promise<FetchOutcome>;
	/** Files of the working tree that differ from its commit, new ones included; 0 without a working tree. */
	countUncommitted(): Promise<number>;
}

/** One working copy of the head; disposed by scope. */
export interface Workspace {
	/** Absolute path at which tools work. */
	readonly root: string;
	readonly head: Sha;
	/** shared: read by several children at once; own: one writer. */
	readonly kind: "shared" | "own";
	/** The folder of the tree that stands for the folder of the run: `root` and the working directory's path (S-188). */
	readonly folder?: string;
	/** Where git keeps this tree, for read-only views of the history. */
	readonly git?: { readonly gitDirectory: string; readonly commonDirectory: string };
	/**
	 * What differs from `head` in an own tree, new files included; undefined for a clean one. Copied and linked files do
	 * not count. Rejects with what git said, and with `E_WORKTREE` when the tree's git file was replaced (A41).
	 */
	readChanges?(): Promise<WorkspaceChanges | undefined>;
	/** Unlocks an own tree and leaves it in place; disposing it then removes nothing (S-195). */
	keep?(): Promise<void>;
	[Symbol.asyncDispose](): Promise<void>;
}

/** Work that a child leaves behind, as `git apply` takes it (S-193). */
export interface WorkspaceChanges {
	readonly files: readonly string[];
	readonly patch: Buffer;
	/** True when the tree's HEAD is not `head` any more. */
	readonly moved: boolean;
}

/** Makes workspaces outside the checkout. Rejects with a UserError (`E_WORKTREE`) that says what to do. */
export interface WorkspaceProvider {
	open(options: {
		readonly kind: "shared" | "own";
		readonly session: string;
		/** Earlier work of this session, to go on from (S-196); only for an own tree. */
		readonly patch?: Buffer;
	}): Promise<Workspace>;
}

/** Applies patches to commits in the object store alone. */
export interface PatchTrees {
	/**
	 * The tree of a commit with a patch applied. A patch that does not fit is an answer; `empty` is one that changes
	 * nothing (BR-52). Rejects only when git itself fails.
	 */
	apply(
		base: Sha,
		patch: Buffer,
	): Promise<
		| { readonly kind: "applied"; readonly change: PatchedTree }
		| { readonly kind: "empty" }
		| { readonly kind: "misfit"; readonly reason: string }
	>;
	/**
	 * Several patches for the same commit as one, applied in their order; those that do not fit behind the earlier ones are
	 * named and left out. An empty buffer when nothing is left.
	 */
	combine(
		base: Sha,
		patches: readonly Buffer[],
	): Promise<{ readonly patch: Buffer; readonly misfits: readonly { readonly index: number; readonly reason: string }[] }>;
	/** The patch that gives files of a commit another content; modes stay. Rejects for what is no plain file there. */
	edit(base: Sha, files: readonly { readonly path: string; readonly content: Buffer }[]): Promise<Buffer>;
	/** Bytes of a blob; undefined when it is not there. */
	readBlob(blob: Sha): Promise<Buffer | undefined>;
}

/**
 * Makes one commit and moves one branch to it, never by force and never without knowing where the branch was. Every
 * no of the other side is an answer; it rejects only when git cannot be started.
 */
export interface CommitPusher {
	/** `git`, `ssh` or `api`, for the report. */
	readonly way: "git" | "ssh" | "api";
	push(request: CommitRequest): Promise<PushOutcome>;
	/** Where a branch is now; null for none. Rejects when that cannot be told. */
	readBranch(branch: string): Promise<Sha | null>;
}
