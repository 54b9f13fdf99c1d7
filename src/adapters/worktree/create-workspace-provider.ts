import path from "node:path";
import pLimit from "p-limit";
import { errorText, UserError } from "../../domain/errors.ts";
import { isSha, type Sha } from "../../domain/ids.ts";
import type { Clock, Workspace, WorkspaceProvider } from "../../seams.ts";
import type { Repository } from "../git/open-repository.ts";
import { checkOutForReading, checkOutForWriting, readWorktreeGitDirectory } from "./check-out-tree.ts";
import { makePrivateFolder, recordWorktree, removePrivateFolder } from "./private-folder.ts";
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
	let shared: { readonly tree: Promise<string>; users: number } | undefined;

	const openShared = async (session: string): Promise<Workspace> => {
		shared ??= { tree: trees.make("shared", session), users: 0 };
		const joined = shared;
		joined.users++;
		const leave = async (): Promise<void> => {
			if (--joined.users > 0) return;
			if (shared === joined) shared = undefined;
			await joined.tree.then(
				(root) => trees.remove(root),
				() => undefined,
			);
		};
		try {
			return describeWorkspace(await joined.tree, "shared", options.head, leave);
		} catch (error) {
			await leave();
			throw error;
		}
	};

	return {
		open: async ({ kind, session }) => {
			if (kind === "shared") return openShared(session);
			const root = await trees.make("own", session);
			return describeWorkspace(root, "own", options.head, () => trees.remove(root));
		},
		[Symbol.asyncDispose]: () => trees.removeAll(),
	};
}

/** A workspace that can be disposed more than once. */
function describeWorkspace(root: string, kind: Workspace["kind"], head: Sha, remove: () => Promise<void>): Workspace {
	let removed: Promise<void> | undefined;
	return {
		root,
		head,
		kind,
		[Symbol.asyncDispose]: () => {
			removed ??= remove();
			return removed;
		},
	};
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

	async make(kind: Workspace["kind"], session: string): Promise<string> {
		this.#users++;
		const number = ++this.#count;
		try {
			this.#folder ??= this.#makeFolder();
			const folder = await this.#folder;
			const worktree = path.join(folder, `${slug(this.#options.run)}-${slug(session)}-${number}`);
			await this.#limit(() => this.#add(folder, worktree, kind, session));
			return worktree;
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

	async #add(folder: string, worktree: string, kind: Workspace["kind"], session: string): Promise<void> {
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
