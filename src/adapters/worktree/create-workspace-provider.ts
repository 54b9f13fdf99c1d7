import { lstat } from "node:fs/promises";
import path from "node:path";
import pLimit from "p-limit";
import { errorText, UserError } from "../../domain/errors.ts";
import { isSha, type Sha } from "../../domain/ids.ts";
import type { Clock, Workspace, WorkspaceChanges, WorkspaceProvider } from "../../seams.ts";
import type { Git } from "../git/create-git.ts";
import type { Repository } from "../git/open-repository.ts";
import { checkOutForReading, checkOutForWriting, readWorktreeGitDirectory } from "./check-out-tree.ts";
import { copyIncludedFiles, type IncludeOptions } from "./copy-included-files.ts";
import { makePrivateFolder, recordKept, recordWorktree, removePrivateFolder } from "./private-folder.ts";
import { applyChanges, readChanges } from "./read-changes.ts";
import { removeWorktree } from "./remove-worktree.ts";
import { describeOwner, type RunOwner } from "./run-owner.ts";
import { LOCK_REASON, sweepWorktrees } from "./sweep-worktrees.ts";

export interface WorkspaceProviderOptions {
	readonly repository: Repository;
	/** Commit that every tree stands at; a full id, never a name (S-185). */
	readonly head: Sha;
	/** Names the run in folders and locks. */
	readonly run: string;
	/** The runner's folder for temporary files; worktrees lie below it and never in the checkout (S-184). */
	readonly temporaryFolder: string;
	/** Told what could not be cleaned up. It stays in the journal and the next run tries again; no answer fails by it (S-195). */
	readonly onProblem?: (text: string) => void;
	readonly clock?: Pick<Clock, "now">;
	/** `.worktreeinclude` of the trusted ref: files of the checkout that writers get as well (S-186). */
	readonly include?: Pick<IncludeOptions, "patterns" | "refuse">;
}

/** Trees are made this many at a time: more only fight for the disk. */
const AT_ONCE = 2;

/**
 * Worktrees of one commit, in a private folder that exists while any of them does.
 *
 * All readers share one tree, made for the first and removed with the last; each writer gets its own. The checkout's
 * own HEAD, index, refs, stash and files are never touched. The first call sweeps away what dead runs have left.
 */
export function createWorkspaceProvider(options: WorkspaceProviderOptions): WorkspaceProvider & AsyncDisposable {
	if (!isSha(options.head)) throw new Error(`a worktree stands at a full 40-hex commit id, not at ${JSON.stringify(options.head)}`);
	const trees = new TreeFolder(options);
	let shared: { readonly tree: Promise<Tree>; users: number } | undefined;

	const openShared = async (session: string): Promise<Workspace> => {
		shared ??= { tree: trees.make("shared", session), users: 0 };
		const joined = shared;
		joined.users++;
		const leave = async (): Promise<void> => {
			if (--joined.users > 0) return;
			if (shared === joined) shared = undefined;
			await joined.tree.then(
				(tree) => trees.remove(tree.root),
				() => undefined,
			);
		};
		try {
			return await describeWorkspace(options, await joined.tree, "shared", leave);
		} catch (error) {
			await leave();
			throw error;
		}
	};

	return {
		open: async ({ kind, session, patch }) => {
			if (kind === "shared") return openShared(session);
			const tree = await trees.make("own", session, patch);
			let kept = false;
			const workspace = await describeWorkspace(options, tree, "own", async () => (kept ? undefined : trees.remove(tree.root)));
			return {
				...workspace,
				readChanges: () => trees.readChanges(tree),
				keep: async () => {
					kept = true;
					await trees.keep(tree);
				},
			};
		},
		[Symbol.asyncDispose]: () => trees.removeAll(),
	};
}

/** A workspace that can be disposed more than once. */
async function describeWorkspace(
	{ repository, head }: WorkspaceProviderOptions,
	tree: Tree,
	kind: Workspace["kind"],
	remove: () => Promise<void>,
): Promise<Workspace> {
	let removed: Promise<void> | undefined;
	const { root, gitDirectory } = tree;
	const folder = await findFolder(root, repository.prefix);
	return {
		root,
		head,
		kind,
		folder,
		git: { gitDirectory, commonDirectory: repository.commonDirectory },
		[Symbol.asyncDispose]: () => {
			removed ??= remove();
			return removed;
		},
	};
}

/** The same subdirectory in the tree; the top where the head has no such folder, or a link in its place (S-188). */
async function findFolder(root: string, prefix: string): Promise<string> {
	let folder = root;
	for (const part of prefix.split("/").filter((name) => name !== "")) {
		folder = path.join(folder, part);
		if ((await lstat(folder).catch(() => undefined))?.isDirectory() !== true) return root;
	}
	return folder;
}

/** A worktree that stands. */
interface Tree {
	readonly root: string;
	readonly gitDirectory: string;
	readonly git: Git;
	/** Files that were copied in from the checkout. */
	readonly copied: readonly string[];
}

/** The private folder and the worktrees in it. */
class TreeFolder {
	readonly #options: WorkspaceProviderOptions;
	readonly #limit = pLimit(AT_ONCE);
	readonly #present = new Set<string>();
	#folder: Promise<string> | undefined;
	#users = 0;
	#count = 0;
	#owner: Promise<RunOwner> | undefined;

	constructor(options: WorkspaceProviderOptions) {
		this.#options = options;
	}

	async make(kind: Workspace["kind"], session: string, patch?: Buffer): Promise<Tree> {
		this.#users++;
		const number = ++this.#count;
		try {
			this.#folder ??= this.#makeFolder();
			const folder = await this.#folder;
			const worktree = path.join(folder, `${slug(this.#options.run)}-${slug(session)}-${number}`);
			return await this.#limit(() => this.#add(folder, worktree, { kind, session, ...(patch === undefined ? {} : { patch }) }));
		} catch (error) {
			await this.#leaveFolder();
			throw error;
		}
	}

	async remove(worktree: string): Promise<void> {
		if (!this.#present.delete(worktree)) return;
		const { git, commonDirectory } = this.#options.repository;
		const problem = await this.#limit(() => removeWorktree(git, commonDirectory, worktree));
		if (problem !== undefined) this.#options.onProblem?.(problem);
		await this.#leaveFolder();
	}

	async removeAll(): Promise<void> {
		for (const worktree of [...this.#present]) await this.remove(worktree);
	}

	readChanges(tree: Tree): Promise<WorkspaceChanges | undefined> {
		const { repository, head } = this.#options;
		const { root, git, gitDirectory, copied } = tree;
		return readChanges({ git, gitDirectory, commonDirectory: repository.commonDirectory, worktree: root, head, notOurs: copied });
	}

	/** The folder stays as long as a kept tree lies in it; a later run takes both away when they are old. */
	async keep(tree: Tree): Promise<void> {
		if (!this.#present.delete(tree.root)) return;
		const folder = await this.#folder;
		if (folder !== undefined) await recordKept(folder, tree.root);
		await this.#options.repository.git.porcelain(["worktree", "unlock", tree.root]).catch(() => undefined);
	}

	async #add(
		folder: string,
		worktree: string,
		{ kind, session, patch }: { readonly kind: Workspace["kind"]; readonly session: string; readonly patch?: Buffer },
	): Promise<Tree> {
		const { repository, head } = this.#options;
		try {
			await recordWorktree(folder, worktree);
			const owner = await this.#describeOwner();
			const reason = `${LOCK_REASON}${JSON.stringify({ ...owner, session })}`;
			const add = ["worktree", "add", "--no-checkout", "--detach", "--lock", "--reason", reason, worktree, head];
			this.#present.add(worktree);
			await repository.git.porcelain(add);
			const gitDirectory = await readWorktreeGitDirectory(worktree, repository.commonDirectory);
			const git = await repository.git.withWorkTree({ gitDirectory, workTree: worktree, symlinks: kind === "own" });
			await (kind === "own" ? checkOutForWriting(git, head) : checkOutForReading(git, worktree, head));
			if (patch !== undefined) await applyChanges(git, patch);
			return { root: worktree, gitDirectory, git, copied: kind === "own" ? await this.#copyIncluded(worktree) : [] };
		} catch (error) {
			this.#present.delete(worktree);
			await removeWorktree(repository.git, repository.commonDirectory, worktree);
			const said = errorText(error).trim().split("\n").at(-1);
			throw new UserError(`worktree for ${session}: git could not make it (${said}); free disk space, or check out with the full history`, {
				code: "E_WORKTREE",
				cause: error,
			});
		}
	}

	async #copyIncluded(worktree: string): Promise<readonly string[]> {
		const { include, repository, onProblem } = this.#options;
		if (include === undefined || repository.workTree === undefined) return [];
		const { copied, warnings } = await copyIncludedFiles({ ...include, from: repository.workTree, to: worktree });
		for (const warning of warnings) onProblem?.(warning);
		return copied;
	}

	async #makeFolder(): Promise<string> {
		const { repository, temporaryFolder } = this.#options;
		const now = (this.#options.clock ?? Date).now();
		const { git, commonDirectory } = repository;
		for (const problem of await sweepWorktrees({ git, commonDirectory, temporaryFolder, now })) this.#options.onProblem?.(problem);
		const owner = await this.#describeOwner();
		return makePrivateFolder(temporaryFolder, repository.workTree, { owner, commonDirectory });
	}

	#describeOwner(): Promise<RunOwner> {
		this.#owner ??= describeOwner(this.#options.run, (this.#options.clock ?? Date).now());
		return this.#owner;
	}

	/** The folder goes with its last worktree; a later one gets a new folder. */
	async #leaveFolder(): Promise<void> {
		if (--this.#users > 0) return;
		const folder = this.#folder;
		this.#folder = undefined;
		await folder?.then(removePrivateFolder, () => undefined);
	}
}

/** A part of a folder name that is harmless everywhere. */
function slug(text: string): string {
	return (
		text
			.toLowerCase()
			.replace(/[^a-z0-9]+/g, "-")
			.replace(/^-+|-+$/g, "")
			.slice(0, 40) || "x"
	);
}
