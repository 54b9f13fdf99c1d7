import matter from "gray-matter";
import { isAlias, isMap, isPair, isScalar, parseDocument, visit, type YAMLMap } from "yaml";
import { errorText } from "../domain/errors.ts";

/** What a header's YAML gave. `line` is 1-based within the header. */
export type HeaderData =
	| { readonly ok: true; readonly data: Readonly<Record<string, unknown>> }
	| { readonly ok: false; readonly kind: "syntax" | "limit"; readonly reason: string; readonly line?: number };

/** The longest real header measured has 14,792 bytes; what is larger is an attack or an accident (A95). */
const MAX_HEADER_CHARACTERS = 65_536;
const MAX_HEADER_LINES = 2_000;
const MAX_KEY_CHARACTERS = 200;
const MAX_NODES = 5_000;
const MAX_DEPTH = 20;

class HeaderProblem extends Error {
	readonly kind: "syntax" | "limit";
	readonly line: number | undefined;
	constructor(kind: "syntax" | "limit", reason: string, line?: number) {
		super(reason);
		this.kind = kind;
		this.line = line;
	}
}

function refuseEngine(): never {
	throw new HeaderProblem("syntax", "only YAML headers are read");
}

/**
 * Engines are given in full and by name: gray-matter evaluates JavaScript headers when nobody objects, and its
 * shared cache is only passed by when options are given (BR-35, BR-61).
 */
const ENGINES = {
	yaml: { parse: parseYamlStrictly },
	json: { parse: refuseEngine },
	javascript: { parse: refuseEngine },
	coffee: { parse: refuseEngine },
	toml: { parse: refuseEngine },
};

/**
 * Parses the text between the dashes. Never throws: every fault of the header is a value, and a limit is told
 * apart from bad syntax. Bounded in time and memory whatever the text is (A95).
 */
export function parseHeaderYaml(header: string): HeaderData {
	if (header.length > MAX_HEADER_CHARACTERS) {
		return { ok: false, kind: "limit", reason: `the header has ${header.length} characters, at most ${MAX_HEADER_CHARACTERS} are read` };
	}
	if (countLines(header) > MAX_HEADER_LINES) {
		return { ok: false, kind: "limit", reason: `the header has more than ${MAX_HEADER_LINES} lines` };
	}
	try {
		// The splitter has found the end already; a delimiter that no text file holds keeps gray-matter from finding another.
		const { data } = matter(`---\n${header}`, { engines: ENGINES, language: "yaml", delimiters: ["---", "\u0000"] });
		return { ok: true, data };
	} catch (error) {
		if (error instanceof HeaderProblem) {
			return { ok: false, kind: error.kind, reason: error.message, ...(error.line === undefined ? {} : { line: error.line }) };
		}
		if (error instanceof RangeError) return { ok: false, kind: "limit", reason: "the header is nested too deeply" };
		return { ok: false, kind: "syntax", reason: errorText(error).split("\n")[0] ?? "not YAML" };
	}
}

function countLines(text: string): number {
	let lines = 1;
	for (let index = text.indexOf("\n"); index !== -1; index = text.indexOf("\n", index + 1)) lines++;
	return lines;
}

/** YAML 1.2 core, no custom tags, no merges, no repeated keys; plain data only. */
function parseYamlStrictly(text: string): object {
	// gray-matter hands over the line feed behind the opening dashes; without it the line numbers fit.
	const source = text.startsWith("\n") ? text.slice(1) : text;
	// The library compares every key with every other; the walk below does it in linear time.
	const document = parseDocument(source, { schema: "core", merge: false, uniqueKeys: false, logLevel: "silent", prettyErrors: true });
	// A tag the schema does not know is only a warning to the library; for us it is text nobody asked to be typed.
	const problem = document.errors[0] ?? document.warnings[0];
	if (problem !== undefined) {
		const exhausted = document.errors.some((error) => error.code === "RESOURCE_EXHAUSTION");
		if (exhausted) throw new HeaderProblem("limit", "the header is nested too deeply");
		const message = (problem.message.split("\n")[0] ?? "not YAML").replace(/ at line \d+, column \d+:?$/, "");
		throw new HeaderProblem("syntax", message, problem.linePos?.[0].line);
	}
	if (document.contents === null) return {};
	if (!isMap(document.contents)) throw new HeaderProblem("syntax", "the header is not a list of `key: value` lines", 1);
	checkNodes(document, source);
	const data: unknown = document.toJS({ maxAliasCount: 0 });
	if (typeof data !== "object" || data === null) throw new HeaderProblem("syntax", "the header is not a list of `key: value` lines", 1);
	return data;
}

/**
 * Repeated keys, oversized keys and trees, and what can make a tree grow. No real header uses aliases, so one is
 * refused as the start of a bomb; an anchor alone is a text that began with `&`.
 */
function checkNodes(document: ReturnType<typeof parseDocument>, source: string): void {
	let nodes = 0;
	let anchored = false;
	visit(document, {
		Node: (_key, node, path) => {
			if (++nodes > MAX_NODES) throw new HeaderProblem("limit", `the header has more than ${MAX_NODES} values`);
			if (path.length > MAX_DEPTH * 2) throw new HeaderProblem("limit", "the header is nested too deeply");
			if (isAlias(node)) throw new HeaderProblem("limit", "YAML aliases are not read");
			anchored ||= node.anchor !== undefined;
			if (isMap(node)) checkKeys(node, source);
		},
	});
	// Only now: an alias behind the anchor weighs more, and must not be mended away.
	if (anchored) throw new HeaderProblem("syntax", "a value starts with &");
}

function checkKeys(map: YAMLMap, source: string): void {
	const seen = new Set<string>();
	for (const pair of map.items) {
		if (!isPair(pair) || !isScalar(pair.key)) throw new HeaderProblem("syntax", "a key is not plain text");
		const key = String(pair.key.value);
		const line = (): number => countLines(source.slice(0, isScalar(pair.key) ? pair.key.range?.[0] : 0));
		if (key.length > MAX_KEY_CHARACTERS) throw new HeaderProblem("limit", `a key is longer than ${MAX_KEY_CHARACTERS} characters`, line());
		if (seen.has(key)) throw new HeaderProblem("syntax", `the key ${key} stands there twice`, line());
		seen.add(key);
	}
}
