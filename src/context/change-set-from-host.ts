import type { ChangedFile, ChangeSet, FilePatch, FileStatus } from "../domain/change-set.ts";
import type { Sha } from "../domain/ids.ts";
import type { HostFile } from "../seams.ts";
import { parsePatchText } from "./parse-diff.ts";

/** Why the API gave no patch for a file. */
export type MissingPatch = "moved without a change" | "binary or empty" | "too large for the API";

/** A change set as the API tells it: the last way when git has no merge base (BR-11, BR-46). */
export interface HostChangeSet {
	readonly changeSet: ChangeSet;
	/** One for each file, in the same order; a file without a patch has no hunks. */
	readonly patches: readonly FilePatch[];
	/** Files without a patch by path. They are named to reviewers all the same (BR-10). */
	readonly withoutPatch: ReadonlyMap<string, MissingPatch>;
	/** Set when the API listed fewer files than the pull request has. */
	readonly note?: string;
}

const NO_OBJECT = "0".repeat(40);

const STATUSES: Readonly<Record<string, FileStatus>> = {
	added: "added",
	removed: "deleted",
	modified: "modified",
	renamed: "renamed",
	copied: "copied",
	changed: "mode-changed",
};

/**
 * Builds the change set of a pull request from the API's list of files. The API's diff starts at the merge base on
 * its side, so `base` only stands for it. Object ids are unknown there and become null ids.
 */
export function changeSetFromHost(
	files: readonly HostFile[],
	commits: { readonly base: Sha; readonly head: Sha },
	changedFiles: number | undefined,
): HostChangeSet {
	const withoutPatch = new Map<string, MissingPatch>();
	for (const file of files) if (file.patch === undefined) withoutPatch.set(file.path, explainMissingPatch(file));
	const missing = (changedFiles ?? files.length) - files.length;
	return {
		changeSet: { mergeBase: commits.base, head: commits.head, files: files.map((file) => describe(file)) },
		patches: files.map(readPatch),
		withoutPatch,
		...(missing > 0 ? { note: `The API listed ${files.length} of ${changedFiles} changed files; the others were not looked at.` } : {}),
	};
}

function describe(file: HostFile): ChangedFile {
	return {
		path: file.path,
		...(file.previousPath === undefined ? {} : { previousPath: file.previousPath }),
		status: STATUSES[file.status] ?? "modified",
		oldMode: "000000",
		newMode: "000000",
		oldBlob: NO_OBJECT,
		newBlob: NO_OBJECT,
		binary: file.patch === undefined && explainMissingPatch(file) === "binary or empty",
		additions: file.additions,
		deletions: file.deletions,
	};
}

function readPatch(file: HostFile): FilePatch {
	const names = { path: file.path, ...(file.previousPath === undefined ? {} : { previousPath: file.previousPath }) };
	return file.patch === undefined ? { ...names, binary: describe(file).binary, hunks: [] } : parsePatchText(file.patch, names);
}

/** Lines were counted but not sent: too large. None counted: moved, or nothing that has lines. */
function explainMissingPatch(file: HostFile): MissingPatch {
	if (file.additions + file.deletions > 0) return "too large for the API";
	return file.status === "renamed" ? "moved without a change" : "binary or empty";
}
