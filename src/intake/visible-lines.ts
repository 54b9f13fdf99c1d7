/** What a line of a comment is: only `prose` can hold a command, `code` can belong to one, `dropped` counts for nothing. */
export interface CommentLine {
	readonly kind: "prose" | "code" | "dropped";
	/** The line with hidden text cut out. */
	readonly text: string;
	/** The same length as `text`, with inline code blanked out by a sign that is part of no command. */
	readonly masked: string;
}

/** Stands for every character of inline code; neither white space nor a letter nor a slash. */
const MASK = "\uFFFC";

const FENCE = /^( {0,3}(?:(?:[-*+]|\d{1,9}[.)]) {1,4})*)(`{3,}|~{3,})(.*)$/;
const QUOTE = /^\s*(?:(?:[-*+]|\d{1,9}[.)])\s+)*>/;
const INDENTED = /^(?: {4}| {0,3}\t)/;

/** Lines behind which a mail program puts the text that is answered. */
const REPLY_HEADS: readonly RegExp[] = [
	/^\s*On\b(?=.*\d).{3,300}\bwrote:\s*$/,
	/^\s*Am\b(?=.*\d).{3,300}\bschrieb\b.{0,200}:\s*$/,
	/^\s*Le\b(?=.*\d).{3,300}\ba écrit\s?:\s*$/,
	/^\s*El\b(?=.*\d).{3,300}\bescribió:\s*$/,
	/^\s*-{2,}\s*(?:Original Message|Forwarded message|Ursprüngliche Nachricht)\s*-{2,}\s*$/i,
	/^\s*(?:—|--)\s*\n\s*Reply to this email directly\b/,
	/^\s*From:\s.{1,200}\n\s*(?:Sent|Date):\s/,
];

/** A mail program may break the line before `wrote:` twice. */
const REPLY_HEAD_LINES = 3;

/**
 * Splits a comment as GitHub would show it: line ends made one kind first (BR-23), then fenced and indented code,
 * quotes, mail replies, hidden text and inline code told apart (BR-21, BR-22). Where Markdown is hard to read, the
 * doubtful text is code: a command that is not run can be sent again.
 */
export function readVisibleLines(comment: string): readonly CommentLine[] {
	const lines = comment.replace(/\r\n?/g, "\n").split("\n");
	const result: CommentLine[] = [];
	let fence: { readonly sign: string; readonly length: number; readonly indent: number } | undefined;
	let hidden = false;
	for (const [index, line] of lines.entries()) {
		if (fence !== undefined) {
			result.push(plain("code", line));
			if (closesFence(line, fence)) fence = undefined;
			continue;
		}
		const { text, open } = cutHidden(line, hidden);
		hidden = open;
		const opening = FENCE.exec(text);
		if (opening !== null && !(opening[2]?.startsWith("`") && opening[3]?.includes("`"))) {
			const run = opening[2] ?? "";
			fence = { sign: run.charAt(0), length: run.length, indent: opening[1]?.length ?? 0 };
			result.push(plain("code", text));
		} else if (isReplyHead(lines, index)) {
			break;
		} else if (QUOTE.test(text)) {
			result.push(plain("dropped", ""));
		} else if (INDENTED.test(text)) {
			result.push(plain("code", text));
		} else {
			result.push(plain("prose", text));
		}
	}
	return maskInlineCode(result);
}

function plain(kind: CommentLine["kind"], text: string): CommentLine {
	return { kind, text, masked: text };
}

function closesFence(line: string, fence: { readonly sign: string; readonly length: number; readonly indent: number }): boolean {
	const match = /^( *)(`{3,}|~{3,})\s*$/.exec(line);
	const run = match?.[2] ?? "";
	return run.startsWith(fence.sign) && run.length >= fence.length && (match?.[1]?.length ?? 0) <= fence.indent + 3;
}

/** Cuts HTML comments out of a line; an open one goes on to the next line, and to the end if nothing closes it. */
function cutHidden(line: string, startsHidden: boolean): { readonly text: string; readonly open: boolean } {
	let rest = line;
	let text = "";
	let open = startsHidden;
	for (;;) {
		const mark = open ? "-->" : "<!--";
		// Inside code marks it is text that speaks of comments.
		const at = (open ? rest : maskSpans(rest)).indexOf(mark);
		if (at < 0) return { text: open ? text : text + rest, open };
		if (!open) text += rest.slice(0, at);
		rest = rest.slice(at + mark.length);
		open = !open;
	}
}

function isReplyHead(lines: readonly string[], index: number): boolean {
	const last = Math.min(lines.length, index + REPLY_HEAD_LINES);
	for (let end = index + 1; end <= last; end++) {
		const joined = lines.slice(index, end);
		// A head that is broken over lines has no empty line in it.
		if (joined.some((line) => line.trim() === "")) return false;
		if (REPLY_HEADS.some((head) => head.test(joined.join(" ")) || head.test(joined.join("\n")))) return true;
	}
	return false;
}

/** Inline code can run over the lines of one paragraph, so paragraphs are masked as a whole. */
function maskInlineCode(lines: readonly CommentLine[]): readonly CommentLine[] {
	const result: CommentLine[] = [];
	let paragraph: CommentLine[] = [];
	const flush = (): void => {
		const masked = maskSpans(paragraph.map((line) => line.text).join("\n")).split("\n");
		for (const [index, line] of paragraph.entries()) result.push({ ...line, masked: masked[index] ?? line.text });
		paragraph = [];
	};
	for (const line of lines) {
		if (line.kind === "prose" && line.text.trim() !== "") {
			paragraph.push(line);
		} else {
			flush();
			result.push(line);
		}
	}
	flush();
	return result;
}

/** Replaces code spans: a run of backticks up to the next run of the same length. */
function maskSpans(text: string): string {
	let masked = "";
	let at = 0;
	while (at < text.length) {
		if (text[at] === "\\" && text[at + 1] === "`") {
			masked += text.slice(at, at + 2);
			at += 2;
			continue;
		}
		const run = /^`+/.exec(text.slice(at))?.[0];
		if (run === undefined) {
			masked += text[at];
			at += 1;
			continue;
		}
		const end = findRun(text, at + run.length, run.length);
		const span = end < 0 ? run : text.slice(at, end + run.length);
		masked += end < 0 ? span : span.replace(/[^\n]/g, MASK);
		at += span.length;
	}
	return masked;
}

function findRun(text: string, from: number, length: number): number {
	const runs = /`+/g;
	runs.lastIndex = from;
	for (let match = runs.exec(text); match !== null; match = runs.exec(text)) if (match[0].length === length) return match.index;
	return -1;
}
