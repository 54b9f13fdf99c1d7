import MarkdownIt from "markdown-it";
import { cutText } from "../../../domain/cut-text.ts";
import { revealHidden } from "../../../domain/hidden-text.ts";
import { languageOf, type Highlighter } from "./highlight.ts";
import { vouchFor, type Markup } from "./markup.ts";

/** Renders a model's Markdown as paragraphs, lists, tables and code. */
export type ProseRenderer = (text: string) => Markup;

const MAX_CHARS = 12_000;

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
	return (text) => {
		const clean = revealHidden(text.toWellFormed().replace(/\r\n?/g, "\n"));
		const cut = cutText(clean, MAX_CHARS);
		return vouchFor(markdown.render(cut.length < clean.length ? `${cut}\n\n…` : cut));
	};
}
