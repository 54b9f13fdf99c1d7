import type { GrammarId } from "../grammars.ts";
import type { LanguageSupport } from "../types.ts";

/** Each language's rules are loaded when a file of it is first looked at: starting must not wait for them. */
const LOADERS: Readonly<Partial<Record<GrammarId, () => Promise<LanguageSupport>>>> = {
	typescript: loadTypeScript,
	tsx: loadTypeScript,
	javascript: loadTypeScript,
	python: async () => (await import("./python/support.ts")).PYTHON_SUPPORT,
	go: async () => (await import("./go/go-support.ts")).GO_SUPPORT,
	java: async () => (await import("./java/java-support.ts")).JAVA_SUPPORT,
	rust: async () => (await import("./rust/rust-support.ts")).RUST_SUPPORT,
};

async function loadTypeScript(): Promise<LanguageSupport> {
	return (await import("./typescript/support.ts")).TYPESCRIPT_SUPPORT;
}

/** Rules of the grammar's language; undefined for one that has none yet. */
export async function loadSupport(grammar: GrammarId): Promise<LanguageSupport | undefined> {
	return LOADERS[grammar]?.();
}
