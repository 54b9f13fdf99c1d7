import type { GrammarId } from "../grammars.ts";
import type { Definition, Export, FileFacts, Import, Occurrence, Scope } from "../types.ts";
import { createLineTable } from "./line-table.ts";
import { squeeze } from "./squeeze.ts";

/** What an extractor says of a definition; places are offsets, the rest is worked out. */
export type NewDefinition = Omit<Definition, "line" | "column" | "startLine" | "endLine" | "signature" | "container"> & {
	/** Where the declaration's head ends and its body begins. */
	readonly headEnd?: number;
};
export type NewOccurrence = Omit<Occurrence, "line" | "column" | "scope" | "enclosing">;

/** Collects the facts of one file while an extractor walks over its tree. */
export interface FactsBuilder {
	/** The definition stands inside of the definitions that are open. Returns its number. */
	define(definition: NewDefinition): number;
	/** What only shows after the definition was made, such as the type of a field that a constructor assigns. */
	amend(definition: number, more: Partial<Pick<Definition, "type" | "exported" | "isStatic" | "conditional" | "scope">>): void;
	definition(number: number): Definition;
	/** Whether something of that name stands right inside of the definition. */
	hasMember(owner: number, name: string): boolean;
	/** Recorded for the innermost scope and the innermost open callable or type. */
	use(occurrence: NewOccurrence): void;
	import(entry: Omit<Import, "line" | "scope">): number;
	export(entry: Omit<Export, "line">): void;
	dynamicName(name: string): void;
	/** Runs `body` in a new scope. */
	inScope<T>(scope: Omit<Scope, "parent">, body: (scope: number) => T): T;
	/** Runs `body` with the definition open: what is defined and used meanwhile stands inside of it. */
	inDefinition<T>(definition: number, body: () => T): T;
	/** Innermost scope; with kinds, the innermost one of these. */
	scope(...kinds: readonly Scope["kind"][]): number;
	/** The innermost open definition; with a test, the innermost one that passes. */
	container(passes?: (definition: Definition) => boolean): number | undefined;
	/** Position in a scope that is being walked: the nearest definition of that name which the scope itself binds. */
	boundIn(scope: number, name: string): number | undefined;
	/** With the package that the source declares, where the language has such a thing. */
	finish(packageName?: string): FileFacts;
}

export function createFactsBuilder(text: string, grammar: GrammarId, hasErrors: boolean): FactsBuilder {
	const lines = createLineTable(text);
	const definitions: Definition[] = [];
	const occurrences: Occurrence[] = [];
	const imports: Import[] = [];
	const exports: Export[] = [];
	const scopes: Scope[] = [{ kind: "file", startIndex: 0, endIndex: text.length }];
	const dynamicNames = new Set<string>();
	const openScopes: number[] = [0];
	const openDefinitions: number[] = [];
	const bound = new Map<string, number>();
	const members = new Set<string>();

	const builder: FactsBuilder = {
		define({ headEnd, ...definition }) {
			const container = openDefinitions.at(-1);
			const number =
				definitions.push({
					...definition,
					...lines.at(definition.index),
					startLine: lines.at(definition.startIndex).line,
					endLine: lines.at(Math.max(definition.startIndex, definition.endIndex - 1)).line,
					...(container === undefined ? {} : { container }),
					signature: squeeze(text.slice(definition.startIndex, headEnd ?? definition.endIndex)),
				}) - 1;
			if (container !== undefined) members.add(`${container} ${definition.name}`);
			const place = `${definition.scope} ${definition.name}`;
			if (definition.scope !== undefined && !bound.has(place)) bound.set(place, number);
			return number;
		},
		amend(number, more) {
			definitions[number] = { ...builder.definition(number), ...more };
		},
		definition(number) {
			const found = definitions[number];
			if (found === undefined) throw new Error(`there is no definition ${number}`);
			return found;
		},
		hasMember: (owner, name) => members.has(`${owner} ${name}`),
		use(occurrence) {
			const enclosing = builder.container(encloses);
			occurrences.push({
				...occurrence,
				...lines.at(occurrence.index),
				scope: openScopes.at(-1) ?? 0,
				...(enclosing === undefined ? {} : { enclosing }),
			});
		},
		import(entry) {
			imports.push({ ...entry, line: lines.at(entry.index).line, scope: openScopes.at(-1) ?? 0 });
			return imports.length - 1;
		},
		export: (entry) => void exports.push({ ...entry, line: lines.at(entry.index).line }),
		dynamicName: (name) => void dynamicNames.add(name),
		inScope(scope, body) {
			const own = scopes.push({ ...scope, parent: openScopes.at(-1) ?? 0 }) - 1;
			return whileOpen(openScopes, own, () => body(own));
		},
		inDefinition: (definition, body) => whileOpen(openDefinitions, definition, body),
		scope(...kinds) {
			if (kinds.length === 0) return openScopes.at(-1) ?? 0;
			return openScopes.findLast((scope) => kinds.some((kind) => scopes[scope]?.kind === kind)) ?? 0;
		},
		container: (passes = () => true) => openDefinitions.findLast((number) => passes(builder.definition(number))),
		boundIn: (scope, name) => bound.get(`${scope} ${name}`),
		finish(packageName) {
			const named = packageName === undefined ? {} : { package: packageName };
			const dynamic = dynamicNames.size === 0 ? {} : { dynamicNames: [...dynamicNames] };
			return { grammar, ...named, definitions, occurrences, imports, exports, scopes, hasErrors, ...dynamic };
		},
	};
	return builder;
}

const ENCLOSING: ReadonlySet<Definition["kind"]> = new Set([
	...(["function", "method", "constructor", "class", "interface", "struct", "enum", "trait", "type", "module", "macro"] as const),
]);

/** Callables and types; a variable that holds a function counts where the extractor calls it one. */
function encloses(definition: Definition): boolean {
	return ENCLOSING.has(definition.kind) || definition.parameters !== undefined;
}

function whileOpen<T>(stack: number[], own: number, body: () => T): T {
	stack.push(own);
	try {
		return body();
	} finally {
		stack.pop();
	}
}
