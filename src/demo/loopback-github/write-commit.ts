import { rm } from "node:fs/promises";
import { join } from "node:path";
import { randomUUID } from "node:crypto";
import { askGit, runGit } from "./git-command.ts";

export interface TreeChange {
	readonly path: string;
	readonly mode: string;
	/** Object id of the entry; null removes the path. */
	readonly sha: string | null;
}

export interface CommitIdentity {
	readonly name: string;
	readonly email: string;
	readonly date?: string;
}

/** Writes a tree that is `base` with the changes applied; all through a temporary index, nothing is checked out. */
export async function writeTree(bare: string, base: string | undefined, changes: readonly TreeChange[]): Promise<string> {
	const environment = { GIT_INDEX_FILE: join(bare, `index-${randomUUID()}`) };
	try {
		if (base !== undefined) await runGit(bare, ["read-tree", base], { environment });
		const zero = "0".repeat(40);
		const input = changes.map(({ path, mode, sha }) => (sha === null ? `0 ${zero}\t${path}\0` : `${mode} ${sha}\t${path}\0`)).join("");
		await runGit(bare, ["update-index", "-z", "--index-info"], { environment, input });
		return await runGit(bare, ["write-tree"], { environment });
	} finally {
		await rm(environment.GIT_INDEX_FILE, { force: true });
	}
}

export async function writeBlob(bare: string, content: Buffer): Promise<string> {
	return runGit(bare, ["hash-object", "-w", "--stdin"], { input: content });
}

export async function writeCommit(
	bare: string,
	commit: {
		readonly tree: string;
		readonly parents: readonly string[];
		readonly message: string;
		readonly author: CommitIdentity;
		readonly committer: CommitIdentity;
	},
): Promise<string> {
	const now = new Date().toISOString();
	const environment = {
		GIT_AUTHOR_NAME: commit.author.name,
		GIT_AUTHOR_EMAIL: commit.author.email,
		GIT_AUTHOR_DATE: commit.author.date ?? now,
		GIT_COMMITTER_NAME: commit.committer.name,
		GIT_COMMITTER_EMAIL: commit.committer.email,
		GIT_COMMITTER_DATE: commit.committer.date ?? now,
	};
	const parents = commit.parents.flatMap((parent) => ["-p", parent]);
	return runGit(bare, ["commit-tree", commit.tree, ...parents, "-F", "-"], { environment, input: commit.message });
}

/** Moves or makes a ref; false when git refuses, for instance because it is not where `expected` says. */
export async function moveRef(bare: string, ref: string, sha: string, expected?: string): Promise<boolean> {
	const args = ["update-ref", ref, sha, ...(expected === undefined ? [] : [expected])];
	return (await askGit(bare, args)) !== undefined;
}

export function touchesWorkflows(paths: readonly string[]): boolean {
	return paths.some((path) => path.startsWith(".github/workflows/"));
}
