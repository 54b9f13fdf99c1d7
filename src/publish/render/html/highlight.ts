import highlightCore from "highlight.js/lib/core";
import go from "highlight.js/lib/languages/go";
import java from "highlight.js/lib/languages/java";
import javascript from "highlight.js/lib/languages/javascript";
import python from "highlight.js/lib/languages/python";
import rust from "highlight.js/lib/languages/rust";
import typescript from "highlight.js/lib/languages/typescript";
import { revealHidden } from "../../../domain/hidden-text.ts";
import { escapeText } from "./markup.ts";

/** Colours code of the five languages; anything else comes back escaped and plain. Output is escaped markup. */
export interface Highlighter {
	/** One string of markup a line, as many as the text has lines. */
	lines(text: string, language: string | undefined): readonly string[];
}

const LANGUAGES = { go, java, javascript, python, rust, typescript } as const;

const EXTENSIONS: Readonly<Record<string, keyof typeof LANGUAGES>> = {
	go: "go",
	java: "java",
	js: "javascript",
	jsx: "javascript",
	mjs: "javascript",
	cjs: "javascript",
	javascript: "javascript",
	ts: "typescript",
	tsx: "typescript",
	mts: "typescript",
	cts: "typescript",
	typescript: "typescript",
	py: "python",
	pyi: "python",
	python: "python",
	rs: "rust",
	rust: "rust",
};

/** The language of a path, a file extension or the word behind a fence. */
export function languageOf(name: string): string | undefined {
	return EXTENSIONS[name.slice(name.lastIndexOf(".") + 1).toLowerCase()];
}

/** A text so big is not worth the time, and no reader wants it coloured. */
const MAX_CHARS = 20_000;

export function createHighlighter(): Highlighter {
	const engine = highlightCore.newInstance();
	for (const [name, language] of Object.entries(LANGUAGES)) engine.registerLanguage(name, language);
	const highlight = (text: string, language: string | undefined): string => {
		if (language === undefined || text.length > MAX_CHARS) return escapeText(text);
		return engine.highlight(revealHidden(text.toWellFormed()), { language, ignoreIllegals: true }).value;
	};
	return { lines: (text, language) => splitLines(highlight(text, language)) };
}

/** A comment or string may go over several lines: its element is closed at each end and opened again. */
function splitLines(markup: string): readonly string[] {
	const open: string[] = [];
	return markup.split("\n").map((line) => {
		const before = open.join("");
		for (const [tag] of line.matchAll(/<span [^>]*>|<\/span>/g)) {
			if (tag === "</span>") open.pop();
			else open.push(tag);
		}
		return before + line + "</span>".repeat(open.length);
	});
}
