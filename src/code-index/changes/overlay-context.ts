import type { FileFacts, IndexContext } from "../types.ts";
import { hasWord } from "../word-search.ts";

/** A file as it stands on one side of a change. */
export interface FileVersion {
	readonly path: string;
	readonly text: string;
	readonly facts: FileFacts;
}

/**
 * A tree like `below` in which some files are others: the tree before a change, say, made of the head's and the changed
 * files' earlier versions. Nothing that was found out about `below` is taken over.
 * @param replaced by path; `undefined` for a file that this tree does not have
 */
export function overlayContext(below: IndexContext, replaced: ReadonlyMap<string, FileVersion | undefined>): IndexContext {
	const added = [...replaced].filter(([path, version]) => version !== undefined && !below.has(path)).map(([path]) => path);
	const gone = new Set([...replaced].filter(([, version]) => version === undefined).map(([path]) => path));
	const paths =
		added.length === 0 && gone.size === 0
			? below.paths
			: [...below.paths.filter((path) => !gone.has(path)), ...added].sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
	const memory = new Map<string, unknown>();
	return {
		paths,
		has: (path) => (replaced.has(path) ? replaced.get(path) !== undefined : below.has(path)),
		facts: (path) => (replaced.has(path) ? replaced.get(path)?.facts : below.facts(path)),
		text: (path) => (replaced.has(path) ? replaced.get(path)?.text : below.text(path)),
		filesWithWord: (word) => {
			const hits = below.filesWithWord(word).filter((path) => !replaced.has(path));
			const own = [...replaced.values()].filter((version) => version !== undefined && hasWord(version.text, word));
			return own.length === 0 ? hits : [...hits, ...own.flatMap((version) => version?.path ?? [])].sort();
		},
		memo<T>(key: string, make: () => T): T {
			if (!memory.has(key)) memory.set(key, make());
			return memory.get(key) as T;
		},
	};
}
