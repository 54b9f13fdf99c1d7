import { parseRaw } from "../../context/parse-raw.ts";
import type { ChangeSet } from "../../domain/change-set.ts";
import type { Sha } from "../../domain/ids.ts";
import type { Git } from "./create-git.ts";
import { DIFF_ARGUMENTS } from "./diff-arguments.ts";

/** What changed between two commits, by name, mode, object id and line count, from one git call. Rejects when git fails. */
export async function loadChangeSet(git: Git, mergeBase: Sha, head: Sha, signal?: AbortSignal): Promise<ChangeSet> {
	const { stdout } = await git.run(
		[...DIFF_ARGUMENTS, "--raw", "--numstat", "-z", "--no-abbrev", "--end-of-options", mergeBase, head, "--"],
		signal === undefined ? {} : { signal },
	);
	return { mergeBase, head, files: parseRaw(stdout) };
}
