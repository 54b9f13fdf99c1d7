import { readdir, realpath } from "node:fs/promises";
import path from "node:path";
import type { Git } from "../git/create-git.ts";
import { FOLDER_PREFIX, readFolderJournal, removePrivateFolder } from "./private-folder.ts";
import { isPresent, readRegistrations, removeWorktree } from "./remove-worktree.ts";
import { isOwnerAlive, parseOwner, type RunOwner } from "./run-owner.ts";

/** A tree that was kept for its work is swept when nobody has come for it in this time (S-187). */
const KEPT_MS = 7 * 24 * 60 * 60 * 1000;

/** Start of the reason that our worktrees are locked with; the owner's record follows. */
export const LOCK_REASON = "rookery ";

export interface SweepOptions {
	readonly git: Git;
	readonly commonDirectory: string;
	/** Folder that runs put their worktrees in. */
	readonly temporaryFolder: string;
	readonly now: number;
}

/**
 * Takes away what runs that died have left of this repository: folders by their journal, registrations by their lock
 * (A54, R37, R40). Nothing of a living run, of another user or of another program is touched, and contents are never
 * used again. Gives back what could not be removed.
 */
export async function sweepWorktrees(options: SweepOptions): Promise<string[]> {
	const problems = [...(await sweepFolders(options)), ...(await sweepRegistrations(options))];
	return problems.filter((problem) => problem !== undefined);
}

async function sweepFolders(options: SweepOptions): Promise<(string | undefined)[]> {
	const parent = await realpath(options.temporaryFolder).catch(() => options.temporaryFolder);
	const names = await readdir(parent).catch(() => []);
	const problems: (string | undefined)[] = [];
	for (const name of names.filter((entry) => entry.startsWith(FOLDER_PREFIX))) {
		const folder = path.join(parent, name);
		const journal = await readFolderJournal(folder);
		if (journal === undefined || (await isOwnerAlive(journal.owner, options.now))) continue;
		// Another repository's leftovers are swept by its own next run, unless the repository itself is gone.
		if (journal.commonDirectory !== options.commonDirectory && (await isPresent(journal.commonDirectory))) continue;
		const isYoung = options.now - journal.owner.at < KEPT_MS;
		for (const worktree of journal.worktrees) {
			if (isYoung && journal.kept.includes(worktree)) continue;
			if (await isPresent(worktree)) problems.push(await removeWorktree(options.git, options.commonDirectory, worktree));
		}
		await removePrivateFolder(folder);
	}
	return problems;
}

async function sweepRegistrations(options: SweepOptions): Promise<(string | undefined)[]> {
	const problems: (string | undefined)[] = [];
	for (const { worktree, locked } of await readRegistrations(options.commonDirectory)) {
		const owner = readOwner(locked);
		const ours = path.basename(path.dirname(worktree)).startsWith(FOLDER_PREFIX);
		if (owner === undefined || !ours || (await isOwnerAlive(owner, options.now))) continue;
		problems.push(await removeWorktree(options.git, options.commonDirectory, worktree));
	}
	return problems;
}

function readOwner(locked: string | undefined): RunOwner | undefined {
	return locked?.startsWith(LOCK_REASON) === true ? parseOwner(locked.slice(LOCK_REASON.length)) : undefined;
}
