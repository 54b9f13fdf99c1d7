import { realpath, stat } from "node:fs/promises";
import path from "node:path";
import { errorText, UserError } from "../../domain/errors.ts";
import { createGit, type Git, type GitOptions } from "./create-git.ts";
import { buildGitEnvironment } from "./git-environment.ts";
import { startGit, waitForExit } from "./run-git-process.ts";

/** A repository on disk, found once at the start and named explicitly ever after. */
export interface Repository {
	/** For calls on objects: sees no working tree and no attributes of one. */
	readonly git: Git;
	/** Git directory of this checkout; below `worktrees/` of the common one for a linked worktree. */
	readonly gitDirectory: string;
	/** Directory that all worktrees of the repository share. */
	readonly commonDirectory: string;
	/** Top of the working tree; undefined for a bare repository. */
	readonly workTree: string | undefined;
	/** Path from the top of the working tree to the folder that was asked for, with `/` and without an end slash; "" at the top. */
	readonly prefix: string;
}

/**
 * Finds the repository that a folder belongs to: a checkout, a folder below one, a linked worktree or a bare repository.
 *
 * This is the only call that lets git search. It runs with everything switched off that `createGit` switches off,
 * and its answer is passed by name to every later call, so that a `.git` planted in a tree redirects nothing.
 * Rejects with a UserError when the folder is missing or in no repository; any other failure of git is told with
 * git's own words and is never taken for an empty answer (BR-47).
 */
export async function openRepository(
	folder: string,
	options: Omit<GitOptions, "gitDirectory" | "workTree" | "safeDirectory"> = {},
): Promise<Repository> {
	const top = await realFolder(folder);
	const found = await discover(top, options);
	const [bare, gitDirectory, commonDirectory, prefix, workTree] = found;
	if (gitDirectory === undefined || commonDirectory === undefined) throw notARepository(folder, "git named no git directory");
	return {
		git: createGit({ ...options, gitDirectory }),
		gitDirectory,
		commonDirectory: path.resolve(top, commonDirectory),
		workTree: bare === "true" ? undefined : workTree,
		prefix: (prefix ?? "").replace(/\/$/, ""),
	};
}

async function realFolder(folder: string): Promise<string> {
	try {
		const real = await realpath(folder);
		// Inside `.git` itself there is no working tree to speak of; the checkout around it is meant.
		if ((await stat(real)).isDirectory()) return path.basename(real) === ".git" ? path.dirname(real) : real;
	} catch (error) {
		throw new UserError(`repository: ${folder} cannot be read (${errorText(error)}); wanted: the folder of a git checkout`, {
			cause: error,
		});
	}
	throw new UserError(`repository: ${folder} is no folder; wanted: the folder of a git checkout`);
}

/** Asks once for everything. In a bare repository `--show-toplevel` fails after the other lines were printed. */
async function discover(folder: string, options: Omit<GitOptions, "gitDirectory" | "workTree">): Promise<string[]> {
	// A bare repository is opened only when it is the very folder asked for, never one met on the way up (SECURITY 3.3 no. 10).
	const bare = await isBareRepository(folder);
	const child = startGit({
		binary: options.binary ?? "git",
		arguments: [
			...(bare ? [`--git-dir=${folder}`] : []),
			"rev-parse",
			"--is-bare-repository",
			"--absolute-git-dir",
			"--git-common-dir",
			"--show-prefix",
			"--show-toplevel",
		],
		// Git compares this with the top of the repository, which is not known yet; a star holds for this one call.
		environment: buildGitEnvironment({ ...options, safeDirectory: "*" }),
		folder,
	});
	const exit = waitForExit(child);
	const chunks: Buffer[] = [];
	child.stdout.on("data", (chunk: Buffer) => chunks.push(chunk));
	child.stdin.end();
	const { code, stderr, startError } = await exit;
	if (startError !== undefined) {
		throw new UserError(`git could not be started (${startError.message}); wanted: git installed, and the repository's folder in place`);
	}
	const lines = Buffer.concat(chunks).toString("utf8").split("\n");
	if (code !== 0 && !(lines[0] === "true" && lines[1])) throw notARepository(folder, stderr.trim().split("\n")[0] ?? "");
	return lines;
}

/**
 * A folder that has the shape of a git directory and lies in no checkout. A tree under review can hold such files
 * too, with a configuration of its own: those are inside a checkout and git refuses them (`safe.bareRepository`).
 */
async function isBareRepository(folder: string): Promise<boolean> {
	for (let above = folder; ; above = path.dirname(above)) {
		if ((await stat(path.join(above, ".git")).catch(() => undefined)) !== undefined) return false;
		if (above === path.dirname(above)) break;
	}
	const parts = await Promise.all(["HEAD", "objects", "refs"].map((name) => stat(path.join(folder, name)).catch(() => undefined)));
	return parts[0]?.isFile() === true && parts[1]?.isDirectory() === true && parts[2]?.isDirectory() === true;
}

function notARepository(folder: string, said: string): UserError {
	return new UserError(`repository: git cannot use ${folder} (${said}); wanted: the folder of a git checkout`, { code: "E_WORKTREE" });
}
