import { readSync } from "node:fs";
import type { CodeIndex } from "../code-index/types.ts";
import { createFileOpener, type FileOpener } from "../guard/open-inside.ts";
import { createFileUniverse } from "./file-universe.ts";
import type { ToolContext } from "./tool-context.ts";

/** Larger files are data or generated; nothing of them is in the index. */
const MAX_FILE_BYTES = 2 * 1024 * 1024;

const opened = new WeakMap<ToolContext, Promise<CodeIndex>>();

/**
 * The index of the child's tree, one a context. Loaded at the first question: neither the start nor a child that never
 * asks pays for it. Files that policy hides are not in it (A67), and each is read through the guard.
 */
export function openIndex(context: ToolContext): Promise<CodeIndex> {
	if (context.treeMayChange === true) return open(context);
	const before = opened.get(context);
	if (before !== undefined) return before;
	const opening = open(context);
	opened.set(context, opening);
	return opening;
}

async function open(context: ToolContext): Promise<CodeIndex> {
	const { createCodeIndex } = await import("../code-index/code-index.ts");
	const universe = createFileUniverse(context);
	const file = createFileOpener(context.root);
	return createCodeIndex({
		listFiles: () => universe.list(),
		read: (path) => readFile(file, path),
		syntax: context.syntax,
		// A map without history is still a map (INDEX.md 3.6).
		history: async () => (await context.readHistory?.().catch(() => [])) ?? [],
	});
}

function readFile(open: FileOpener, path: string): Buffer | undefined {
	using file = asDisposable(open(path));
	if (!file.ok || file.size > MAX_FILE_BYTES) return undefined;
	const bytes = Buffer.allocUnsafe(file.size);
	let length = 0;
	while (length < file.size) {
		const read = readSync(file.descriptor, bytes, length, file.size - length, length);
		if (read === 0) break;
		length += read;
	}
	return bytes.subarray(0, length);
}

/** A refusal holds nothing that has to be closed. */
function asDisposable<T extends object>(value: T): T & Disposable {
	return Symbol.dispose in value ? (value as T & Disposable) : Object.assign(value, { [Symbol.dispose]: () => undefined });
}
