import type { Category, Severity } from "../domain/finding.ts";

/** A defect that is known to be in a pull request. */
export interface KnownDefect {
	/** Path at the head. */
	readonly path: string;
	/** 1-based, inclusive; 0 when only words tell where it is. */
	readonly startLine: number;
	readonly endLine: number;
	/** LEFT: lines of the old file. */
	readonly side: "LEFT" | "RIGHT";
	readonly text: string;
	readonly severity?: Severity;
	readonly category?: Category;
}

/** One pull request with what is known of it. */
export interface ScoreCase {
	/** Unique in its data set. */
	readonly id: string;
	readonly title: string;
	readonly language: string;
	/** Where its two commits come from. */
	readonly source:
		| { readonly kind: "files"; readonly base: Readonly<Record<string, string>>; readonly head: Readonly<Record<string, string | null>> }
		| { readonly kind: "clone"; readonly folder: string; readonly base: string; readonly head: string };
	readonly defects: readonly KnownDefect[];
	/** Places where a remark is known to be wrong; counted as false without further question. */
	readonly decoys: readonly KnownDefect[];
	/** False: the list of defects is known to be incomplete, so that a finding beside it may be right. */
	readonly complete: boolean;
}
