import { readFileSync } from "node:fs";
import path from "node:path";
import { Language, Parser } from "web-tree-sitter";
import { grammarOfPath, locateAssets } from "../../src/code-index/grammars.ts";
import { listDeclarations } from "../../src/code-index/languages/declarations.ts";
import type { FileFacts, IndexContext, LanguageSupport, Resolution } from "../../src/code-index/types.ts";

export interface OpenFiles {
	readonly context: IndexContext;
	facts(file: string): FileFacts;
	/**
	 * What each use of a name in a file means, in source order: `role certainty file:line` for what is found (several
	 * targets joined by `+`), otherwise `role external` or `role unknown`.
	 */
	uses(file: string, name: string): readonly string[];
	/** All that a declarations query captures in a file, as `name@offset`, without the given kinds. */
	declared(file: string, query: string, without: readonly string[]): readonly string[];
}

/** A small tree of one language, parsed with its real grammar. */
export async function openFiles(support: LanguageSupport, files: Readonly<Record<string, string>>): Promise<OpenFiles> {
	await Parser.init();
	const grammar = grammarOf(support);
	const parser = new Parser().setLanguage(await Language.load(readFileSync(locateAssets(path.resolve("node_modules"))(grammar))));
	const kept = new Map<string, FileFacts>();
	const memos = new Map<string, unknown>();

	function facts(file: string): FileFacts | undefined {
		const text = files[file];
		if (text === undefined || grammarOfPath(file) !== grammar) return undefined;
		const before = kept.get(file);
		if (before !== undefined) return before;
		const tree = parser.parse(text);
		if (tree === null) throw new Error(`${file} was not parsed`);
		const made = support.extract(tree, text, (part) => parser.parse(part) ?? undefined, grammarOf(support));
		tree.delete();
		kept.set(file, made);
		return made;
	}

	const context: IndexContext = {
		paths: Object.keys(files).sort(),
		has: (file) => files[file] !== undefined,
		facts,
		text: (file) => files[file],
		filesWithWord: (word) => Object.keys(files).filter((file) => files[file]?.split(/[^\p{L}\p{N}_$]+/u).includes(word)),
		memo<T>(key: string, make: () => T): T {
			if (!memos.has(key)) memos.set(key, make());
			return memos.get(key) as T;
		},
	};

	function place(resolution: Resolution): string {
		if (resolution.kind !== "found") return resolution.kind;
		const targets = resolution.targets.map((target) => `${target.path}:${facts(target.path)?.definitions[target.definition]?.line}`);
		return `${resolution.certainty} ${[...targets].sort().join("+")}`;
	}

	return {
		context,
		facts(file) {
			const found = facts(file);
			if (found === undefined) throw new Error(`${file} has no facts`);
			return found;
		},
		uses(file, name) {
			const found = facts(file);
			if (found === undefined) throw new Error(`${file} has no facts`);
			return found.occurrences.flatMap((occurrence, index) =>
				occurrence.name === name ? [`${occurrence.role} ${place(support.resolve(file, found, index, context))}`] : [],
			);
		},
		declared(file, query, without) {
			const tree = parser.parse(files[file] ?? "");
			if (tree === null) throw new Error(`${file} was not parsed`);
			const found = listDeclarations(tree, query).filter(({ kind, name }) => !without.includes(kind) && name !== "_");
			const names = found.map(({ name, startIndex }) => `${name}@${startIndex}`);
			tree.delete();
			return names;
		},
	};
}

function grammarOf(support: LanguageSupport): LanguageSupport["grammars"][number] {
	const [grammar] = support.grammars;
	if (grammar === undefined) throw new Error(`${support.id} has no grammar`);
	return grammar;
}
