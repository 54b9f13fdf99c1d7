/** A Markdown text cut at its header. Line numbers are 1-based lines of the file. */
export type SplitText =
	| { readonly kind: "split"; readonly header: string; readonly headerLine: number; readonly body: string }
	/** No header. `hint` is set when the text looks as if one was meant. */
	| { readonly kind: "none"; readonly body: string; readonly hint?: string }
	/** A header that opens in a way that must not be read on: never closed, or in another language. */
	| { readonly kind: "broken"; readonly reason: string };

const OPEN = /^---[ \t]*$/;
const CLOSE = /^(?:---|\.\.\.)[ \t]*$/;
const LONG_DASHES = /^-{4,}[ \t]*$/;
/** `---js`, `--- json`: gray-matter would pick an engine by this word and run it (BR-35). */
const OTHER_LANGUAGE = /^---[ \t]*[^\s-]/;

/**
 * Cuts a text into header and body by the rules of BR-62: the first line is exactly `---`, a line `---` or `...`
 * closes, longer dashes do not. A byte order mark and trailing blanks are allowed; nothing else may stand before.
 */
export function splitFrontMatter(text: string): SplitText {
	const lines = (text.startsWith("\uFEFF") ? text.slice(1) : text).split(/\r\n|\n|\r/);
	const first = lines[0] ?? "";
	if (OTHER_LANGUAGE.test(first)) {
		return {
			kind: "broken",
			reason: `line 1: found ${JSON.stringify(first.slice(0, 40))}, wanted exactly --- (only YAML headers are read)`,
		};
	}
	if (!OPEN.test(first)) {
		const hint = findMisplacedOpening(lines);
		return { kind: "none", body: lines.join("\n"), ...(hint === undefined ? {} : { hint }) };
	}
	for (let index = 1; index < lines.length; index++) {
		const line = lines[index] ?? "";
		if (CLOSE.test(line)) {
			return { kind: "split", header: lines.slice(1, index).join("\n"), headerLine: 2, body: lines.slice(index + 1).join("\n") };
		}
		if (LONG_DASHES.test(line)) {
			return { kind: "broken", reason: `line ${index + 1}: found ${line.trim().slice(0, 12)}… , wanted exactly --- to close the header` };
		}
	}
	return { kind: "broken", reason: "the header opened in line 1 is never closed; add a line --- after its last key" };
}

/** A `---` that is indented or comes after blank lines: not a header, but worth a word to its author. */
function findMisplacedOpening(lines: readonly string[]): string | undefined {
	const index = lines.findIndex((line) => line.trim() !== "");
	const line = lines[index];
	if (line === undefined || line.trim() !== "---") return undefined;
	const next = lines.slice(index + 1).find((candidate) => candidate.trim() !== "");
	if (next === undefined || !/^\s*[A-Za-z][\w-]*\s*:/.test(next)) return undefined;
	const what = line.startsWith(" ") || line.startsWith("\t") ? "indented" : "not in the first line";
	return `line ${index + 1}: the opening --- is ${what}; move it to column 1 of line 1, and the keys to column 1`;
}
