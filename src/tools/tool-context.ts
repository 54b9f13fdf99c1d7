import type { SyntaxService } from "../code-index/syntax-service.ts";
import type { ChangedFile, FilePatch } from "../domain/change-set.ts";
import type { Sha } from "../domain/ids.ts";
import type { ReadState } from "./read-state.ts";

/**
 * What the tools of one child work on. The first block is plain data and can be sent to a sandboxed process; the
 * second one is what that process builds for itself (from git's read-only object store) or asks for.
 */
export interface ToolContext {
	/** Absolute path of the worktree at the head. */
	readonly root: string;
	readonly head: Sha;
	readonly mergeBase: Sha;
	/** The whole change set, so that tools know what is new. */
	readonly changedFiles: readonly ChangedFile[];
	/** Changed files given to this child; what `diagnose` looks at by default. Absent means all of them. */
	readonly assignedPaths?: readonly string[];

	/** Patches of the given files between merge base and head. Rejects when git fails. */
	readPatches(files: readonly ChangedFile[]): Promise<readonly FilePatch[]>;
	/** A file's bytes at the merge base; undefined when it does not exist there. Rejects when git fails. */
	readBase(path: string): Promise<Buffer | undefined>;
	/** Tracked files, relative, in byte order; absent where there is no git, then the folder is walked. */
	listFiles?(): Promise<readonly string[]>;
	/** Paths that each of the commits before the change changed, newest first; absent where there is no git. Rejects when git fails. */
	readHistory?(): Promise<readonly (readonly string[])[]>;
	/** True for a path that policy hides from every tool (A67). */
	isDenied?(path: string): boolean;
	/** The child can write: the index is then made anew for each question. Facts of what did not change are kept. */
	readonly treeMayChange?: boolean;
	readonly syntax: SyntaxService;
	/** One a child: what it has read itself, for edit rules (S-036, S-066). */
	readonly readState: ReadState;
}
