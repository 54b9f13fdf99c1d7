import type { RunContext } from "../domain/run-context.ts";

/** A place that a text names, checked against the head of the change (S-028, X-02). */
export interface Citation {
	/** As it stands in the text. */
	readonly text: string;
	readonly path: string;
	readonly startLine: number;
	readonly endLine: number;
	readonly verified: boolean;
	/** Why it is not; absent when it is. */
	readonly reason?: string;
}

export interface VerifiedText {
	/** Each checked place is a permalink at the head, where the run has pages; each invented one is marked. */
	readonly markdown: string;
	/** In order, each place once. */
	readonly citations: readonly Citation[];
}

/**
 * `path:line`, `path:from-to`, with `#L`-free spelling, in back-ticks or not. A path has a dot or a slash, so that times,
 * ratios and hosts with ports in running text are no places; what is part of an address is left alone.
 */
const CITATION = /(?<![\w/:.@-])(`?)((?:[\w.@+~-]+\/)*[\w.@+~-]*[A-Za-z_][\w.@+~-]*):(\d{1,7})(?:[-–](\d{1,7}))?(?::\d{1,4})?\1(?![\w/])/g;
/** A place with a link of the model's own: the target is ours to choose. */
const LINKED = /\[(`?)([\w.@+~/-]+:\d{1,7}(?:[-–]\d{1,7})?)\1\]\([^()\s]*\)/g;
/** Code blocks are shown as they are. */
const FENCED = /^(?:```|~~~)[\s\S]*?^(?:```|~~~)[^\n]*$/gm;

export interface CitationSource {
	/** Text of a file at the head; undefined when there is none there. */
	readHead(path: string): Promise<string | undefined>;
	/** Paths at the head. */
	readonly paths: ReadonlySet<string>;
	readonly context: Pick<RunContext, "head" | "links">;
}

/**
 * Looks every citation up at the head. What cannot be found is not hidden: the reader sees that it is unverified and
 * why. Rejects only when git fails.
 */
export async function verifyCitations(given: string, source: CitationSource): Promise<VerifiedText> {
	const text = given.replace(LINKED, "$1$2$1");
	const fenced = [...text.matchAll(FENCED)].map((match) => [match.index, match.index + match[0].length] as const);
	const found = [...text.matchAll(CITATION)].filter(
		(match) => looksLikePath(match[2] ?? "", source.paths) && !fenced.some(([from, to]) => match.index >= from && match.index < to),
	);
	const checked = new Map<string, Citation>();
	const lines = new Map<string, number | undefined>();
	let markdown = "";
	let last = 0;
	for (const match of found) {
		const citation = await check(match, source, lines);
		checked.set(`${citation.path}:${citation.startLine}-${citation.endLine}`, citation);
		markdown += text.slice(last, match.index) + renderCitation(citation, source.context);
		last = match.index + match[0].length;
	}
	return { markdown: markdown + text.slice(last), citations: [...checked.values()] };
}

/** A word before a colon is only a place when a file has this name, or when it is written like one. */
function looksLikePath(path: string, paths: ReadonlySet<string>): boolean {
	return paths.has(path) || path.includes("/") || /\.[A-Za-z][A-Za-z0-9]{0,9}$/.test(path);
}

async function check(match: RegExpMatchArray, source: CitationSource, lines: Map<string, number | undefined>): Promise<Citation> {
	const [, , path = "", from = "0", to = from] = match;
	const place = { text: match[0], path: path.replace(/^\.\//, ""), startLine: Number(from), endLine: Number(to) };
	const reason = await findFault(place, source, lines);
	return reason === undefined ? { ...place, verified: true } : { ...place, verified: false, reason };
}

async function findFault(
	place: Pick<Citation, "path" | "startLine" | "endLine">,
	source: CitationSource,
	lines: Map<string, number | undefined>,
): Promise<string | undefined> {
	if (!source.paths.has(place.path)) return "there is no such file";
	if (!lines.has(place.path)) lines.set(place.path, await countLines(place.path, source));
	const count = lines.get(place.path);
	if (count === undefined) return "the file has no lines";
	if (place.startLine < 1 || place.endLine < place.startLine) return "there is no such line";
	return place.endLine > count ? `the file has ${count} ${count === 1 ? "line" : "lines"}` : undefined;
}

async function countLines(path: string, source: CitationSource): Promise<number | undefined> {
	const text = await source.readHead(path);
	if (text === undefined || text === "") return undefined;
	const lines = text.split("\n").length;
	return text.endsWith("\n") ? lines - 1 : lines;
}

function renderCitation(citation: Citation, context: CitationSource["context"]): string {
	const range = citation.endLine > citation.startLine ? `${citation.startLine}-${citation.endLine}` : String(citation.startLine);
	const shown = `\`${citation.path}:${range}\``;
	if (!citation.verified) return `${shown} (unverified: ${citation.reason ?? "not found"})`;
	if (context.links === undefined) return shown;
	const path = citation.path.split("/").map(encodePart).join("/");
	const fragment = citation.endLine > citation.startLine ? `#L${citation.startLine}-L${citation.endLine}` : `#L${citation.startLine}`;
	return `[${shown}](${context.links.repository}/blob/${context.head}/${path}${fragment})`;
}

function encodePart(part: string): string {
	return encodeURIComponent(part).replace(/[()'!*]/g, (character) => `%${character.charCodeAt(0).toString(16)}`);
}
