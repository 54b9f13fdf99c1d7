import path from "node:path";
import { createCodeIndex } from "../../src/code-index/code-index.ts";
import { locateAssets } from "../../src/code-index/grammars.ts";
import { createSyntaxService } from "../../src/code-index/syntax-service.ts";
import type { CodeIndex, ReferenceAnswer } from "../../src/code-index/types.ts";

const syntax = createSyntaxService({ locateAsset: locateAssets(path.resolve("node_modules")) });

/** The index of a tree that is written down in the test. */
export function openMemoryIndex(files: Readonly<Record<string, string>>): CodeIndex {
	const read = (file: string) => (files[file] === undefined ? undefined : Buffer.from(files[file]));
	return createCodeIndex({ listFiles: async () => Object.keys(files).sort(), read, syntax });
}

/** `certainty path:line`, in the answer's order. */
export const places = (answer: ReferenceAnswer) => answer.hits.map((hit) => `${hit.certainty} ${hit.path}:${hit.line}`);
