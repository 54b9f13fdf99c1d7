import matter from "gray-matter";
import { isMap, isPair, isScalar, parseDocument, visit } from "yaml";
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
/** No real header uses aliases; a few are harmless, a bomb needs hundreds. */
const MAX_ALIASES = 10;

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
	let data: unknown;
	try {
		data = document.toJS({ maxAliasCount: MAX_ALIASES });
	} catch (error) {
		if (error instanceof ReferenceError) throw new HeaderProblem("limit", "the header uses too many aliases");
		throw error;
	}
	return checkData(data);
}

/** Repeated keys and oversized keys and trees, before anything is expanded. */
function checkNodes(document: ReturnType<typeof parseDocument>, source: string): void {
	let nodes = 0;
	visit(document, {
		Node: (_key, _node, path) => {
			if (++nodes > MAX_NODES) throw new HeaderProblem("limit", `the header has more than ${MAX_NODES} values`);
			if (path.length > MAX_DEPTH * 2) throw new HeaderProblem("limit", "the header is nested too deeply");
		},
		Map: (_key, map) => {
			const seen = new Set<string>();
			for (const pair of map.items) {
				if (!isPair(pair) || !isScalar(pair.key)) throw new HeaderProblem("syntax", "a key is not plain text");
				const key = String(pair.key.value);
				const start = pair.key.range?.[0] ?? 0;
				const line = countLines(source.slice(0, start));
				if (key.length > MAX_KEY_CHARACTERS)
					throw new HeaderProblem("limit", `a key is longer than ${MAX_KEY_CHARACTERS} characters`, line);
				if (seen.has(key)) throw new HeaderProblem("syntax", `the key ${key} stands there twice`, line);
				seen.add(key);
			}
		},
	});
}

/** Counts again after aliases were filled in, so that what leaves here can be serialised without growing. */
function checkData(data: unknown): object {
	let nodes = 0;
	const visitValue = (value: unknown, depth: number): void => {
		if (++nodes > MAX_NODES) throw new HeaderProblem("limit", `the header has more than ${MAX_NODES} values`);
		if (depth > MAX_DEPTH) throw new HeaderProblem("limit", "the header is nested too deeply");
		if (typeof value === "object" && value !== null) for (const inner of Object.values(value)) visitValue(inner, depth + 1);
	};
	visitValue(data, 0);
	if (typeof data !== "object" || data === null) throw new HeaderProblem("syntax", "the header is not a list of `key: value` lines", 1);
	return data;
}
