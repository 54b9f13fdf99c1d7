/**
 * A8: the share of a tree's `fn`, `struct`, `enum` and `trait` items, comments and strings left out, that the index finds.
 *
 * Usage: node bench/index/truth/rust/count-items.ts ROOT
 */
import { readFileSync } from "node:fs";
import path from "node:path";
import { Language, Parser } from "web-tree-sitter";
import { locateAssets } from "../../../../src/code-index/grammars.ts";
import { RUST_SUPPORT } from "../../../../src/code-index/languages/rust/rust-support.ts";
import { openTree } from "../open-tree.ts";

const SILENT = ["line_comment", "block_comment", "string_literal", "raw_string_literal"];

const context = await openTree(process.argv[2] ?? "", RUST_SUPPORT);
const parser = new Parser().setLanguage(await Language.load(readFileSync(locateAssets(path.resolve("node_modules"))("rust"))));
let written = 0;
let found = 0;
for (const file of context.paths.filter((one) => one.endsWith(".rs"))) {
	const known = new Set(context.facts(file)?.definitions.map(({ index }) => index));
	for (const item of listItems(context.text(file) ?? "")) {
		written++;
		if (known.has(item.index)) found++;
		else console.log(`  not found: ${item.text} at ${file}:${item.index}`);
	}
}
console.log(`${found} of ${written}: ${(found / written).toFixed(4)}`);

function listItems(text: string): readonly { readonly text: string; readonly index: number }[] {
	const tree = parser.parse(text);
	if (tree === null) return [];
	let plain = text;
	for (const { startIndex, endIndex } of tree.rootNode.descendantsOfType(SILENT)) {
		plain = plain.slice(0, startIndex) + " ".repeat(endIndex - startIndex) + plain.slice(endIndex);
	}
	tree.delete();
	return [...plain.matchAll(/\b(?:fn|struct|enum|trait)\s+([A-Za-z_]\w*)/g)].map((match) => ({
		text: match[0],
		index: match.index + match[0].length - (match[1]?.length ?? 0),
	}));
}
