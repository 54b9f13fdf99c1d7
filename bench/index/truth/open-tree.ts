import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import path from "node:path";
import { Language, Parser, type Tree } from "web-tree-sitter";
import { grammarOfPath, locateAssets } from "../../../src/code-index/grammars.ts";
import type { FileFacts, IndexContext, LanguageSupport } from "../../../src/code-index/types.ts";

/**
 * A work tree as a resolver sees it: every tracked file, parsed when it is asked for, with nothing capped.
 * Rejects when `root` is no git work tree.
 */
export async function openTree(root: string, support: LanguageSupport): Promise<IndexContext> {
	await Parser.init();
	const locate = locateAssets(path.resolve("node_modules"));
	const parser = new Parser();
	const grammar = support.grammars[0];
	if (grammar === undefined) throw new Error(`${support.id} has no grammar`);
	parser.setLanguage(await Language.load(readFileSync(locate(grammar))));
	const parse = (text: string): Tree | undefined => parser.parse(text) ?? undefined;
	const paths = execFileSync("git", ["-C", root, "ls-files", "-z"], { maxBuffer: 1 << 28 })
		.toString("utf8")
		.split("\0")
		.filter(Boolean);
	const known = new Set(paths);
	const ours = paths.filter((file) => grammarOfPath(file) === grammar);
	const texts = new Map<string, string | undefined>();
	const facts = new Map<string, FileFacts | undefined>();
	const memos = new Map<string, unknown>();
	const words = new Map<string, readonly string[]>();

	function text(file: string): string | undefined {
		if (!known.has(file)) return undefined;
		if (!texts.has(file)) texts.set(file, readText(path.join(root, file)));
		return texts.get(file);
	}

	return {
		paths,
		has: (file) => known.has(file),
		text,
		facts(file) {
			if (facts.has(file)) return facts.get(file);
			const source = grammarOfPath(file) === grammar ? text(file) : undefined;
			const tree = source === undefined ? undefined : parse(source);
			const made = source === undefined || tree === undefined ? undefined : support.extract(tree, source, parse, grammar);
			tree?.delete();
			facts.set(file, made);
			return made;
		},
		filesWithWord(word) {
			let found = words.get(word);
			if (found === undefined) {
				const whole = new RegExp(`(?<![\\p{L}\\p{N}_$])${word.replaceAll(/[^\p{L}\p{N}_]/gu, "\\$&")}(?![\\p{L}\\p{N}_$])`, "u");
				found = ours.filter((file) => {
					const source = text(file);
					return source?.includes(word) === true && whole.test(source);
				});
				words.set(word, found);
			}
			return found;
		},
		memo<T>(key: string, make: () => T): T {
			if (!memos.has(key)) memos.set(key, make());
			return memos.get(key) as T;
		},
	};
}

function readText(file: string): string | undefined {
	try {
		return readFileSync(file, "utf8");
	} catch {
		return undefined;
	}
}
