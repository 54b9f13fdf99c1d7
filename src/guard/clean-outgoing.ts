import type { OutgoingCleaner } from "../seams.ts";
import { isAllowedUrl } from "./allowed-url.ts";

export interface OutgoingCleanerOptions {
	/** Takes known secrets and secret-like shapes out. */
	readonly redact: (text: string) => string;
	/** Addresses that stay live when a link starts with one of them: the repository's pages and the run's. */
	readonly allowedUrls: readonly string[];
}

/**
 * The one filter for everything that is published (SECURITY.md 7.8, A87 to A91). It reads Markdown as GitHub does
 * only as far as it can be sure to read it the same way: fences are rewritten to the left margin with a fence longer
 * than their content, stray backticks are escaped, and what is left is prose in which mentions, references,
 * commands, HTML, links and images lose their power.
 */
export function createOutgoingCleaner(options: OutgoingCleanerOptions): OutgoingCleaner {
	const counts = { secrets: 0, links: 0, mentions: 0 };
	const redact = (text: string): string => {
		const redacted = options.redact(text);
		if (redacted !== text) counts.secrets += 1;
		return redacted;
	};
	const prose: ProseRules = { allowed: (url) => isAllowedUrl(url, options.allowedUrls), counts };
	return {
		clean: (text) => cleanBlocks(redact(visible(text)), prose),
		cleanLine: (text) => cleanProseLine(oneLine(redact(visible(text))), prose),
		redact: (text) => redact(visible(text)),
		tally: () => ({ ...counts }),
	};
}

interface ProseRules {
	readonly allowed: (url: string) => boolean;
	readonly counts: { links: number; mentions: number };
}

/** Nothing but what can be seen. */
const PLAIN = /^[\t\n\x20-\x7E]*$/;

/** Invisible characters and terminal sequences go; joiners stay, because emoji and several scripts need them. */
function visible(text: string): string {
	if (PLAIN.test(text)) return text;
	return (
		text
			.toWellFormed()
			.replace(/\r\n?/g, "\n")
			// biome-ignore lint/suspicious/noControlCharactersInRegex: terminal sequences start with one
			.replace(/\u001B\[[0-9;?]*[ -/]*[@-~]/g, "")
			// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is taken out
			.replace(/[\u0000-\u0008\u000B-\u001F\u007F-\u009F\u200B\u200E\u200F\u202A-\u202E\u2060-\u2069\uFEFF]/g, "")
			// Tag characters are only seen in the flags of regions, behind a black flag.
			.replace(/(\u{1F3F4}[\u{E0020}-\u{E007F}]+)|[\u{E0000}-\u{E007F}]/gu, "$1")
	);
}

/** A title stands inside markup of ours, where a heading's or a list's mark would mean nothing good. */
function oneLine(text: string): string {
	return text
		.replace(/\s+/g, " ")
		.trim()
		.replace(/^(?:(?:#{1,6}|[-*+>])\s+)+/, "");
}

function cleanBlocks(text: string, rules: ProseRules): string {
	const lines = text.split("\n");
	const result: string[] = [];
	for (let index = 0; index < lines.length; index += 1) {
		const line = lines[index] ?? "";
		const fence = /^(\s*)(`{3,}|~{3,})([^`]*)$/.exec(line);
		if (fence === null) {
			result.push(cleanProseLine(line, rules));
			continue;
		}
		const content: string[] = [];
		const closing = closingFence(fence[2] ?? "```");
		for (index += 1; index < lines.length && !closing.test(lines[index] ?? ""); index += 1) {
			content.push(withoutIndent(lines[index] ?? "", fence[1]?.length ?? 0));
		}
		result.push(...fenced(content, fence[3] ?? ""));
	}
	return result.join("\n");
}

function closingFence(opening: string): RegExp {
	return new RegExp(`^\\s*\\${opening[0] ?? "`"}{${opening.length},}\\s*$`);
}

function withoutIndent(line: string, width: number): string {
	let index = 0;
	while (index < width && (line[index] === " " || line[index] === "\t")) index += 1;
	return line.slice(index);
}

/** At the left margin, so that no list or quotation decides where it ends; longer than any run in it (BR-17). */
function fenced(content: readonly string[], info: string): readonly string[] {
	const longest = Math.max(0, ...content.flatMap((line) => [...line.matchAll(/`+/g)].map((run) => run[0].length)));
	const fence = "`".repeat(Math.max(3, longest + 1));
	const word = /^\s*([\w#+.-]{1,20})/.exec(info)?.[1] ?? "";
	// A suggestion is only offered when it was checked against its range; diagrams may carry links.
	const language = /^(?:suggestion|mermaid|geojson|topojson|stl|math)$/i.test(word) ? "" : word;
	return [`${fence}${language}`, ...content, fence];
}

/** A piece of a line: code and kept links stand as they are, text still has to be escaped. */
interface Piece {
	readonly kind: "code" | "link" | "text";
	readonly text: string;
}

function cleanProseLine(line: string, rules: ProseRules): string {
	if (/^\s{0,3}(?:=+|-{2,})\s*$/.test(line) || (/^[\s>|:-]+$/.test(line) && line.includes("|") && line.includes("-"))) {
		// A rule would make the line above a heading; a table would cut code spans at their pipes.
		return line.trim() === "" ? "" : `\\${line.trim()}`;
	}
	const heading = /^\s{0,3}#{1,6}\s+(.*?)\s*#*\s*$/.exec(line)?.[1];
	if (heading !== undefined) {
		const text = joinPieces(splitCodeSpans(heading).flatMap((piece) => (piece.kind === "text" ? cleanText(piece.text, rules) : [piece])));
		return /[*_`\\]/.test(text) || text === "" ? text : `**${text}**`;
	}
	const command = /^(\s*(?:(?:>|[-*+]|\d+[.)])\s+)*)(\/[a-z][\w-]*)(?=\s|$)(.*)$/i.exec(line);
	const prefix = command?.[1] ?? "";
	const rest = command === null ? line : (command[3] ?? "");
	const pieces: Piece[] = [
		...(command === null ? [] : [{ kind: "code", text: inlineCode(command[2] ?? "") } as const]),
		...splitCodeSpans(rest).flatMap((piece) => (piece.kind === "text" ? cleanText(piece.text, rules) : [piece])),
	];
	// Text that somebody prints must not start a command of the runner (BR-38, A83).
	return (prefix + joinPieces(pieces)).replace(/^(\s*):(?=:)/, "$1\\:").replace(/##(?=\[)/g, "# #");
}

/** Code spans that open and close on this line; a lone run of backticks is text and gets escaped later. */
function splitCodeSpans(line: string): readonly Piece[] {
	const pieces: Piece[] = [];
	let text = "";
	let index = 0;
	while (index < line.length) {
		const character = line[index] ?? "";
		if (character === "\\" && index + 1 < line.length) {
			text += line.slice(index, index + 2);
			index += 2;
			continue;
		}
		if (character !== "`") {
			text += character;
			index += 1;
			continue;
		}
		const run = /^`+/.exec(line.slice(index))?.[0] ?? "`";
		const end = endOfSpan(line, index + run.length, run.length);
		if (end === undefined) {
			text += run;
			index += run.length;
			continue;
		}
		if (text !== "") pieces.push({ kind: "text", text });
		pieces.push({ kind: "code", text: line.slice(index, end) });
		text = "";
		index = end;
	}
	if (text !== "") pieces.push({ kind: "text", text });
	return pieces;
}

function endOfSpan(line: string, from: number, length: number): number | undefined {
	for (const run of line.slice(from).matchAll(/`+/g)) if (run[0].length === length) return from + run.index + length;
	return undefined;
}

/**
 * Everything in prose that acts: inline links and images, bare addresses, mentions, references to issues. Deleted
 * backslashes first: `\@name` shows, and therefore is, `@name`.
 */
const ACTIVE =
	/(?<image>!?)\[(?<label>[^[\]]*)\]\((?<target>[^()\s]+)(?:\s+"[^"]*")?\)|(?<url>(?:https?|ftp):\/\/[^\s<>`"]+|(?<![A-Za-z0-9])www\.[^\s<>`"]+|(?<![A-Za-z0-9])(?:mailto|xmpp):[^\s<>`"]+)|(?<mention>@[A-Za-z0-9][A-Za-z0-9-]*(?:\/[A-Za-z0-9_.-]+)?)|(?<reference>(?:[\w.-]{1,40}\/[\w.-]{1,100})?#\d+\w*|(?<![A-Za-z0-9])GH-\d+\w*)/gi;

function cleanText(raw: string, rules: ProseRules): readonly Piece[] {
	const text = raw.replace(/\\+([@:/.#]?)/g, (run, active: string) => (active === "" ? run : active));
	const pieces: Piece[] = [];
	let last = 0;
	// One compiled pattern for all texts; the place is kept here, because labels of links are cleaned in between.
	let from = 0;
	const next = (): RegExpExecArray | null => {
		ACTIVE.lastIndex = from;
		const found = ACTIVE.exec(text);
		from = ACTIVE.lastIndex;
		return found;
	};
	for (let match = next(); match !== null; match = next()) {
		const before = match.index > last ? (text[match.index - 1] ?? "") : "";
		// `a@b.c` and `feat/#12` are no mention and no reference; behind a piece that became code they would be.
		const isInsideWord =
			(match.groups?.["mention"] !== undefined && /[A-Za-z0-9]/.test(before)) ||
			(match.groups?.["reference"] !== undefined && /[A-Za-z0-9/&]/.test(before));
		if (isInsideWord) {
			from = match.index + 1;
			continue;
		}
		if (match.index > last) pieces.push({ kind: "text", text: text.slice(last, match.index) });
		pieces.push(...cleanActive(match, rules));
		last = match.index + match[0].length;
	}
	if (last < text.length) pieces.push({ kind: "text", text: text.slice(last) });
	return pieces;
}

function cleanActive(match: RegExpMatchArray, rules: ProseRules): readonly Piece[] {
	const { image, label, target, url, mention, reference } = match.groups ?? {};
	if (mention !== undefined) {
		rules.counts.mentions += 1;
		return [{ kind: "code", text: inlineCode(mention) }];
	}
	if (reference !== undefined) return [{ kind: "code", text: inlineCode(reference) }];
	if (url !== undefined) return cleanAddress(url, rules);
	const words = cleanText(label ?? "", rules);
	const address = target ?? "";
	// `#1` behind a bracket that something else has closed would be a reference again.
	const relative = /^(?!\/|www\.|#\d)[\w./#%+-]+$/i.test(address);
	if (image === "" && (relative || rules.allowed(address))) {
		return [{ kind: "link", text: `[${joinPieces(words)}](${address})` }];
	}
	rules.counts.links += 1;
	const note = image === "" ? " (" : " (image ";
	return [...words, { kind: "text", text: note }, { kind: "code", text: inlineCode(address) }, { kind: "text", text: ")" }];
}

function cleanAddress(found: string, rules: ProseRules): readonly Piece[] {
	const url = found.replace(/[.,;:!?)\]'*_]+$/, "");
	const tail = found.slice(url.length);
	const rest: readonly Piece[] = tail === "" ? [] : [{ kind: "text", text: tail }];
	if (rules.allowed(url)) return [{ kind: "link", text: url }, ...rest];
	rules.counts.links += 1;
	return [{ kind: "code", text: inlineCode(url) }, ...rest];
}

/** A code span around any one-line text. */
function inlineCode(text: string): string {
	const longest = Math.max(0, ...[...text.matchAll(/`+/g)].map((run) => run[0].length));
	const ticks = "`".repeat(longest + 1);
	return longest === 0 ? `\`${text}\`` : `${ticks} ${text} ${ticks}`;
}

/** Puts the pieces together so that neither a backslash nor a neighbouring backtick changes a code span's borders. */
function joinPieces(pieces: readonly Piece[]): string {
	const parts: string[] = [];
	let last = "";
	for (const piece of pieces) {
		const next = piece.kind === "text" ? escapeText(piece.text) : piece.text;
		if (piece.kind === "code" ? last === "`" || last === "\\" : last === "`" && next.startsWith("`")) parts.push(" ");
		parts.push(next);
		last = next.at(-1) ?? last;
	}
	return parts.join("");
}

/** Entities that are harmless as text stay; all others could spell what was just taken out. */
function escapeText(text: string): string {
	return text
		.replace(/&(?!(?:lt|gt|amp|quot);)(?=#?\w+;)/g, "&amp;")
		.replaceAll("<", "&lt;")
		.replace(/\](?=[(:])/g, "]\\")
		.replace(/\\+`?|`/g, (run) => (run.endsWith("`") && run.length % 2 === 1 ? `${run.slice(0, -1)}\\\`` : run));
}
