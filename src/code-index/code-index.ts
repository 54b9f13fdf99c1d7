import { type IndexOptions, openIndexState } from "./index-state.ts";
import type { NamePostings } from "./name-postings.ts";
import { findImpact } from "./questions/find-impact.ts";
import { findCallers, findReferences } from "./questions/find-references.ts";
import { findSymbol } from "./questions/find-symbol.ts";
import { type History, mapRepository } from "./questions/map-repository.ts";
import { runQuery } from "./questions/run-query.ts";
import type { CodeIndex } from "./types.ts";

export interface CodeIndexOptions extends IndexOptions {
	/** Which files were changed together, newest commit first; absent where there is no history. Rejects never. */
	readonly history?: () => Promise<History>;
}

/** Opens the index of one tree. Nothing is read before the first question. */
export function createCodeIndex(options: CodeIndexOptions): CodeIndex {
	let opened: ReturnType<typeof openIndexState> | undefined;
	let history: Promise<History> | undefined;
	let postings: NamePostings | undefined;
	const open = (): ReturnType<typeof openIndexState> => {
		opened ??= openIndexState(options);
		return opened;
	};
	const kept = {
		get: () => postings,
		keep: (made: NamePostings) => {
			postings = made;
		},
	};
	return {
		async facts(path) {
			const state = await open();
			await state.prepare([path]);
			return state.context.facts(path);
		},
		findSymbol: async (query, signal) => findSymbol(await open(), query, signal),
		findReferences: async (query, signal) => findReferences(await open(), query, signal),
		findCallers: async (query, signal) => findCallers(await open(), query, signal),
		impact: async (query, signal) => findImpact(await open(), query, signal),
		query: async (input, signal) => runQuery(await open(), input, signal),
		async repoMap(input, signal) {
			history ??= options.history?.() ?? Promise.resolve([]);
			return mapRepository(await open(), kept, await history, input, signal);
		},
	};
}
