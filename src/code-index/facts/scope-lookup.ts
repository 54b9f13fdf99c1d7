import type { Definition, FileFacts } from "../types.ts";

/** What a name is bound to in one scope. */
export interface Bindings {
	readonly definitions: readonly number[];
	readonly imports: readonly number[];
	readonly scope: number;
}

interface Tables {
	readonly bindings: ReadonlyMap<string, { readonly definitions: number[]; readonly imports: number[] }>;
	readonly members: ReadonlyMap<number, readonly number[]>;
}

const tables = new WeakMap<FileFacts, Tables>();

function tablesOf(facts: FileFacts): Tables {
	let made = tables.get(facts);
	if (made === undefined) {
		const bindings = new Map<string, { definitions: number[]; imports: number[] }>();
		const members = new Map<number, number[]>();
		const entry = (scope: number, name: string) => {
			const key = `${scope} ${name}`;
			const found = bindings.get(key) ?? { definitions: [], imports: [] };
			bindings.set(key, found);
			return found;
		};
		facts.definitions.forEach((definition, number) => {
			if (definition.scope !== undefined) entry(definition.scope, definition.name).definitions.push(number);
			if (definition.container === undefined) return;
			const siblings = members.get(definition.container);
			if (siblings === undefined) members.set(definition.container, [number]);
			else siblings.push(number);
		});
		facts.imports.forEach((entryOf, number) => {
			if (entryOf.local !== undefined) entry(entryOf.scope, entryOf.local).imports.push(number);
		});
		made = { bindings, members };
		tables.set(facts, made);
	}
	return made;
}

/** What the name is bound to in exactly this scope. */
export function bindingsIn(facts: FileFacts, scope: number, name: string): Bindings | undefined {
	const found = tablesOf(facts).bindings.get(`${scope} ${name}`);
	return found === undefined ? undefined : { ...found, scope };
}

/**
 * The innermost binding of a name seen from a scope. `accepts` leaves out definitions that cannot be meant (a type where
 * a value stands); `skip` leaves out whole scopes (Python's class bodies, seen from a method).
 */
export function lookUp(
	facts: FileFacts,
	from: number,
	name: string,
	accepts: (definition: Definition) => boolean = () => true,
	skip: (scope: number) => boolean = () => false,
): Bindings | undefined {
	for (let scope: number | undefined = from; scope !== undefined; scope = facts.scopes[scope]?.parent) {
		if (skip(scope)) continue;
		const found = bindingsIn(facts, scope, name);
		if (found === undefined) continue;
		const definitions = found.definitions.filter((number) => accepts(definitionAt(facts, number)));
		if (definitions.length > 0 || found.imports.length > 0) return { ...found, definitions };
	}
	return undefined;
}

/** Definitions that stand right inside of another one. */
export function membersOf(facts: FileFacts, owner: number): readonly number[] {
	return tablesOf(facts).members.get(owner) ?? [];
}

export function definitionAt(facts: FileFacts, number: number): Definition {
	const found = facts.definitions[number];
	if (found === undefined) throw new Error(`there is no definition ${number}`);
	return found;
}

/** The innermost scope around an offset. */
export function scopeAt(facts: FileFacts, index: number): number {
	let found = 0;
	for (let number = 1; number < facts.scopes.length; number++) {
		const scope = facts.scopes[number];
		if (scope !== undefined && scope.startIndex <= index && index < scope.endIndex) found = number;
	}
	return found;
}

/** The innermost definition around an offset that passes the test. */
export function definitionAround(facts: FileFacts, index: number, passes: (definition: Definition) => boolean): number | undefined {
	let found: number | undefined;
	for (let number = 0; number < facts.definitions.length; number++) {
		const definition = definitionAt(facts, number);
		if (definition.startIndex > index) break;
		if (index < definition.endIndex && passes(definition)) found = number;
	}
	return found;
}
