import { stat } from "node:fs/promises";
import path from "node:path";
import { errorText, UserError } from "../../domain/errors.ts";
import { isAcceptableRevision, splitRevision } from "../../domain/git-ref.ts";
import { isSha, type Sha } from "../../domain/ids.ts";
import type { FetchOutcome, GitHistory } from "../../seams.ts";
import { GitError } from "./create-git.ts";
import { createObjectStream, type ObjectStream } from "./object-stream.ts";
import type { Repository } from "./open-repository.ts";

export interface GitHistoryOptions {
	/** Address to fetch from; the repository's own `remote.origin.url` unless given. */
	readonly remoteUrl?: string;
	/** Ends a fetch. */
	readonly signal?: AbortSignal;
}

/** First depth of commits that a shallow clone lacks. Without one the remote would send their whole history. */
const FIRST_DEPTH = 50;

/**
 * Everything that keeps a fetch from touching the checkout: no ref, no tag, no FETCH_HEAD is written; only objects
 * and the border of a shallow clone are added. The address is given instead of a remote's name, so that no setting
 * of a remote (programs to run, refs to update) applies.
 */
const FETCH_ARGUMENTS: readonly string[] = [
	"fetch",
	"--quiet",
	"--no-tags",
	"--no-prune",
	"--no-write-fetch-head",
	"--no-auto-maintenance",
	"--no-recurse-submodules",
	"--no-show-forced-updates",
];

/** History over one repository. Shares `objects` with a repository reader when given, so that one process serves both. */
export function createGitHistory(
	repository: Repository,
	objects: ObjectStream = createObjectStream(repository.git),
	options: GitHistoryOptions = {},
): GitHistory {
	const { git } = repository;
	const readCommit = async (name: string): Promise<Sha | undefined> => {
		const object = await objects.read(`${name}^{commit}`);
		return object?.type === "commit" ? object.sha : undefined;
	};
	const isShallow = async (): Promise<boolean> => {
		const border = await stat(path.join(repository.commonDirectory, "shallow")).catch(() => undefined);
		return border !== undefined && border.size > 0;
	};
	const commitExists = async (commit: Sha): Promise<boolean> => isSha(commit) && (await readCommit(commit)) === commit;
	const fetch = async (refs: readonly string[], depth: readonly string[]): Promise<FetchOutcome> => {
		try {
			const url = options.remoteUrl ?? (await readOriginUrl(repository));
			await git.run([...FETCH_ARGUMENTS, ...depth, "--end-of-options", url, ...refs], options.signal ? { signal: options.signal } : {});
			return { ok: true };
		} catch (error) {
			options.signal?.throwIfAborted();
			if (error instanceof GitError || error instanceof UserError) return { ok: false, reason: firstLine(errorText(error)) };
			throw error;
		}
	};
	const firstDepth = async (): Promise<readonly string[]> => ((await isShallow()) ? [`--depth=${FIRST_DEPTH}`] : []);

	return {
		commitExists,
		isShallow,
		resolve: async (revision) => {
			if (!isAcceptableRevision(revision)) return undefined;
			const { name, steps } = splitRevision(revision);
			const found = await Promise.all(candidates(name).map((candidate) => readCommit(candidate + steps)));
			return found.find((commit) => commit !== undefined);
		},
		mergeBase: async (first, second) => {
			const { stdout, code } = await git.run(["merge-base", "--end-of-options", first, second], { okCodes: [0, 1] });
			const base = stdout.toString("latin1").trim();
			return code === 0 && isSha(base) ? base : null;
		},
		fetchCommit: async (commit) => confirm(await fetch([commit], await firstDepth()), commit, commitExists),
		fetchPullHead: async (number, expected) => {
			const outcome = await fetch([`refs/pull/${number}/head`], await firstDepth());
			if (await commitExists(expected)) return { ok: true };
			// The pull request may have moved on since the event; the commit itself can still be asked for.
			const direct = await confirm(await fetch([expected], await firstDepth()), expected, commitExists);
			if (direct.ok || !outcome.ok) return direct.ok ? direct : outcome;
			return { ok: false, reason: `refs/pull/${number}/head has moved to another commit` };
		},
		deepen: (tips, by) => fetch(tips, [`--deepen=${by}`]),
		unshallow: async (tips) => ((await isShallow()) ? fetch(tips, ["--unshallow"]) : { ok: true }),
		countUncommitted: async () => {
			if (repository.workTree === undefined) return 0;
			const tree = await git.withWorkTree({ gitDirectory: repository.gitDirectory, workTree: repository.workTree });
			const status = ["status", "--porcelain=v2", "-z", "--untracked-files=normal", "--ignore-submodules=all", "--no-renames"];
			const output = await tree.porcelain(status, options.signal);
			return output.split("\0").filter((entry) => /^[12u?] /.test(entry)).length;
		},
	};
}

/**
 * What a short name may stand for, in this order: a branch here, a branch of a remote, a tag, the default remote's
 * branch, and last what git itself makes of it (an id, `HEAD`). Explicit, so that a tag cannot pose as a branch.
 */
function candidates(name: string): string[] {
	const exact = name === "HEAD" || name.startsWith("refs/");
	if (exact || isSha(name)) return [name];
	return [`refs/heads/${name}`, `refs/remotes/${name}`, `refs/tags/${name}`, `refs/remotes/origin/${name}`, name];
}

async function readOriginUrl({ git }: Repository): Promise<string> {
	const { stdout, code } = await git.run(["config", "--get", "-z", "remote.origin.url"], { okCodes: [0, 1] });
	const url = stdout.toString("utf8").replace(/\0$/, "");
	if (code !== 0 || url === "") throw new UserError("the repository has no remote named origin to fetch from");
	return url;
}

/** A fetch that went well and did not bring the commit is a failure too. */
async function confirm(outcome: FetchOutcome, commit: Sha, exists: (commit: Sha) => Promise<boolean>): Promise<FetchOutcome> {
	if (!outcome.ok || (await exists(commit))) return outcome;
	return { ok: false, reason: `the remote did not send commit ${commit}` };
}

function firstLine(text: string): string {
	return text.split("\n").find((line) => line.trim() !== "") ?? text;
}
