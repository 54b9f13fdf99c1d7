import type { LineRange } from "./locate-quote.ts";

export interface SuggestionInput extends LineRange {
	readonly suggestion: string;
	/** The head file's lines, CR included. */
	readonly lines: readonly string[];
	/** The lines of the hunk on the head side: a range may only grow inside them. */
	readonly hunk: LineRange;
}

/** A replacement that may be offered for its range, or the reason why it is shown as plain code only (BR-18). */
export type CheckedSuggestion =
	| ({ readonly ok: true; readonly suggestion: string } & LineRange)
	| { readonly ok: false; readonly reason: string };

/** A line that stands for left-out code in the habit of models: `...`, `// ... existing code ...`, `# rest unchanged`. */
const ELISION =
	/^\s*(?:(?:\/\/|#|--|;|\/\*|<!--)\s*)?(?:(?:\.{3}|…)(?:.{0,60}(?:\.{3}|…))?|(?:rest|remaining|existing|unchanged)\b.{0,40}\b(?:code|unchanged|same|function|method|implementation)\b.{0,20})\s*(?:\*\/|-->)?\s*$/i;

/** Characters that are not seen: bidi controls, zero width, tag block (A98). */
const HIDDEN = /[\u00AD\u061C\u180E\u200B-\u200F\u202A-\u202E\u2060-\u2069\uFEFF\u{E0000}-\u{E007F}]/u;

/** Decides whether the text really replaces exactly its range; keeps the line ending of the file (BR-13). */
export function checkSuggestion(input: SuggestionInput): CheckedSuggestion {
	const proposed = unwrapFence(input.suggestion).replace(/\r\n?/g, "\n").replace(/\n$/, "").split("\n");
	const present = input.lines.slice(input.startLine - 1, input.endLine);
	const presentText = present.map(withoutCarriageReturn);
	const reason = whyNotAReplacement(proposed, presentText);
	if (reason !== undefined) return { ok: false, reason };
	const range = widen(proposed, input);
	if (range === undefined) return { ok: false, reason: "it repeats lines around its range" };
	const ending = present.some((line) => line.endsWith("\r")) ? "\r\n" : "\n";
	const wide = input.lines.slice(range.startLine - 1, range.endLine).map(withoutCarriageReturn);
	if (sameLines(proposed, wide)) return { ok: false, reason: "it equals the present code" };
	return { ok: true, suggestion: proposed.join(ending), ...range };
}

function whyNotAReplacement(proposed: readonly string[], present: readonly string[]): string | undefined {
	if (sameLines(proposed, present)) return "it equals the present code";
	const filled = proposed.filter((line) => line.trim() !== "");
	const marked = (line: string): boolean => /^[+-]/.test(line);
	// A Markdown list or a YAML list starts its lines with a dash of its own.
	if (filled.length > 0 && filled.every(marked) && !present.filter((line) => line.trim() !== "").every(marked)) {
		return "its lines carry diff markers";
	}
	if (proposed.some((line) => /^(?:@@ |diff --git |--- a\/|\+\+\+ b\/)/.test(line))) return "it is a diff";
	const kept = new Set(present.map((line) => line.trim()));
	if (proposed.some((line) => ELISION.test(line) && !kept.has(line.trim()))) return "it leaves code out";
	if (HIDDEN.test(proposed.join("\n"))) return "it has hidden characters";
	return undefined;
}

/** The range grown by the neighbours that the text repeats; undefined when it would leave the hunk. */
function widen(proposed: readonly string[], input: SuggestionInput): LineRange | undefined {
	const lineAt = (number: number): string | undefined => {
		const line = input.lines[number - 1];
		return line === undefined ? undefined : withoutCarriageReturn(line);
	};
	const before = repeated(proposed.length, (count) => {
		for (let index = 0; index < count; index += 1) {
			if (proposed[index] !== lineAt(input.startLine - count + index)) return false;
		}
		return proposed.slice(0, count).some((line) => line.trim() !== "");
	});
	const after = repeated(proposed.length - before, (count) => {
		for (let index = 0; index < count; index += 1) {
			if (proposed[proposed.length - count + index] !== lineAt(input.endLine + 1 + index)) return false;
		}
		return proposed.slice(-count).some((line) => line.trim() !== "");
	});
	// Nothing but neighbours: widening would delete the range's own lines.
	if (before + after >= proposed.length) return undefined;
	const range = { startLine: input.startLine - before, endLine: input.endLine + after };
	const inside = range.startLine >= input.hunk.startLine && range.endLine <= input.hunk.endLine;
	return inside ? range : undefined;
}

/** The greatest count from 1 to `limit` for which `holds`; 0 for none. */
function repeated(limit: number, holds: (count: number) => boolean): number {
	for (let count = limit; count > 0; count -= 1) if (holds(count)) return count;
	return 0;
}

/** Models like to put the replacement into a fence of its own. */
function unwrapFence(text: string): string {
	const match = /^\s*(`{3,}|~{3,})[^\n]*\n([\s\S]*?)\n?\1\s*$/.exec(text);
	return match?.[2] === undefined || match[2].includes(match[1] ?? "```") ? text : match[2];
}

function withoutCarriageReturn(line: string): string {
	return line.endsWith("\r") ? line.slice(0, -1) : line;
}

function sameLines(a: readonly string[], b: readonly string[]): boolean {
	return a.length === b.length && a.every((line, index) => line.trimEnd() === (b[index] ?? "").trimEnd());
}
