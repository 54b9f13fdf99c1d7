import type { Tree } from "web-tree-sitter";
import type { GrammarId } from "./grammars.ts";
import type { TypingFacts } from "./languages/typing-facts.ts";

/*
 * What the index knows. Facts of a file are plain data that depend on its text and grammar alone, so that they can be
 * kept by git blob id, shared by worktrees and written to disk. Lines are 1-based, columns 0-based, columns and offsets
 * in UTF-16 units of the whole file. References between facts are positions in the arrays of the same `FileFacts`.
 */

export type DefinitionKind =
	| "function"
	| "method"
	| "constructor"
	| "class"
	| "interface"
	| "struct"
	| "enum"
	| "enumMember"
	| "trait"
	| "type"
	| "typeParameter"
	| "module"
	| "macro"
	| "variable"
	| "constant"
	| "field"
	| "property"
	| "parameter"
	| "label";

/** How a callable may be called; the receiver (`self`, `this`) is not counted. */
export interface Parameters {
	/** Positional parameters without a default. */
	readonly required: number;
	/** Positional parameters with a default, or that may be left out. */
	readonly optional: number;
	/** Takes any number of further positional arguments. */
	readonly variadic: boolean;
	/** Names of the positional ones, in order; empty text for a pattern. */
	readonly names: readonly string[];
	/** Python: parameters that can only be given by name. */
	readonly keywordOnly?: readonly { readonly name: string; readonly required: boolean }[];
	/** Python: takes any keyword. */
	readonly anyKeyword?: boolean;
	/** Python: the first so many positional ones cannot be given by name. */
	readonly positionalOnly?: number;
}

/** What the source says about the type of a name. The text is as written, white space made single. */
export interface TypeHint {
	/**
	 * `annotation`: a type was written; `construct`: the value is made by `new T(…)`, `T{…}`, `T(…)` or the like and the
	 * text is `T`; `call`: the value is what the callee `text` returns; `copy`: the value is the expression `text`;
	 * `element`: it is one element of the expression `text` (a loop's variable).
	 */
	readonly form: "annotation" | "construct" | "call" | "copy" | "element";
	readonly text: string;
}

export interface Definition {
	readonly name: string;
	readonly kind: DefinitionKind;
	/** Of the name. */
	readonly line: number;
	readonly column: number;
	readonly index: number;
	/** The whole declaration, decorators and modifiers included where the grammar has them inside. */
	readonly startLine: number;
	readonly endLine: number;
	readonly startIndex: number;
	readonly endIndex: number;
	/** The definition that this one stands in (type, function, module). */
	readonly container?: number;
	/** As written, when the type that owns a member is named and not around it: Go's receiver, Rust's `impl`. */
	readonly owner?: string;
	/** Rust: the trait that the `impl` around it implements, as written. */
	readonly trait?: string;
	/** The scope that binds the name. Members are bound in no scope: they are found through their owner. */
	readonly scope?: number;
	/** Static member, or one that needs no instance. */
	readonly isStatic?: boolean;
	/** Only for callables. */
	readonly parameters?: Parameters;
	/** Visible to other files by the language's own rule. */
	readonly exported: boolean;
	/** Type of a variable, parameter or field; result type of a callable. */
	readonly type?: TypeHint;
	/** Of a type: what it extends, implements or embeds, as written. */
	readonly supertypes?: readonly string[];
	/** Defined only on some path of the program (`if`, `try`, `#[cfg]`, build tag), or again for the same name. */
	readonly conditional?: boolean;
	/** Decorators, annotations or attributes, as written, without their sign. */
	readonly decorators?: readonly string[];
	/** The declaration up to its body, white space made single, at most 200 characters. */
	readonly signature: string;
}

export type OccurrenceRole = "call" | "read" | "write" | "type" | "import";

export interface Arguments {
	/** Positional ones. */
	readonly count: number;
	/** `...args`, `*args`, `**kwargs`: the count is a lower bound. */
	readonly spread: boolean;
	/** Python: names of keyword arguments. */
	readonly names?: readonly string[];
}

/** One use of a name: never its own definition. */
export interface Occurrence {
	readonly name: string;
	readonly line: number;
	readonly column: number;
	readonly index: number;
	readonly role: OccurrenceRole;
	/** The innermost scope around it. */
	readonly scope: number;
	/** Member access only: the expression left of the name as written, white space made single, at most 200 characters. */
	readonly receiver?: string;
	/** A key of an object literal or pattern, a named field of a struct literal, a keyword argument: no receiver is written. */
	readonly isKey?: boolean;
	/** Calls only. */
	readonly arguments?: Arguments;
	/** `new T()`. */
	readonly isConstruction?: boolean;
	/** The innermost definition of a callable or type around it. */
	readonly enclosing?: number;
	/** Position in `imports`, for the role `import`. */
	readonly import?: number;
}

export interface Scope {
	/** Absent for the file's scope, which is the first one. */
	readonly parent?: number;
	readonly kind: "file" | "module" | "type" | "function" | "block";
	readonly startIndex: number;
	readonly endIndex: number;
	/** The definition whose body it is. */
	readonly definition?: number;
}

export interface Import {
	/**
	 * `name`: one name of a module; `module`: the module itself (namespace import, Python's `import a.b`, Go's packages);
	 * `default`: its default export; `wildcard`: all its names; `effect`: nothing is bound.
	 */
	readonly kind: "name" | "module" | "default" | "wildcard" | "effect";
	/** Specifier as written, without quotes; Python's leading dots included. */
	readonly module: string;
	/** The name in the module; for `name` only. */
	readonly imported?: string;
	/** The name it is bound to here; absent where nothing is bound. */
	readonly local?: string;
	readonly scope: number;
	readonly line: number;
	readonly index: number;
	/** Only types are taken. */
	readonly typeOnly?: boolean;
	/** Java: `import static`. */
	readonly isStatic?: boolean;
}

/** A name that the file hands on and that is not simply an exported definition: re-exports, `export { a as b }`, `pub use`. */
export interface Export {
	/** `*` hands on everything of the module. */
	readonly exported: string;
	/** Bound in this file; absent for a re-export. */
	readonly local?: string;
	/** Re-exports: from where, and the name there (`*` for the module itself, `default` for its default export). */
	readonly module?: string;
	readonly imported?: string;
	readonly line: number;
	readonly index: number;
}

export interface FileFacts {
	readonly grammar: GrammarId;
	/** Package that the source declares: Go's and Java's. */
	readonly package?: string;
	/** In source order. */
	readonly definitions: readonly Definition[];
	readonly occurrences: readonly Occurrence[];
	readonly imports: readonly Import[];
	readonly exports: readonly Export[];
	/** The first one is the file's. */
	readonly scopes: readonly Scope[];
	/** The parser met text that it did not understand: facts may be missing. */
	readonly hasErrors: boolean;
	/** Names that the file reaches only at run time, such as `__all__` entries and `getattr` texts. */
	readonly dynamicNames?: readonly string[];
	/** Go, Java, Rust: what the text says about types, at the positions of definitions and occurrences. */
	readonly typing?: TypingFacts;
}

/** `resolved`: a binding was followed; `typed`: the receiver's type is known; `name`: only the name speaks. */
export type Certainty = "resolved" | "typed" | "name";

/** A definition in the repository: `facts(path).definitions[definition]`. */
export interface DefinitionRef {
	readonly path: string;
	readonly definition: number;
}

/** What an occurrence means. */
export type Resolution =
	| {
			readonly kind: "found";
			/** More than one for overloads, conditional and merged declarations. */
			readonly targets: readonly DefinitionRef[];
			readonly certainty: "resolved" | "typed";
			/** For people and models, such as `imported from ./user` or `receiver is User`. */
			readonly evidence: string;
	  }
	/** Surely nothing of this repository: a built-in, a name of another package. */
	| { readonly kind: "external"; readonly evidence: string }
	/** Nobody can say without more knowledge; may mean any definition of its name. */
	| { readonly kind: "unknown" };

/**
 * What a language's resolver may ask. Everything is synchronous: files are read and parsed when they are asked for and
 * kept. Never throws.
 */
export interface IndexContext {
	/** Tracked files that policy does not hide, in byte order. */
	readonly paths: readonly string[];
	has(path: string): boolean;
	/** Undefined for a file that is absent, hidden, too large or of no supported language. */
	facts(path: string): FileFacts | undefined;
	/** Text of any file of the tree (a manifest, say); undefined when absent, hidden, binary or too large. */
	text(path: string): string | undefined;
	/** Paths of this language's files whose text has the word; cheap (no parsing). */
	filesWithWord(word: string): readonly string[];
	/** Keeps what is costly to find out as long as the index lives; `key` is unique to its caller. */
	memo<T>(key: string, make: () => T): T;
}

/** All that one language adds. */
export interface LanguageSupport {
	readonly id: "typescript" | "python" | "go" | "java" | "rust";
	readonly grammars: readonly GrammarId[];
	/** Raised whenever `extract` gives other facts for the same text: kept facts are then made anew. */
	readonly version: number;
	/** Exact compilers agree with `resolved` hits (S-020): only then are answers without `name` hits not approximate. */
	readonly isExact: boolean;
	/**
	 * Facts of one file. Pure; the tree is freed afterwards. May parse pieces of the text again (Rust's macro bodies) and
	 * has to delete what `parse` gives.
	 */
	extract(tree: Tree, text: string, parse: (text: string) => Tree | undefined, grammar: GrammarId): FileFacts;
	/** What the occurrence `facts.occurrences[occurrence]` of the file means. */
	resolve(path: string, facts: FileFacts, occurrence: number, context: IndexContext): Resolution;
	/** Files that the specifier of an import in `path` can mean; empty when it is none of this repository. */
	resolveModule(specifier: string, path: string, context: IndexContext): readonly string[];
	/**
	 * Other definitions that a reference to this one may reach: what a member overrides or implements, and what overrides
	 * or implements it. Without it nothing is related.
	 */
	related?(target: DefinitionRef, context: IndexContext): readonly DefinitionRef[];
	/**
	 * Words besides the definition's own name that a file must have to refer to it (a default export is imported under any
	 * name: then the stem of its file). Without it only the name is looked for.
	 */
	searchWords?(target: DefinitionRef, context: IndexContext): readonly string[];
}

/** A definition, readable. */
export interface SymbolHit extends DefinitionRef {
	readonly name: string;
	readonly kind: DefinitionKind;
	/** Names of what it stands in, such as `User` or `Outer.Inner`. */
	readonly container?: string;
	readonly line: number;
	readonly endLine: number;
	readonly column: number;
	readonly exported: boolean;
	readonly signature: string;
	readonly parameters?: Parameters;
}

export interface ReferenceHit {
	readonly path: string;
	readonly line: number;
	readonly column: number;
	readonly index: number;
	readonly role: OccurrenceRole;
	readonly certainty: Certainty;
	readonly evidence: string;
	/** The source line, trimmed, at most 200 characters. */
	readonly text: string;
	/** The callable or type that the reference stands in. */
	readonly enclosing?: SymbolHit;
	readonly arguments?: Arguments;
}

export interface IndexAnswer {
	/** Only names speak somewhere in the answer, or the language's resolution is not exact (S-020). */
	readonly approximate: boolean;
	/** Not every candidate file was looked at, or hits were left out. */
	readonly truncated: boolean;
	/** Files that have the word; the nearest ones were looked at. */
	readonly candidateFiles: number;
}

export interface SymbolAnswer extends IndexAnswer {
	readonly symbols: readonly SymbolHit[];
}

export interface ReferenceAnswer extends IndexAnswer {
	/** What was asked for; empty when nothing of that name is defined, then every hit has certainty `name`. */
	readonly targets: readonly SymbolHit[];
	/** The surest first, then by path and line. */
	readonly hits: readonly ReferenceHit[];
	readonly total: number;
}

export interface ImpactNode {
	readonly symbol: SymbolHit;
	/** 1 for what uses the target itself. */
	readonly depth: number;
	readonly certainty: Certainty;
	/** The reference that leads here. */
	readonly through: { readonly path: string; readonly line: number };
}

export interface ImpactAnswer extends IndexAnswer {
	readonly targets: readonly SymbolHit[];
	/** `unknown` when the target was not found or only names speak: never taken for low (S-020). */
	readonly risk: "none" | "low" | "medium" | "high" | "unknown";
	readonly nodes: readonly ImpactNode[];
	/** Files with a reference of any depth, tests apart. */
	readonly files: readonly string[];
	readonly tests: readonly string[];
}

export interface QueryCapture {
	readonly path: string;
	readonly line: number;
	readonly column: number;
	readonly capture: string;
	readonly type: string;
	/** At most 200 characters. */
	readonly text: string;
}

export interface QueryAnswer extends IndexAnswer {
	readonly captures: readonly QueryCapture[];
	/** The query does not fit the grammar, and where. */
	readonly error?: string;
}

export interface MapEntry {
	readonly path: string;
	/** Greater is nearer; only the order within one answer means something. */
	readonly score: number;
	readonly reasons: readonly string[];
	/** Outstanding definitions of the file. */
	readonly symbols: readonly SymbolHit[];
}

export interface MapAnswer extends IndexAnswer {
	readonly entries: readonly MapEntry[];
}

/** Chooses a definition: by name, by `Container.name`, or by the place of its definition or of a use. */
export interface SymbolQuery {
	readonly name: string;
	/** A file, folder or glob that the definition is in. */
	readonly path?: string;
	/** 1-based; with `path` a file. */
	readonly line?: number;
}

/**
 * The index of one tree. Files are read and parsed when a question needs them. Every answer is bounded (files, hits,
 * time); an abort ends it with what was found, `truncated`. Rejects only when the program's own files are missing.
 */
export interface CodeIndex {
	/** Facts of one file, from the cache when its blob was seen before. */
	facts(path: string): Promise<FileFacts | undefined>;
	findSymbol(query: SymbolQuery, signal: AbortSignal): Promise<SymbolAnswer>;
	findReferences(query: SymbolQuery, signal: AbortSignal): Promise<ReferenceAnswer>;
	/** References that are calls. */
	findCallers(query: SymbolQuery, signal: AbortSignal): Promise<ReferenceAnswer>;
	/** What uses what uses the symbol, over `resolved` and `typed` edges; `name` edges at depth 1 only. */
	impact(query: SymbolQuery & { readonly depth?: number }, signal: AbortSignal): Promise<ImpactAnswer>;
	/** Runs a tree-sitter query over files of one grammar. */
	query(input: { readonly query: string; readonly grammar?: GrammarId; readonly path?: string }, signal: AbortSignal): Promise<QueryAnswer>;
	/** Files that matter for the given ones: references both ways, history, place (INDEX.md 3.6). */
	repoMap(input: { readonly paths: readonly string[]; readonly limit?: number }, signal: AbortSignal): Promise<MapAnswer>;
}
