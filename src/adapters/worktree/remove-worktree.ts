import { lstat, readdir, readFile, rm } from "node:fs/promises";
import path from "node:path";
import { errorText } from "../../domain/errors.ts";
import type { Git } from "../git/create-git.ts";

/** A worktree as the common git directory knows it. */
export interface Registration {
	readonly worktree: string;
	/** Why it is locked; undefined when it is not. */
	readonly locked: string | undefined;
}

/**
 * Takes one worktree away, its registration and its files, by its exact path. Something already gone is success
 * (BR-48). Gives back undefined, or why something is left.
 */
export async function removeWorktree(git: Git, commonDirectory: string, worktree: string): Promise<string | undefined> {
	const first = await unregister(git, worktree);
	if (first === undefined) return undefined;
	// Half-made or half-removed: its own files first, then git forgets a worktree that is missing.
	try {
		await rm(worktree, { recursive: true, force: true, maxRetries: 2 });
	} catch (error) {
		return `worktree ${worktree} stays: ${errorText(error)}`;
	}
	const registered = (await readRegistrations(commonDirectory)).some((entry) => entry.worktree === worktree);
	const second = registered ? await unregister(git, worktree) : undefined;
	return second === undefined ? undefined : `worktree ${worktree} stays registered: ${second}`;
}

/** Read from the files of the git directory: asking git would cost every start a process. */
export async function readRegistrations(commonDirectory: string): Promise<Registration[]> {
	const folder = path.join(commonDirectory, "worktrees");
	const names = await readdir(folder).catch(() => []);
	const found = await Promise.all(
		names.map(async (name) => {
			const gitFile = await readFile(path.join(folder, name, "gitdir"), "utf8").catch(() => undefined);
			const locked = await readFile(path.join(folder, name, "locked"), "utf8").catch(() => undefined);
			return gitFile === undefined ? undefined : { worktree: path.dirname(gitFile.trimEnd()), locked };
		}),
	);
	return found.filter((entry) => entry !== undefined);
}

/** True when there is a folder, file or link of that name. */
export async function isPresent(place: string): Promise<boolean> {
	return (await lstat(place).catch(() => undefined)) !== undefined;
}

/** Twice `--force`: for changed files and for our own lock. */
async function unregister(git: Git, worktree: string): Promise<string | undefined> {
	try {
		await git.porcelain(["worktree", "remove", "--force", "--force", worktree]);
		return (await isPresent(worktree)) ? "its folder is still there" : undefined;
	} catch (error) {
		return errorText(error).trim();
	}
}
