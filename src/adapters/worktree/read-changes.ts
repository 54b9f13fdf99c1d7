import { readFile } from "node:fs/promises";
import path from "node:path";
import { UserError } from "../../domain/errors.ts";
import type { Sha } from "../../domain/ids.ts";
import type { WorkspaceChanges } from "../../seams.ts";
import type { Git } from "../git/create-git.ts";
import { readWorktreeGitDirectory } from "./check-out-tree.ts";

export interface ChangedTree {
	/** Git with this tree's directory and work tree named; its index is the tree's own. */
	readonly git: Git;
	readonly commonDirectory: string;
	readonly gitDirectory: string;
	readonly worktree: string;
	readonly head: Sha;
	/** Repository paths that were put in from outside and are nobody's work: copied and linked files. */
	readonly notOurs: readonly string[];
}

/** Folders that a workflow installs into: shown to commands, never part of a change. */
export const DEPENDENCY_FOLDERS: readonly string[] = ["node_modules", ".venv", "venv"];

/**
 * The difference between a child's tree and its commit as one patch, new files included, whatever was staged or
 * committed. Nothing but the tree's own index is written. Rejects with what git said.
 */
export async function readChanges(tree: ChangedTree): Promise<WorkspaceChanges | undefined> {
	await requireOwnGitFile(tree);
	const { git, head } = tree;
	const moved = (await readFile(path.join(tree.gitDirectory, "HEAD"), "latin1")).trim() !== head;
	await announceNewFiles(tree);
	// Pathspec magic is needed to leave things out; the names are quoted against it by `literal`.
	const scope = ["--", ".", ...excluded(tree.notOurs)];
	const names = await git.run(["diff", "--name-only", "-z", ...DIFF_FLAGS, head, ...scope], { patterns: true });
	const files = names.stdout.toString("utf8").split("\0").filter(Boolean);
	if (files.length === 0) return undefined;
	const { stdout } = await git.run(["diff", "--binary", "--full-index", ...DIFF_FLAGS, head, ...scope], { patterns: true });
	return { files, patch: stdout, moved };
}

/** New files are in a diff only when the index knows of them. Ignored ones are nobody's work. */
async function announceNewFiles({ git, notOurs }: ChangedTree): Promise<void> {
	const { stdout } = await git.run(["ls-files", "--others", "--exclude-standard", "-z"]);
	const names = stdout
		.toString("latin1")
		.split("\0")
		.filter((name) => name !== "" && !notOurs.includes(decode(name)) && !isDependency(name));
	if (names.length === 0) return;
	const list = Buffer.from(names.join("\0"), "latin1");
	await git.run(["add", "--intent-to-add", "--pathspec-from-file=-", "--pathspec-file-nul"], { input: list });
}

function decode(name: string): string {
	return Buffer.from(name, "latin1").toString("utf8");
}

function isDependency(name: string): boolean {
	return name
		.split("/")
		.slice(0, -1)
		.some((part) => DEPENDENCY_FOLDERS.includes(part));
}

/** Takes up earlier work of the same session. Rejects when the patch does not fit the commit. */
export async function applyChanges(git: Git, patch: Buffer): Promise<void> {
	if (patch.length > 0) await git.run(["apply", "--binary", "--whitespace=nowarn", "-"], { input: patch });
}

const DIFF_FLAGS = [
	"--no-ext-diff",
	"--no-textconv",
	"--no-renames",
	"--no-color",
	"--ignore-submodules=all",
	"--src-prefix=a/",
	"--dst-prefix=b/",
];

function excluded(notOurs: readonly string[]): readonly string[] {
	return [...DEPENDENCY_FOLDERS.map((name) => `:(exclude,glob)**/${name}/**`), ...notOurs.map((name) => `:(exclude,literal)${name}`)];
}

/** A child that replaces the `.git` file would own the next git command; here it only ends its own tree (A41). */
async function requireOwnGitFile({ worktree, commonDirectory, gitDirectory }: ChangedTree): Promise<void> {
	const named = await readWorktreeGitDirectory(worktree, commonDirectory).catch(() => undefined);
	if (named === gitDirectory) return;
	throw new UserError(`worktree ${worktree}: its .git file was replaced; nothing of it is used`, { code: "E_WORKTREE" });
}
