import type { ChangedFile, ChangeSet } from "../../src/domain/change-set.ts";

/** A changed file of a plan test; one added line unless said otherwise. */
export function changed(path: string, additions = 1, more: Partial<ChangedFile> = {}): ChangedFile {
	return {
		path,
		status: "modified",
		oldMode: "100644",
		newMode: "100644",
		oldBlob: "a".repeat(40),
		newBlob: "b".repeat(40),
		binary: false,
		additions,
		deletions: 0,
		...more,
	};
}

export function changeSetOf(files: readonly ChangedFile[]): ChangeSet {
	return { mergeBase: "1".repeat(40), head: "2".repeat(40), files };
}
