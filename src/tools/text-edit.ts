/** One replacement as a model asks for it: text as `read_file` shows it, without the CR of line ends. */
export interface TextEdit {
	readonly oldText: string;
	readonly newText: string;
	readonly replaceAll?: boolean | undefined;
}

export type EditResult =
	| { readonly ok: true; readonly text: string; readonly count: number }
	| { readonly ok: false; readonly reason: string };

/**
 * Applies one edit. Line ends are compared without their CR and written back as they are where the change stands, so a
 * CRLF file stays one (BR-13). A text that stands there zero times, or more often than asked for, changes nothing (A68).
 */
export function applyTextEdit(text: string, edit: TextEdit): EditResult {
	const wanted = toLineFeeds(edit.oldText);
	const replacement = toLineFeeds(edit.newText);
	if (wanted === "") return { ok: false, reason: "oldText is empty" };
	if (wanted === replacement) return { ok: false, reason: "oldText and newText are the same" };
	const plain = toLineFeeds(text);
	const starts = findAll(plain, wanted);
	if (starts.length === 0) return { ok: false, reason: "oldText does not stand in the file; copy it exactly, without the line numbers" };
	if (starts.length > 1 && edit.replaceAll !== true) {
		return { ok: false, reason: `oldText stands in the file ${starts.length} times; add lines around it, or set replaceAll` };
	}
	const place = buildPlaces(text);
	let result = "";
	let done = 0;
	for (const start of starts) {
		const from = place(start);
		const to = place(start + wanted.length);
		result += text.slice(done, from) + withLineEnds(replacement, lineEndAround(text, from, to));
		done = to;
	}
	return { ok: true, text: result + text.slice(done), count: starts.length };
}

/** A whole new text in the form of the old one: its line ends, its byte order mark. */
export function keepTextForm(old: string, next: string): string {
	const mark = old.startsWith("\ufeff") && !next.startsWith("\ufeff") ? "\ufeff" : "";
	const carriages = old.split("\r\n").length - 1;
	const isCrlf = carriages > 0 && carriages === old.split("\n").length - 1;
	return mark + (isCrlf ? withLineEnds(toLineFeeds(next), "\r\n") : next);
}

function toLineFeeds(text: string): string {
	return text.replaceAll("\r\n", "\n");
}

function withLineEnds(text: string, lineEnd: "\n" | "\r\n"): string {
	return lineEnd === "\n" ? text : text.replaceAll("\n", "\r\n");
}

function findAll(text: string, wanted: string): readonly number[] {
	const starts: number[] = [];
	for (let at = text.indexOf(wanted); at !== -1; at = text.indexOf(wanted, at + wanted.length)) starts.push(at);
	return starts;
}

/** Where an offset of the text without CRs lies in the text itself. Asked for in rising order. */
function buildPlaces(text: string): (offset: number) => number {
	let at = 0;
	let plain = 0;
	return (offset) => {
		while (plain < offset) {
			at += text[at] === "\r" && text[at + 1] === "\n" ? 2 : 1;
			plain++;
		}
		return at;
	};
}

/** The line end of the changed place itself, else of the line it stands in, else of the line before. */
function lineEndAround(text: string, from: number, to: number): "\n" | "\r\n" {
	const inside = text.slice(from, to);
	const end = inside.indexOf("\n");
	if (end !== -1) return inside[end - 1] === "\r" ? "\r\n" : "\n";
	const next = text.indexOf("\n", to);
	const nearest = next === -1 ? text.lastIndexOf("\n", from) : next;
	return nearest > 0 && text[nearest - 1] === "\r" ? "\r\n" : "\n";
}
