import { createFactsStore, factsKey, type FactsStore } from "./facts-store.ts";
import { type GrammarId, grammarOfPath } from "./grammars.ts";
import { loadSupport } from "./languages/load-support.ts";
import type { OpenGrammar, SyntaxService } from "./syntax-service.ts";
import { createTextStore, type TextStore } from "./text-store.ts";
import type { FileFacts, IndexContext, LanguageSupport } from "./types.ts";
import { hasWord } from "./word-search.ts";

export interface IndexOptions {
	/** Tracked files, relative, in byte order; hidden ones left out. Asked for once. */
	readonly listFiles: () => Promise<readonly string[]>;
	/** Bytes of a file; undefined when it is absent, no regular file, hidden or too large. Never throws. */
	readonly read: (path: string) => Buffer | undefined;
	readonly syntax: SyntaxService;
	/** Facts that are kept beyond this index; by default those of everybody who uses the same `syntax`. */
	readonly store?: FactsStore;
}

/** Everything that the questions share: files, texts, facts, and the rules of the languages that are loaded. */
export interface IndexState {
	readonly paths: readonly string[];
	readonly texts: TextStore;
	readonly context: IndexContext;
	/** Makes the languages of these files ready. Their facts can be asked for afterwards. */
	prepare(paths: Iterable<string>): Promise<void>;
	supportOf(path: string): LanguageSupport | undefined;
	grammar(grammar: GrammarId): Promise<OpenGrammar>;
	/** All files of the support's language. */
	filesOf(support: LanguageSupport): readonly string[];
}

const shared = new WeakMap<SyntaxService, FactsStore>();

function storeFor({ syntax, store }: IndexOptions): FactsStore {
	if (store !== undefined) return store;
	const kept = shared.get(syntax) ?? createFactsStore();
	shared.set(syntax, kept);
	return kept;
}

export async function openIndexState(options: IndexOptions): Promise<IndexState> {
	const paths = await options.listFiles();
	const known = new Set(paths);
	const texts = createTextStore({ read: (path) => (known.has(path) ? options.read(path) : undefined) });
	const store = storeFor(options);
	const ready = new Map<GrammarId, { readonly support: LanguageSupport; readonly open: OpenGrammar } | undefined>();
	const facts = new Map<string, FileFacts | undefined>();
	const memory = new Map<string, unknown>();
	const byLanguage = new Map<string, readonly string[]>();
	const withWord = new Map<string, readonly string[]>();

	const supportOf = (path: string): LanguageSupport | undefined => {
		const grammar = grammarOfPath(path);
		return grammar === undefined ? undefined : ready.get(grammar)?.support;
	};
	const filesOf = (support: LanguageSupport): readonly string[] => {
		const found = byLanguage.get(support.id) ?? paths.filter((path) => support.grammars.some((grammar) => grammar === grammarOfPath(path)));
		byLanguage.set(support.id, found);
		return found;
	};
	const factsOf = (path: string): FileFacts | undefined => {
		if (facts.has(path)) return facts.get(path);
		const grammar = grammarOfPath(path);
		const language = grammar === undefined ? undefined : ready.get(grammar);
		// Not kept: the language may be made ready later.
		if (grammar === undefined || language === undefined) return undefined;
		const made = known.has(path) ? readFacts(path, grammar, language.support, language.open, texts, store) : undefined;
		facts.set(path, made);
		return made;
	};
	const filesWithWord = (word: string): readonly string[] => {
		const found = withWord.get(word) ?? paths.filter((path) => grammarOfPath(path) !== undefined && hasWord(texts.text(path) ?? "", word));
		withWord.set(word, found);
		return found;
	};
	return {
		paths,
		texts,
		supportOf,
		filesOf,
		grammar: (grammar) => options.syntax.openGrammar(grammar),
		async prepare(wanted) {
			for (const grammar of new Set([...wanted].map(grammarOfPath))) {
				if (grammar === undefined || ready.has(grammar)) continue;
				const support = await loadSupport(grammar);
				// All of a language: names are followed from one of its grammars to another.
				for (const each of support === undefined ? [grammar] : support.grammars) {
					if (each !== grammar && !paths.some((path) => grammarOfPath(path) === each)) continue;
					ready.set(each, support === undefined ? undefined : { support, open: await options.syntax.openGrammar(each) });
				}
			}
		},
		context: {
			paths,
			has: (path) => known.has(path),
			facts: factsOf,
			text: (path) => texts.text(path),
			filesWithWord,
			memo<T>(key: string, make: () => T): T {
				if (!memory.has(key)) memory.set(key, make());
				return memory.get(key) as T;
			},
		},
	};
}

/** Made by a program for a program: its names say nothing, and it costs more than all sources around it. */
function isMinified(text: string): boolean {
	if (text.length < 5_000) return false;
	let lines = 1;
	for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) lines++;
	return text.length / lines > 400;
}

/** A file that cannot be parsed has no facts; one with errors has what could be read. */
function readFacts(
	path: string,
	grammar: GrammarId,
	support: LanguageSupport,
	open: OpenGrammar,
	texts: TextStore,
	store: FactsStore,
): FileFacts | undefined {
	const blobId = texts.blobId(path);
	const text = texts.text(path);
	if (blobId === undefined || text === undefined) return undefined;
	if (isMinified(text)) return undefined;
	const key = factsKey(blobId, grammar, support);
	const kept = store.get(key);
	if (kept !== undefined) return kept;
	const outcome = open.parse(text, (tree) => support.extract(tree, text, open.parsePiece, grammar));
	if (!outcome.ok) return undefined;
	store.set(key, outcome.value);
	return outcome.value;
}
