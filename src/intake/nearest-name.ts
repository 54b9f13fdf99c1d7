import { closest, distance } from "fastest-levenshtein";

/** More edits than this share of the word is another word, not a misspelling. */
const LARGEST_SHARE = 0.4;

/** The candidate that a misspelled word was most likely meant to be; undefined when none is near. */
export function nearestName(word: string, candidates: readonly string[]): string | undefined {
	if (word === "" || candidates.length === 0) return undefined;
	const lowered = word.toLowerCase();
	const nearest = closest(lowered, candidates);
	return distance(lowered, nearest) <= Math.max(1, Math.floor(lowered.length * LARGEST_SHARE)) ? nearest : undefined;
}
