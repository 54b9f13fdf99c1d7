import { readFile } from "node:fs/promises";
import { Language, Parser, type Tree } from "web-tree-sitter";
import type { AssetLocator, GrammarId } from "./grammars.ts";

export type ParseOutcome<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly reason: string };

/** Parses source text with tree-sitter. Rows and columns are 0-based, columns and offsets in UTF-16 units. */
export interface SyntaxService {
	/**
	 * Parses and hands the tree to `read`; the tree is freed when `read` returns, so nothing of it may be kept.
	 * Text over the limit, and a parse that takes too long, are outcomes. Rejects when the wasm files are missing.
	 */
	parseSource<T>(grammar: GrammarId, text: string, read: (tree: Tree) => T): Promise<ParseOutcome<T>>;
	/** Makes a grammar ready once, for many parses without waiting. Rejects when the wasm files are missing. */
	openGrammar(grammar: GrammarId): Promise<OpenGrammar>;
}

/** A grammar that is loaded. */
export interface OpenGrammar {
	readonly language: Language;
	/** As `parseSource`, at once. */
	parse<T>(text: string, read: (tree: Tree) => T): ParseOutcome<T>;
	/** For pieces of a text, while a tree of the same grammar is read; who asks deletes the tree. */
	parsePiece(text: string): Tree | undefined;
}

export interface SyntaxServiceOptions {
	readonly locateAsset: AssetLocator;
	/** In UTF-16 units; about 4 MB of source a second are parsed (INDEX.md 2.2). */
	readonly maxChars?: number;
	readonly maxMs?: number;
}

/** Loads the runtime at the first parse, and each grammar when it is first asked for (9 to 35 ms each). */
export function createSyntaxService(options: SyntaxServiceOptions): SyntaxService {
	const maxChars = options.maxChars ?? 1_000_000;
	const maxMs = options.maxMs ?? 2_000;
	const grammars = new Map<GrammarId, Promise<OpenGrammar>>();
	let runtime: Promise<void> | undefined;

	async function load(grammar: GrammarId): Promise<OpenGrammar> {
		runtime ??= startRuntime(options.locateAsset("runtime"));
		await runtime;
		const language = await Language.load(await readFile(options.locateAsset(grammar)));
		const parser = new Parser().setLanguage(language);
		const parsePiece = (text: string): Tree | undefined => {
			const deadline = performance.now() + maxMs;
			const tree = parser.parse(text, null, { progressCallback: () => performance.now() > deadline });
			if (tree === null) parser.reset();
			return tree ?? undefined;
		};
		return {
			language,
			parsePiece,
			parse(text, read) {
				if (text.length > maxChars) return { ok: false, reason: "too large to parse" };
				const tree = parsePiece(text);
				if (tree === undefined) return { ok: false, reason: "took too long to parse" };
				try {
					return { ok: true, value: read(tree) };
				} finally {
					tree.delete();
				}
			},
		};
	}

	function openGrammar(grammar: GrammarId): Promise<OpenGrammar> {
		let loading = grammars.get(grammar);
		if (loading === undefined) {
			loading = load(grammar);
			grammars.set(grammar, loading);
		}
		return loading;
	}

	return {
		openGrammar,
		parseSource: async (grammar, text, read) => (await openGrammar(grammar)).parse(text, read),
	};
}

async function startRuntime(file: string): Promise<void> {
	// Given as bytes: a bundle's own address says nothing about where its assets are (INDEX.md 2.1).
	const bytes = await readFile(file);
	await Parser.init({ wasmBinary: new Uint8Array(bytes).buffer });
}
