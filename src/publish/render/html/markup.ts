import { revealHidden } from "../../../domain/hidden-text.ts";

/** Markup that is safe to stand in the page. Made by `html` and the few functions that vouch for what they wrap. */
export interface Markup {
	readonly markup: string;
}

/** What may stand in a template: text is escaped, markup is not, nothing is nothing. */
export type Part = string | number | Markup | readonly Part[] | undefined;

/**
 * Builds markup; every text put into it is escaped, in elements and in quoted attributes alike. There is no other
 * way for a text of a model, a pull request or a journal into the page (A91).
 */
export function html(strings: TemplateStringsArray, ...parts: readonly Part[]): Markup {
	let markup = strings[0] ?? "";
	for (const [index, part] of parts.entries()) markup += renderPart(part) + (strings[index + 1] ?? "");
	return { markup };
}

/** Only for markup whose texts are escaped already: the output of the highlighter and of the Markdown renderer. */
export function vouchFor(markup: string): Markup {
	return { markup };
}

function renderPart(part: Part): string {
	if (part === undefined) return "";
	if (typeof part === "number") return String(part);
	if (typeof part === "string") return escapeText(part);
	return isMarkup(part) ? part.markup : part.map(renderPart).join("");
}

function isMarkup(part: Markup | readonly Part[]): part is Markup {
	return !Array.isArray(part);
}

const ENTITIES: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };

/** Hidden and control characters are shown as escapes, so that the page reads as its bytes are (A17). */
export function escapeText(text: string): string {
	return revealHidden(text.toWellFormed()).replace(/[&<>"']/g, (character) => ENTITIES[character] ?? "");
}

/** An id that any text may be made into: a fragment of the page's own address. */
export function slug(text: string): string {
	return text.replace(/[^A-Za-z0-9_-]+/g, "_").slice(0, 80);
}
