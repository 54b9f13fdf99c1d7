import { execFile } from "node:child_process";
import { chmod, mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { createRepositoryReader } from "../../src/adapters/git/repository-reader.ts";
import { loadChangeSet } from "../../src/adapters/git/load-change-set.ts";
import { openRepository } from "../../src/adapters/git/open-repository.ts";
import type { ChangeSet } from "../../src/domain/change-set.ts";
import type { Sha } from "../../src/domain/ids.ts";
import type { RepositoryReader } from "../../src/seams.ts";

const run = promisify(execFile);

/** What a commit puts at a path: text, bytes, a link, or nothing. */
export type TreeChange = string | Uint8Array | { readonly link: string } | { readonly submodule: Sha } | null;

/** A real git repository in a temporary folder; disposed by scope. */
export interface TestRepository extends AsyncDisposable {
	readonly folder: string;
	readonly reader: RepositoryReader;
	/** Applies the changes on top of the last commit and gives the new commit's id. */
	commit(changes: Readonly<Record<string, TreeChange>>): Promise<Sha>;
	changes(base: Sha, head: Sha): Promise<ChangeSet>;
}

export async function createTestRepository(): Promise<TestRepository> {
	const folder = await mkdtemp(join(tmpdir(), "rookery-agents-"));
	const git = async (...args: string[]): Promise<string> => {
		const { stdout } = await run("git", ["-c", "user.name=t", "-c", "user.email=t@example.com", "-c", "commit.gpgsign=false", ...args], {
			cwd: folder,
		});
		return stdout.trim();
	};
	await git("init", "-q", "-b", "main");
	const repository = await openRepository(folder);
	const reader = createRepositoryReader(repository.git);
	return {
		folder,
		reader,
		commit: async (changes) => {
			for (const [path, change] of Object.entries(changes)) await applyChange(folder, path, change, git);
			await git("add", "-A", "--", ".");
			for (const [path, change] of Object.entries(changes)) {
				if (change !== null && typeof change === "object" && "submodule" in change) {
					await git("update-index", "--add", "--cacheinfo", `160000,${change.submodule},${path}`);
				}
			}
			await git("commit", "-q", "--allow-empty", "-m", "change");
			return git("rev-parse", "HEAD");
		},
		changes: (base, head) => loadChangeSet(repository.git, base, head),
		[Symbol.asyncDispose]: async () => {
			await reader[Symbol.asyncDispose]();
			await rm(folder, { recursive: true, force: true });
		},
	};
}

async function applyChange(folder: string, path: string, change: TreeChange, git: (...args: string[]) => Promise<string>): Promise<void> {
	const absolute = join(folder, path);
	await rm(absolute, { recursive: true, force: true });
	if (change === null) return;
	await mkdir(dirname(absolute), { recursive: true });
	if (typeof change === "string" || change instanceof Uint8Array) {
		await writeFile(absolute, change);
		await chmod(absolute, 0o644);
	} else if ("link" in change) await symlink(change.link, absolute);
	else await git("rm", "-q", "--cached", "--ignore-unmatch", "--", path);
}
