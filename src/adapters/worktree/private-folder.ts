import { constants } from "node:fs";
import { appendFile, lstat, mkdtemp, open, readdir, realpath, rmdir, unlink } from "node:fs/promises";
import path from "node:path";
import { errorText, UserError } from "../../domain/errors.ts";
import { parseOwner, type RunOwner } from "./run-owner.ts";

/** Start of the names of folders that hold a run's worktrees. */
export const FOLDER_PREFIX = "rookery-worktrees-";
const JOURNAL = "journal.jsonl";

/** What a folder's journal says: who made it, for which repository, and which worktrees lie in it. */
export interface FolderJournal {
	readonly owner: RunOwner;
	/** Git directory that the worktrees are registered in. */
	readonly commonDirectory: string;
	/** Absolute paths, all direct children of the folder. */
	readonly worktrees: readonly string[];
	/** Those of them that hold work and were left in place (S-195). */
	readonly kept: readonly string[];
}

/**
 * Makes a folder for worktrees that nobody else can enter, outside every checkout (A53, S-184).
 * Rejects with `E_WORKTREE` when the parent is a link, or lies inside the working tree.
 */
export async function makePrivateFolder(
	parent: string,
	workTree: string | undefined,
	journal: Omit<FolderJournal, "worktrees" | "kept">,
): Promise<string> {
	try {
		const real = await checkParent(parent, workTree);
		const folder = await mkdtemp(path.join(real, FOLDER_PREFIX));
		await requirePrivate(folder);
		await appendFile(path.join(folder, JOURNAL), `${JSON.stringify(journal)}\n`, { mode: 0o600, flag: "ax" });
		return folder;
	} catch (error) {
		if (error instanceof UserError) throw error;
		throw new UserError(`worktrees: no folder can be made in ${parent} (${errorText(error)}); wanted: a writable temporary folder`, {
			code: "E_WORKTREE",
			cause: error,
		});
	}
}

/** Written before the worktree is made, so that a run that dies in between leaves a trace. */
export async function recordWorktree(folder: string, worktree: string): Promise<void> {
	await appendFile(path.join(folder, JOURNAL), `${JSON.stringify({ worktree })}\n`);
}

/** Says that a worktree was left in place on purpose. */
export async function recordKept(folder: string, worktree: string): Promise<void> {
	await appendFile(path.join(folder, JOURNAL), `${JSON.stringify({ kept: worktree })}\n`);
}

/** The journal of a folder, or undefined when the folder is not ours: made by another user, open to others, a link, without a journal. */
export async function readFolderJournal(folder: string): Promise<FolderJournal | undefined> {
	try {
		await requirePrivate(folder);
		const [first = "", ...lines] = (await readWithoutLinks(path.join(folder, JOURNAL))).split("\n");
		const head = JSON.parse(first) as { owner?: unknown; commonDirectory?: unknown };
		const owner = parseOwner(JSON.stringify(head.owner));
		if (owner === undefined || typeof head.commonDirectory !== "string") return undefined;
		const named = (key: "worktree" | "kept") =>
			lines.flatMap((line) => readWorktreeLine(line, key)).filter((worktree) => path.dirname(worktree) === folder);
		return { owner, commonDirectory: head.commonDirectory, worktrees: named("worktree"), kept: named("kept") };
	} catch {
		return undefined;
	}
}

/** Removes a folder of ours that is empty but for its journal. Whatever else lies in it stays, and the folder with it. */
export async function removePrivateFolder(folder: string): Promise<void> {
	// The journal goes first only when nothing else is there: a kept worktree would be nobody's without it.
	if ((await readdir(folder).catch(() => [])).some((name) => name !== JOURNAL)) return;
	await unlink(path.join(folder, JOURNAL)).catch(() => undefined);
	await rmdir(folder).catch(() => undefined);
}

async function readWithoutLinks(file: string): Promise<string> {
	const handle = await open(file, constants.O_RDONLY | constants.O_NOFOLLOW);
	try {
		return await handle.readFile("utf8");
	} finally {
		await handle.close();
	}
}

async function checkParent(parent: string, workTree: string | undefined): Promise<string> {
	if ((await lstat(parent)).isSymbolicLink()) {
		throw new UserError(`worktrees: ${parent} is a link; wanted: a temporary folder itself`, { code: "E_WORKTREE" });
	}
	const real = await realpath(parent);
	if (workTree !== undefined) {
		const relative = path.relative(await realpath(workTree), real);
		if (relative === "" || (!relative.startsWith("..") && !path.isAbsolute(relative))) {
			throw new UserError(`worktrees: ${parent} lies inside the checkout; wanted: a temporary folder outside of it`, {
				code: "E_WORKTREE",
			});
		}
	}
	return real;
}

/** A folder that is no link, belongs to this user and is closed to all others. */
async function requirePrivate(folder: string): Promise<void> {
	const found = await lstat(folder);
	const foreign = process.getuid !== undefined && (found.uid !== process.getuid() || (found.mode & 0o077) !== 0);
	if (!found.isDirectory() || foreign) {
		throw new UserError(`worktrees: ${folder} is no private folder; wanted: mode 0700, owned by this user`, { code: "E_WORKTREE" });
	}
}

/** A torn last line, after a crash, is no line. */
function readWorktreeLine(line: string, key: "worktree" | "kept"): string[] {
	try {
		const worktree = (JSON.parse(line) as Readonly<Record<string, unknown>>)[key];
		return typeof worktree === "string" && path.isAbsolute(worktree) ? [path.normalize(worktree)] : [];
	} catch {
		return [];
	}
}
