import { lstat, readFile } from "node:fs/promises";
import path from "node:path";
import type { GitPlaces } from "./sandbox-spec.ts";

/** One thing that is shown inside: a file or folder of the host, or a text. */
export type GitMount = { readonly inside: string } & ({ readonly host: string } | { readonly text: string });

/** What commands such as `git diff` and `git log` need, and nothing that holds credentials, hooks or other worktrees. */
const COMMON = ["objects", "refs", "packed-refs", "reftable", "shallow", "HEAD"];
const OWN = ["HEAD", "index", "commondir", "gitdir"];

/**
 * The parts of a git directory that are shown inside, all read-only (A41, A42). The configuration is written anew from
 * the few keys that say how objects are stored: the real one may hold a token or name programs (A50).
 */
export async function buildGitMounts(places: GitPlaces): Promise<readonly GitMount[]> {
	const { commonDirectory, gitDirectory } = places;
	const config = await readFile(path.join(commonDirectory, "config"), "utf8").catch(() => "");
	const mounts: GitMount[] = [{ inside: path.join(commonDirectory, "config"), text: renderConfig(config) }];
	const files = COMMON.map((name) => path.join(commonDirectory, name));
	if (gitDirectory !== commonDirectory) files.push(...OWN.map((name) => path.join(gitDirectory, name)));
	else files.push(path.join(commonDirectory, "index"));
	for (const file of files) {
		const found = await lstat(file).catch(() => undefined);
		if (found?.isFile() === true || found?.isDirectory() === true) mounts.push({ inside: file, host: file });
	}
	return mounts;
}

const CORE_KEYS = ["repositoryformatversion", "filemode", "symlinks", "ignorecase"];
const EXTENSION_KEYS = ["objectformat", "refstorage"];

function renderConfig(config: string): string {
	const pick = (keys: readonly string[]): string[] =>
		keys.flatMap((key) => {
			const value = new RegExp(`^[ \\t]*${key}[ \\t]*=[ \\t]*([0-9A-Za-z]+)[ \\t]*$`, "im").exec(config)?.[1];
			return value === undefined ? [] : [`\t${key} = ${value}`];
		});
	return ["[core]", "\tbare = false", ...pick(CORE_KEYS), "[extensions]", ...pick(EXTENSION_KEYS), ""].join("\n");
}
