import { revealMarks } from "../domain/hidden-text.ts";

/** 1-based, inclusive. */
export interface LineRange {
	readonly startLine: number;
	readonly endLine: number;
}

/** A line of one side with its number; the lines of a side need not be gapless (hunks). */
export interface NumberedLine {
	readonly number: number;
	readonly text: string;
}

/** One blank for any run of blanks, ends trimmed, hidden characters as children are shown them: what quotes are compared by. */
export function normaliseCode(text: string): string {
	return revealMarks(text).replaceAll("<U+FEFF>", " ").replace(/\s+/g, " ").trim();
}

/** The lines of a file without the empty one behind the last line feed; a CR stays part of its line (BR-13). */
export function splitLines(text: string): readonly string[] {
	const lines = text.split("\n");
	if (lines.at(-1) === "") lines.pop();
	return lines;
}

/**
 * Where a quote stands. Blanks do not count; whole lines are better than parts of lines; of several places the one
 * nearest to `near` wins, without `near` the first one that `prefers` likes, else the first. Undefined: nowhere.
 */
export function locateQuote(
	quote: string,
	lines: readonly NumberedLine[],
	options: { readonly near?: number; readonly prefers?: (range: LineRange) => boolean } = {},
): LineRange | undefined {
	const wanted = quote.split("\n").map(normaliseCode);
	while (wanted[0] === "") wanted.shift();
	while (wanted.at(-1) === "") wanted.pop();
	if (wanted.length === 0) return undefined;
	const present = lines.map((line) => normaliseCode(line.text));
	for (const fits of [wholeLines, partOfLines]) {
		const places = placesOf(wanted, present, lines, fits);
		const best = nearest(places, options);
		if (best !== undefined) return best;
	}
	return undefined;
}

type LineFits = (wanted: string, present: string, position: "only" | "first" | "middle" | "last") => boolean;

const wholeLines: LineFits = (wanted, present) => wanted === present;

/** A quote that starts or ends inside a line. Very short pieces fit anywhere and prove nothing. */
const partOfLines: LineFits = (wanted, present, position) => {
	if (position === "middle") return wanted === present;
	if (wanted.length < 4) return wanted === present;
	if (position === "only") return present.includes(wanted);
	return position === "first" ? present.endsWith(wanted) : present.startsWith(wanted);
};

function placesOf(
	wanted: readonly string[],
	present: readonly string[],
	lines: readonly NumberedLine[],
	fits: LineFits,
): readonly LineRange[] {
	const places: LineRange[] = [];
	const last = wanted.length - 1;
	for (let start = 0; start + last < lines.length; start += 1) {
		const first = lines[start];
		const end = lines[start + last];
		if (first === undefined || end === undefined) continue;
		// Lines of two hunks are neighbours in the list and not in the file.
		if (end.number - first.number !== last) continue;
		const matches = wanted.every((line, offset) => {
			const position = last === 0 ? "only" : offset === 0 ? "first" : offset === last ? "last" : "middle";
			return fits(line, present[start + offset] ?? "", position);
		});
		if (matches) places.push({ startLine: first.number, endLine: end.number });
	}
	return places;
}

function nearest(
	places: readonly LineRange[],
	options: { readonly near?: number; readonly prefers?: (range: LineRange) => boolean },
): LineRange | undefined {
	const { near, prefers } = options;
	if (near === undefined) return (prefers === undefined ? undefined : places.find(prefers)) ?? places[0];
	let best: LineRange | undefined;
	for (const place of places) {
		if (best === undefined || Math.abs(place.startLine - near) < Math.abs(best.startLine - near)) best = place;
	}
	return best;
}
