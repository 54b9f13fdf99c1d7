import { mkdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { UserError } from "../../domain/errors.ts";
import type { Sha } from "../../domain/ids.ts";
import type { Git } from "../git/create-git.ts";
import { createObjectStream } from "../git/object-stream.ts";

/** Name of the files by which a tree tells git how to convert its files at checkout. */
const ATTRIBUTES = ".gitattributes";
const NUL = Buffer.from([0]);

/** The git directory that git has just made for a new worktree, checked to lie where the repository keeps those. */
export async function readWorktreeGitDirectory(worktree: string, commonDirectory: string): Promise<string> {
	const text = await readFile(path.join(worktree, ".git"), "utf8");
	const named = /^gitdir: (.+)\n?$/.exec(text)?.[1];
	const gitDirectory = named === undefined ? undefined : path.resolve(worktree, named);
	if (gitDirectory === undefined || path.dirname(gitDirectory) !== path.join(commonDirectory, "worktrees")) {
		throw new UserError(`worktree ${worktree}: its .git file names no place of this repository`, { code: "E_WORKTREE" });
	}
	return gitDirectory;
}

/** A writer's tree: files as the project wants them on disk, with its own line-end rules, but without its filters. */
export async function checkOutForWriting(git: Git, head: Sha): Promise<void> {
	await git.run(["read-tree", "--reset", "-u", "--no-recurse-submodules", head]);
}

/**
 * A reader's tree: each file holds exactly the bytes of its blob. The attributes of the tree under review are kept
 * out of the index while files are written, so that no encoding or line-end rule of the pull request can show
 * reviewers something else than what would be merged.
 */
export async function checkOutForReading(git: Git, worktree: string, head: Sha): Promise<void> {
	await git.run(["read-tree", "--reset", "--no-recurse-submodules", head]);
	const { stdout } = await git.run(["ls-files", "-z", "--stage", "--", `:(top,glob)**/${ATTRIBUTES}`], { patterns: true });
	const entries = readStageEntries(stdout);
	if (entries.length > 0) {
		const names = entries.flatMap((entry) => [entry.path, NUL]);
		await git.run(["update-index", "-z", "--force-remove", "--stdin"], { input: Buffer.concat(names) });
	}
	await git.run(["checkout-index", "--all", "--force", "--quiet"]);
	if (entries.length > 0) await writeBlobs(git, worktree, entries);
}

/** A file of the index. The name stays bytes: it need not be UTF-8. */
interface StageEntry {
	readonly path: Buffer;
	readonly blob: Sha;
}

async function writeBlobs(git: Git, worktree: string, entries: readonly StageEntry[]): Promise<void> {
	await using objects = createObjectStream(git);
	for (const entry of entries) {
		const object = await objects.read(entry.blob);
		const file = Buffer.concat([Buffer.from(`${worktree}/`), entry.path]);
		await mkdir(file.subarray(0, file.lastIndexOf("/")), { recursive: true });
		await writeFile(file, object?.content ?? "", { flag: "wx" });
	}
}

/** `MODE ID STAGE TAB PATH NUL` */
function readStageEntries(output: Buffer): StageEntry[] {
	const entries: StageEntry[] = [];
	for (let start = 0; start < output.length; ) {
		const end = output.indexOf(NUL, start);
		const tab = output.indexOf("\t", start);
		entries.push({ path: output.subarray(tab + 1, end), blob: output.toString("latin1", start, tab).split(" ")[1] ?? "" });
		start = end + 1;
	}
	return entries;
}
