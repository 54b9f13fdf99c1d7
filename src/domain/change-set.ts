import type { Sha } from "./ids.ts";

export type FileStatus = "added" | "modified" | "deleted" | "renamed" | "copied" | "type-changed" | "mode-changed";

/** Which side of the diff a line is on: LEFT is the old text, RIGHT the new one. */
export type Side = "LEFT" | "RIGHT";

/** A changed file, without its text: patches are read on demand (`PatchReader`), so 10,000 of these stay small. */
export interface ChangedFile {
	/** Path on the head side; for a deleted file, its last path. Always the decoded name (BR-03, BR-19). */
	readonly path: string;
	/** Path on the base side when it differs (renamed, copied). Path rules match both (BR-12). */
	readonly previousPath?: string;
	readonly status: FileStatus;
	readonly oldMode: string;
	readonly newMode: string;
	readonly oldBlob: Sha;
	readonly newBlob: Sha;
	readonly binary: boolean;
	readonly additions: number;
	readonly deletions: number;
	/** Set for a submodule pointer: no anchors, one summary line (BR-07). */
	readonly submodule?: { readonly from: string; readonly to: string };
}

/** Everything between merge base and head. */
export interface ChangeSet {
	readonly mergeBase: Sha;
	readonly head: Sha;
	readonly files: readonly ChangedFile[];
}

/** One `@@` block. Starts are 1-based; a count of 0 means that the side has no line. */
export interface Hunk {
	readonly oldStart: number;
	readonly oldLines: number;
	readonly newStart: number;
	readonly newLines: number;
	/** Text behind the second `@@`, usually the enclosing function. */
	readonly section: string;
	readonly lines: readonly DiffLine[];
}

export interface DiffLine {
	readonly kind: "context" | "added" | "deleted";
	/** Line text without its prefix and line feed; a CR before the line feed is kept (BR-13). */
	readonly text: string;
	/** 1-based line on the old side; undefined for an added line. */
	readonly oldLine?: number;
	/** 1-based line on the new side; undefined for a deleted line. */
	readonly newLine?: number;
	/** True when git's no-newline marker follows (BR-02). */
	readonly noNewline?: true;
}

/** The patch of one file. A file without hunks is valid: it has no anchors (BR-04 to BR-06). */
export interface FilePatch {
	readonly path: string;
	readonly previousPath?: string;
	readonly binary: boolean;
	/** True for a combined (merge) section: reported as not reviewed, no anchors (BR-08). */
	readonly combined?: true;
	/** Set for a submodule pointer; its two pseudo lines are no hunks (BR-07). */
	readonly submodule?: { readonly from: string; readonly to: string };
	/** Why the section could not be read to its end: a cut-off hunk, a name that cannot be decoded. */
	readonly problem?: string;
	readonly hunks: readonly Hunk[];
}
