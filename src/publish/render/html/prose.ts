import MarkdownIt from "markdown-it";
import { cutText } from "../../../domain/cut-text.ts";
import { revealHidden } from "../../../domain/hidden-text.ts";
import { languageOf, type Highlighter } from "./highlight.ts";
import { vouchFor, type Markup } from "./markup.ts";

/** Renders a model's Markdown. */
export interface ProseRenderer {
	/** Paragraphs, lists, tables and code. */
	blocks(text: string): Markup;
	/** One line: code and emphasis only. */
	line(text: string): Markup;
}

const MAX_CHARS = 12_000;
const MAX_LINE_CHARS = 1_000;

/**
 * What acts is switched off, so it is shown as it was written: HTML, links, images and addresses (A88), headings, which
 * would break the page's outline, and rules.
 */
const SWITCHED_OFF = ["html_block", "html_inline", "link", "image", "autolink", "reference", "heading", "lheading", "hr"];

export function createProseRenderer(highlighter: Highlighter): ProseRenderer {
	const markdown = new MarkdownIt({
		html: false,
		linkify: false,
		highlight: (text, language) => highlighter.lines(text, languageOf(language)).join("\n"),
	}).disable(SWITCHED_OFF);
	// Alignment comes as a style attribute, which the page's policy refuses.
	markdown.renderer.rules["th_open"] = () => "<th>";
	markdown.renderer.rules["td_open"] = () => "<td>";
	return {
		blocks: (text) => vouchFor(markdown.render(prepare(text, MAX_CHARS, "\n\n…"))),
		line: (text) => vouchFor(markdown.renderInline(prepare(text.replace(/\s+/g, " "), MAX_LINE_CHARS, "…"))),
	};
}

function prepare(text: string, limit: number, ellipsis: string): string {
	const clean = revealHidden(text.toWellFormed().replace(/\r\n?/g, "\n"));
	const cut = cutText(clean, limit);
	return cut.length < clean.length ? cut + ellipsis : cut;
}
