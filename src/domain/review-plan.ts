import type { Assignment } from "./child-run.ts";

export interface SkippedFile {
	readonly path: string;
	/** For example "generated (linguist)", "binary", "lock file", "vendored". */
	readonly reason: string;
}

/** Pure decision: who reads what, with which limits, and what nobody reads. */
export interface ReviewPlan {
	readonly assignments: readonly Assignment[];
	readonly skippedFiles: readonly SkippedFile[];
	/** Files that an earlier round has read and that have not changed since: nobody reads them again. */
	readonly carriedFiles?: readonly SkippedFile[];
	/** Language id by path for every routed file. */
	readonly languages: Readonly<Record<string, string>>;
	/** Reviewers that exist but do not run, with the reason. */
	readonly skippedAgents: readonly { readonly name: string; readonly reason: string }[];
	readonly notes: readonly string[];
}
