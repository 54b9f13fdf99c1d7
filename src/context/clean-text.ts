import { decodeHTML } from "entities";
import { replaceHidden } from "../domain/hidden-text.ts";

/** Cleaned text and what was taken out, for the remark in the summary. */
export interface CleanedText {
	readonly text: string;
	/** Kinds of hidden parts with their number, for example `HTML comment` 2, `U+200B` 5. */
	readonly removed: ReadonlyMap<string, number>;
}

const FENCE = /^ {0,3}(`{3,}|~{3,})/;
const COMMENT = /<!--[\s\S]*?(?:-->|$)/g;
const CLOSED_OTHER = /<\?[\s\S]*?(?:\?>|$)|<!\[CDATA\[[\s\S]*?(?:\]\]>|$)|<![A-Za-z][^>]*>/g;
const TAG_NAME =
	"a|abbr|article|aside|audio|b|base|big|blockquote|body|br|button|canvas|caption|center|cite|code|col|colgroup|data|dd|del|details|dfn|dialog|div|dl|dt|em|embed|fieldset|figcaption|figure|font|footer|form|h[1-6]|head|header|hr|html|i|iframe|img|input|ins|kbd|label|legend|li|link|main|map|mark|math|meta|meter|nav|noscript|object|ol|optgroup|option|output|p|param|picture|pre|progress|q|rp|rt|ruby|s|samp|script|section|select|small|source|span|strike|strong|style|sub|summary|sup|svg|table|tbody|td|template|textarea|tfoot|th|thead|time|title|tr|track|tt|u|ul|var|video|wbr";
const TAG = new RegExp(`</?(${TAG_NAME})(?:\\s(?:"[^"]*"|'[^']*'|[^"'>])*)?/?>`, "gi");
/** Attributes that hold prose which nobody sees; others (a width, an address) go with their tag without a word. */
const UNSEEN_ATTRIBUTE = /\s(?:data-[\w-]+|aria-[\w-]+|title|alt|summary|placeholder)\s*=/i;
/** Elements whose text nobody sees: by element, by attribute or by style. */
const HIDDEN_ELEMENT = new RegExp(
	`<(script|style|template|title|noscript|object|iframe|svg|math|textarea|select)\\b[^>]*>[\\s\\S]*?(?:</\\1\\s*>|$)|<(${TAG_NAME})\\b(?=[^>]*(?:\\shidden\\b|aria-hidden|display\\s*:\\s*none|visibility\\s*:\\s*hidden|font-size\\s*:\\s*0|opacity\\s*:\\s*0|color\\s*:\\s*transparent))[^>]*>[\\s\\S]*?(?:</\\2\\s*>|$)`,
	"gi",
);
const IMAGE = /!\[(?:[^\]\\]|\\.)*\](?:\((?:[^()\\]|\\.|\([^()]*\))*\)|\[[^\]]*\])?/g;
const LINK_TITLE =
	/(\]\(\s*(?:<[^>]*>|[^\s()]*(?:\([^\s()]*\)[^\s()]*)*))\s+(?:"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|\((?:[^()\\]|\\.)*\))\s*\)/g;
const LINK_DEFINITION = /^ {0,3}\[(?:[^\]\\]|\\.)+\]:[ \t]*\n?[ \t]*\S+.*(?:\n[ \t]+["'(].*)?$/gm;

/** Whether a comment is open at the end of a line. */
function opensComment(line: string, open: boolean): boolean {
	const end = line.lastIndexOf("-->");
	const start = line.lastIndexOf("<!--");
	return start > end || (open && end === -1);
}

/** Splits Markdown into prose and fenced code; an unclosed fence runs to the end. */
function splitFences(text: string): { readonly code: boolean; readonly text: string }[] {
	const parts: { code: boolean; text: string }[] = [];
	let fence: string | undefined;
	// A comment that opens before a fence swallows it: nobody sees that fence, so it is no code.
	let comment = false;
	let current: string[] = [];
	const flush = (code: boolean) => {
		if (current.length > 0) parts.push({ code, text: current.join("\n") });
		current = [];
	};
	for (const line of text.split("\n")) {
		const mark = comment ? undefined : FENCE.exec(line)?.[1];
		if (fence === undefined && mark !== undefined) {
			flush(false);
			fence = mark;
			current.push(line);
		} else if (
			fence !== undefined &&
			mark !== undefined &&
			mark[0] === fence[0] &&
			mark.length >= fence.length &&
			/^ {0,3}[`~]+\s*$/.test(line)
		) {
			current.push(line);
			flush(true);
			fence = undefined;
		} else {
			current.push(line);
			if (fence === undefined) comment = opensComment(line, comment);
		}
	}
	flush(fence !== undefined);
	return parts;
}

function cleanProse(text: string, count: (kind: string) => void): string {
	const strip = (kind: string, pattern: RegExp, input: string, replacement: string | ((...groups: string[]) => string) = "") =>
		input.replace(pattern, (...groups: string[]) => {
			count(kind);
			return typeof replacement === "string" ? replacement : replacement(...groups);
		});
	// Entities first: a comment that is spelt with entities must not survive the stripping (BR-36).
	let result = decodeHTML(text);
	result = replaceHidden(result, ({ codePoint }) => {
		count(codePoint);
		return "";
	});
	result = strip("HTML comment", COMMENT, result);
	result = strip("HTML declaration", CLOSED_OTHER, result);
	result = strip("hidden element", HIDDEN_ELEMENT, result);
	result = strip("image", IMAGE, result, "[image]");
	result = strip("link title", LINK_TITLE, result, (_, head) => `${head})`);
	result = strip("link definition", LINK_DEFINITION, result);
	return result.replace(TAG, (tag) => {
		if (UNSEEN_ATTRIBUTE.test(tag)) count("hidden attribute");
		return /^<\/?(?:br|p|div|li|tr|h[1-6])\b/i.test(tag) ? "\n" : "";
	});
}

/**
 * The only door by which text of a pull request reaches a model (BR-36, A15 to A19): entities decoded, then
 * comments, hidden elements, image and link texts that nobody sees, link definitions and invisible characters
 * removed. What a person can read stays, fenced code letter by letter (without invisible characters).
 */
export function cleanText(text: string): CleanedText {
	const removed = new Map<string, number>();
	const count = (kind: string) => removed.set(kind, (removed.get(kind) ?? 0) + 1);
	const normalised = text.replace(/\r\n?/g, "\n");
	const cleaned = splitFences(normalised).map((part) =>
		part.code
			? replaceHidden(part.text, ({ codePoint }) => {
					count(codePoint);
					return "";
				})
			: cleanProse(part.text, count),
	);
	return {
		text: cleaned
			.join("\n")
			.replace(/\n{3,}/g, "\n\n")
			.trim(),
		removed,
	};
}

/** One line of text: a title, a branch or an author name. Markdown in it is shown as it is by GitHub, so only characters go. */
export function cleanLine(text: string): CleanedText {
	const removed = new Map<string, number>();
	const cleaned = replaceHidden(text.replace(/[\r\n\u2028\u2029]+/g, " "), ({ codePoint }) => {
		removed.set(codePoint, (removed.get(codePoint) ?? 0) + 1);
		return "";
	});
	return { text: cleaned.trim(), removed };
}
