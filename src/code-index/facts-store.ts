import type { GrammarId } from "./grammars.ts";
import type { FileFacts, LanguageSupport } from "./types.ts";

/** Facts by what they are made from: worktrees with the same blob share them. */
export interface FactsStore {
	get(key: string): FileFacts | undefined;
	set(key: string, facts: FileFacts): void;
}

/** Names facts by blob, grammar and the version of what made them (INDEX.md 2.3). */
export function factsKey(blobId: string, grammar: GrammarId, support: Pick<LanguageSupport, "id" | "version">): string {
	return `${support.id}-${support.version}-${grammar}-${blobId}`;
}

/** Keeps the facts that were used last. A use of a name takes about 200 bytes. */
export function createFactsStore(maxEntries = 1_500_000): FactsStore {
	const kept = new Map<string, FileFacts>();
	let entries = 0;
	return {
		get(key) {
			const facts = kept.get(key);
			if (facts !== undefined) {
				kept.delete(key);
				kept.set(key, facts);
			}
			return facts;
		},
		set(key, facts) {
			const before = kept.get(key);
			if (before !== undefined) entries -= sizeOf(before);
			kept.delete(key);
			kept.set(key, facts);
			entries += sizeOf(facts);
			for (const [oldest, old] of kept) {
				if (entries <= maxEntries || oldest === key) break;
				kept.delete(oldest);
				entries -= sizeOf(old);
			}
		},
	};
}

function sizeOf(facts: FileFacts): number {
	return facts.definitions.length + facts.occurrences.length + facts.scopes.length + 10;
}
