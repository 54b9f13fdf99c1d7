import type { Sha } from "../domain/ids.ts";

/** A replacement that a review of ours offered for lines of a commit. */
export interface Suggestion {
	readonly fingerprint: string;
	readonly path: string;
	readonly commit: Sha;
	/** 1-based, inclusive. */
	readonly startLine: number;
	readonly endLine: number;
	readonly lines: readonly string[];
}

const REDACTED = "[REDACTED]";

/** The replacement in the body of one of our comments; undefined when it offers none, or one that had something taken out. */
export function readSuggestion(
	body: string,
	place: Pick<Suggestion, "fingerprint" | "path" | "commit" | "startLine" | "endLine">,
): Suggestion | undefined {
	const match = /^(`{3,})suggestion\n([\s\S]*?)\n?^\1$/m.exec(body.replaceAll("\r\n", "\n"));
	const text = match?.[2];
	if (text === undefined || text.includes(REDACTED)) return undefined;
	return { ...place, lines: text.split("\n") };
}

/** What the suggestions make of one file, and which of them could not be applied. */
export interface AppliedSuggestions {
	readonly content: string;
	readonly applied: readonly string[];
	readonly left: readonly { readonly fingerprint: string; readonly reason: string }[];
}

/**
 * Puts suggestions into a file of the head. Each is only put where the very lines stand that it was written for, at their
 * place or at the only other place that has them; two that touch the same line are not both applied.
 * @param head text of the file at the head
 * @param textAt text of the file at a suggestion's commit
 */
export function applySuggestions(
	head: string,
	suggestions: readonly Suggestion[],
	textAt: (suggestion: Suggestion) => string,
): AppliedSuggestions {
	const lines = head.split("\n");
	const left: { fingerprint: string; reason: string }[] = [];
	const taken: { start: number; end: number; suggestion: Suggestion }[] = [];
	for (const suggestion of suggestions) {
		const wanted = textAt(suggestion)
			.split("\n")
			.slice(suggestion.startLine - 1, suggestion.endLine);
		const start = locate(lines, wanted, suggestion.startLine - 1);
		if (start === undefined) {
			left.push({ fingerprint: suggestion.fingerprint, reason: "the lines it was written for have changed since" });
			continue;
		}
		const end = start + wanted.length;
		if (taken.some((each) => start < each.end && each.start < end)) {
			left.push({ fingerprint: suggestion.fingerprint, reason: "another suggestion changes the same lines" });
			continue;
		}
		taken.push({ start, end, suggestion });
	}
	for (const { start, end, suggestion } of taken.toSorted((a, b) => b.start - a.start)) {
		const ending = lines[start]?.endsWith("\r") === true ? "\r" : "";
		lines.splice(start, end - start, ...suggestion.lines.map((line) => line + ending));
	}
	return { content: lines.join("\n"), applied: taken.map(({ suggestion }) => suggestion.fingerprint), left };
}

/** 0-based line at which the wanted lines stand; undefined for none, or for several away from their place. */
function locate(lines: readonly string[], wanted: readonly string[], expected: number): number | undefined {
	if (wanted.length === 0) return undefined;
	const standsAt = (start: number): boolean => wanted.every((line, index) => lines[start + index] === line);
	if (standsAt(expected)) return expected;
	if (wanted.every((line) => line.trim() === "")) return undefined;
	const places = lines.flatMap((_, start) => (standsAt(start) ? [start] : []));
	return places.length === 1 ? places[0] : undefined;
}
