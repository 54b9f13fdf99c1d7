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
	const parsers = new Map<GrammarId, Promise<Parser>>();
	let runtime: Promise<void> | undefined;

	async function loadParser(grammar: GrammarId): Promise<Parser> {
		runtime ??= startRuntime(options.locateAsset("runtime"));
		await runtime;
		const language = await Language.load(await readFile(options.locateAsset(grammar)));
		return new Parser().setLanguage(language);
	}

	return {
		async parseSource(grammar, text, read) {
			if (text.length > maxChars) return { ok: false, reason: "too large to parse" };
			let loading = parsers.get(grammar);
			if (loading === undefined) {
				loading = loadParser(grammar);
				parsers.set(grammar, loading);
			}
			const parser = await loading;
			const deadline = performance.now() + maxMs;
			const tree = parser.parse(text, null, { progressCallback: () => performance.now() > deadline });
			if (tree === null) {
				parser.reset();
				return { ok: false, reason: "took too long to parse" };
			}
			try {
				return { ok: true, value: read(tree) };
			} finally {
				tree.delete();
			}
		},
	};
}

async function startRuntime(file: string): Promise<void> {
	// Given as bytes: a bundle's own address says nothing about where its assets are (INDEX.md 2.1).
	const bytes = await readFile(file);
	await Parser.init({ wasmBinary: new Uint8Array(bytes).buffer });
}
