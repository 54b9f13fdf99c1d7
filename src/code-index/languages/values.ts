import { definitionAt, scopeAt } from "../facts/scope-lookup.ts";
import type { DefinitionRef, FileFacts, IndexContext } from "../types.ts";

/** What an expression may be at run time, as far as the source says it. */
export type Value =
	/** An instance of a class, interface, struct or alias; or the object that a definition's literal makes. */
	| { readonly kind: "instance"; readonly ref: DefinitionRef }
	/** The class, enum or namespace itself. */
	| { readonly kind: "class"; readonly ref: DefinitionRef }
	| { readonly kind: "function"; readonly ref: DefinitionRef }
	| { readonly kind: "module"; readonly path: string }
	/** Something that holds values of one type; `promise` gives it up by `await`. */
	| { readonly kind: "sequence" | "promise"; readonly of: readonly Value[] }
	/** Each of its members is one of these (`Record<string, T>`). */
	| { readonly kind: "record"; readonly of: readonly Value[] }
	/** Calling it gives these. */
	| { readonly kind: "gives"; readonly of: readonly Value[] }
	/** Certainly nothing of this repository. */
	| { readonly kind: "external" };

/** Values that an expression may have; none when nobody can say. */
export type Values = readonly Value[];

export const EXTERNAL: Values = [{ kind: "external" }];

const MAX_VALUES = 8;

/** Each value once. More than a handful say nothing any more. */
export function distinct(values: Values): Values {
	if (values.length < 2) return values;
	const found = new Map(values.map((value) => [keyOf(value), value]));
	return found.size > MAX_VALUES ? [] : [...found.values()];
}

function keyOf(value: Value): string {
	switch (value.kind) {
		case "instance":
		case "class":
		case "function":
			return `${value.kind} ${value.ref.path}:${value.ref.definition}`;
		case "module":
			return `module ${value.path}`;
		case "sequence":
		case "promise":
		case "record":
		case "gives":
			return `${value.kind} ${value.of.map(keyOf).join(" ")}`;
		case "external":
			return "external";
	}
}

/** Where an expression stands, for the names in it. */
export interface Place {
	readonly path: string;
	readonly scope: number;
	/** Offset in the file, for `this` and `self`. */
	readonly index: number;
}

/** Where a definition's own text stands. */
export function placeOf(facts: FileFacts, path: string, definition: number): Place {
	const { startIndex } = definitionAt(facts, definition);
	return { path, scope: scopeAt(facts, startIndex), index: startIndex };
}

/**
 * The three ways to find out what something is. They need each other, so each gets all of them with the index. `depth`
 * counts how far a chain has been followed; behind a bound the answer is that nobody can say.
 */
export interface TypeContext extends IndexContext {
	/** Values of an expression; empty when that cannot be said from the source. */
	evaluateText(text: string, place: Place, depth: number): Values;
	/** Values of a written type. `self` is the definition it belongs to: members of a type written in place are its members. */
	readType(text: string, place: Place, depth: number, self?: DefinitionRef): Values;
	/** The member that an access by name means on any of the values. */
	findMember(values: Values, name: string, depth: number): FoundMember;
	/** Values of a name that a file hands on. */
	valuesOfExport(file: string, name: string, depth: number): Values;
}

/** A member found on values. */
export interface FoundMember {
	readonly refs: readonly DefinitionRef[];
	readonly modules: readonly string[];
	/** Reached by a binding alone: a namespace, a module, an enum. */
	readonly isBinding: boolean;
	/** `external`: the receiver, or a type it extends, is of elsewhere; `missing`: all is known and there is no such member. */
	readonly rest?: "external" | "missing" | "unknown";
	/** What else reading the member gives. */
	readonly values?: Values;
}

/** Joins what was found on each of several values. */
export function joinMembers(found: readonly FoundMember[]): FoundMember {
	const refs = new Map(found.flatMap((each) => each.refs).map((ref) => [`${ref.path}:${ref.definition}`, ref]));
	const rest = (["unknown", "external", "missing"] as const).find((kind) => found.some((each) => each.rest === kind));
	return {
		refs: [...refs.values()],
		modules: found.flatMap((each) => each.modules),
		isBinding: found.length > 0 && found.every((each) => each.isBinding),
		...(found.length === 0 ? { rest: "unknown" as const } : rest === undefined ? {} : { rest }),
		values: distinct(found.flatMap((each) => each.values ?? [])),
	};
}
