import type { Certainty, Definition, IndexContext, LanguageSupport, Occurrence } from "../types.ts";
import type { FileVersion } from "./overlay-context.ts";

/** A changed file on both sides; a side is absent for a new or a deleted file. Paths differ for a renamed one. */
export interface ChangedVersions {
	readonly support: LanguageSupport;
	readonly base?: FileVersion;
	readonly head?: FileVersion;
}

/** The tree before and after a change, as far as it can be asked about names. */
export interface TreeComparison {
	readonly head: IndexContext;
	/** Every changed file whose facts could be had on the sides it exists on. */
	readonly files: readonly ChangedVersions[];
	/** Only what these files changed is followed. */
	isAsked(file: ChangedVersions): boolean;
	supportOf(path: string): LanguageSupport | undefined;
	/** Files whose uses and definitions count for nothing: fixtures, templates, generated and other people's code. */
	isIgnored(path: string): boolean;
	/** Lets others run; false when the time is up and the search has to end. */
	goOn(): Promise<boolean>;
}

/** A use at the head that the change has left behind. */
export interface StaleUse {
	readonly path: string;
	readonly occurrence: Occurrence;
	/** The definition at the base that the use was bound to. */
	readonly target: { readonly path: string; readonly definition: Definition };
	readonly certainty: Exclude<Certainty, "name">;
	/** How the use was bound. */
	readonly evidence: string;
}

/** What a search did not look at, for a note. */
export interface SearchLimits {
	/** Names in too many files to be looked up. */
	readonly common: readonly string[];
	readonly outOfTime: boolean;
}

/** A name that stands in more files than this is not followed: the answer would come too late, and is seldom sure. */
export const MAX_CANDIDATE_FILES = 400;

/** Facts kept for one question at a time: occurrences of a file by name are looked up often. */
export function occurrencesOf(facts: { readonly occurrences: readonly Occurrence[] }, name: string): readonly number[] {
	return facts.occurrences.flatMap((occurrence, position) => (occurrence.name === name ? [position] : []));
}
