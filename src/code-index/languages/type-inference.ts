import type { DefinitionRef, FileFacts, IndexContext } from "../types.ts";
import type { Expression, TypeExpression } from "./expressions.ts";
import { type KnownType, type Meaning, NOTHING, type Substitution } from "./known-types.ts";
import { typedDefinition } from "./scope-lookup.ts";
import type { TypedDefinition } from "./typing-facts.ts";

/** What differs between languages. `place` is a file and an offset in it. */
export interface TypeRules {
	/** A bare or qualified name where a value stands; undefined when nobody can say. */
	lookUpValue(path: readonly string[], at: number, file: string, calledWith?: number): Meaning | undefined;
	lookUpType(path: readonly string[], at: number, file: string): Meaning | undefined;
	/** A member of a type or module; undefined when the type's members are not known well enough. */
	findMember(of: KnownType, name: string, calledWith: number | undefined): Meaning | undefined;
	/** The object around an offset. */
	selfType?(at: number, file: string, isSuper: boolean): KnownType | undefined;
	/** What a member of a type from outside is worth knowing for: elements, wrapped values. */
	externalMember?(of: KnownType, name: string): KnownType | undefined;
	/** Calling a value of a declared type gives that type: Rust's variants. */
	readonly callsConstruct?: boolean;
	/** Does something from outside hand on the types that it is given? */
	isGeneric?(name: string): boolean;
	elementOf?(of: KnownType): KnownType | undefined;
	unwrap?(of: KnownType, by: "try" | "await"): KnownType | undefined;
	/** What calling a result's type gives when it is no function: the same type in most languages. */
	resultOf?(ref: DefinitionRef, result: KnownType | undefined): KnownType | undefined;
}

/** Deep chains are cut: their types are not known then. */
const MAX_DEPTH = 24;

/** Follows receivers through declared types, values and results. One per resolution; keeps nothing. */
export class TypeInference {
	readonly #context: IndexContext;
	readonly #rules: TypeRules;
	#depth = 0;

	constructor(context: IndexContext, rules: TypeRules) {
		this.#context = context;
		this.#rules = rules;
	}

	/** Type of an expression of a file; undefined when the sources do not tell. */
	typeOf(expression: Expression, file: string, known: Substitution = NOTHING): KnownType | undefined {
		if (this.#depth >= MAX_DEPTH) return undefined;
		this.#depth++;
		try {
			return this.#typeOf(expression, file, known);
		} finally {
			this.#depth--;
		}
	}

	#typeOf(expression: Expression, file: string, known: Substitution): KnownType | undefined {
		switch (expression.k) {
			case "name":
				return this.#valueType([expression.name], expression.at, file, known);
			case "path":
				return this.#valueType(expression.path, expression.at, file, known);
			case "typed":
				return this.evaluate(expression.type, file, known);
			case "member": {
				const of = this.typeOf(expression.of, file, known);
				return of === undefined ? undefined : this.memberType(of, expression.name, expression.args);
			}
			case "call":
				return this.callResult(this.#callee(expression, file, known));
			case "element":
				return this.elementOf(this.typeOf(expression.of, file, known));
			case "key":
				return this.#keyOf(this.#underlying(this.typeOf(expression.of, file, known)));
			case "nth": {
				const whole = this.typeOf(expression.of, file, known);
				const of = whole?.k === "declared" ? this.#positions(whole) : whole;
				return of?.k === "tuple" ? of.of[expression.n] : of?.k === "external" ? of : undefined;
			}
			case "unwrap": {
				const of = this.typeOf(expression.of, file, known);
				return of === undefined ? undefined : this.#rules.unwrap?.(of, expression.by);
			}
			case "scope":
				return undefined;
			case "self":
				return this.#rules.selfType?.(expression.at, file, expression.super === true);
		}
	}

	/** The number of arguments chooses among overloads. */
	#callee(call: Expression & { readonly k: "call" }, file: string, known: Substitution): KnownType | undefined {
		if (call.of.k === "member") return this.typeOf({ ...call.of, args: call.args }, file, known);
		if (call.of.k === "name") return this.#valueType([call.of.name], call.of.at, file, known, call.args);
		return this.typeOf(call.of, file, known);
	}

	#valueType(path: readonly string[], at: number, file: string, known: Substitution, calledWith?: number): KnownType | undefined {
		const meaning = this.#rules.lookUpValue(path, at, file, calledWith);
		return this.#meaningType(meaning, meaning?.k === "found" ? (meaning.with ?? known) : known);
	}

	/** Type of a member of a type; undefined when it has none of that name, or nobody can say. */
	memberType(of: KnownType, name: string, calledWith?: number): KnownType | undefined {
		const meaning = this.#rules.findMember(of, name, calledWith);
		if (meaning?.k === "found") return this.#meaningType(meaning, meaning.with ?? NOTHING);
		if (meaning?.k === "module") return { k: "module", id: meaning.id };
		return meaning === undefined ? undefined : this.#fromOutside(of, name);
	}

	/** What comes from outside knows no type of the repository, unless it was given one as an argument. */
	#fromOutside(of: KnownType, name: string): KnownType | undefined {
		const special = this.#rules.externalMember?.(of, name);
		if (special !== undefined) return special;
		return of.k === "external" && of.args.length === 0 ? of : undefined;
	}

	callResult(callee: KnownType | undefined): KnownType | undefined {
		if (callee === undefined) return undefined;
		if (callee.k === "function") return callee.result;
		// A conversion, or a constructor.
		if (callee.k === "static") return callee.type;
		if (callee.k === "external") return this.#rules.isGeneric?.(callee.name) === true ? undefined : this.#fromOutside(callee, "");
		if (callee.k === "declared") return this.#rules.callsConstruct === true ? callee : this.callResult(this.#underlying(callee));
		if (callee.k !== "callable") return undefined;
		const ref = callee.refs[0];
		const definition = ref === undefined ? undefined : this.definition(ref);
		if (ref === undefined || definition === undefined) return undefined;
		const known = new Map<string, KnownType | undefined>((definition.generics ?? []).map((name) => [name, undefined]));
		for (const [name, type] of callee.with) known.set(name, type);
		const result = definition.type === undefined ? undefined : this.evaluate(definition.type, ref.path, known);
		return this.#rules.resultOf === undefined ? result : this.#rules.resultOf(ref, result);
	}

	elementOf(of: KnownType | undefined): KnownType | undefined {
		// An instantiated generic function reads like an index.
		if (of === undefined || of.k === "callable" || of.k === "static") return of;
		const special = this.#rules.elementOf?.(of);
		if (special !== undefined) return special;
		const under = this.#underlying(of);
		if (under?.k === "external") return this.#fromOutside(under, "");
		return under?.k === "list" || under?.k === "map" ? under.of : undefined;
	}

	/** Fields without names of a declared type; another type has none. */
	#positions(type: KnownType & { readonly k: "declared" }): KnownType | undefined {
		const value = this.definition(type.ref)?.value;
		return value?.k === "typed" ? this.evaluate(value.type, type.ref.path, this.substitution(type)) : this.#underlying(type);
	}

	#keyOf(of: KnownType | undefined): KnownType | undefined {
		if (of?.k === "map") return of.key;
		if (of?.k === "list" && of.isChannel === true) return of.of;
		return of?.k === "list" ? { k: "external", name: "int", args: [] } : of?.k === "external" ? of.args[0] : undefined;
	}

	/** What a declared type is made of; every other type is made of itself. */
	#underlying(type: KnownType | undefined): KnownType | undefined {
		if (type?.k !== "declared") return type;
		const definition = this.definition(type.ref);
		if (definition?.type === undefined || this.#depth >= MAX_DEPTH) return type;
		this.#depth++;
		try {
			return this.#underlying(this.evaluate(definition.type, type.ref.path, this.substitution(type)));
		} finally {
			this.#depth--;
		}
	}

	#meaningType(meaning: Meaning | undefined, known: Substitution): KnownType | undefined {
		if (meaning === undefined) return undefined;
		if (meaning.k === "external") return { k: "external", name: meaning.evidence, args: [] };
		if (meaning.k === "module") return { k: "module", id: meaning.id };
		const ref = meaning.refs[0];
		const definition = ref === undefined ? undefined : this.definition(ref);
		if (ref === undefined || definition === undefined) return undefined;
		switch (definition.sort) {
			case "function":
				return { k: "callable", refs: meaning.refs, with: known };
			case "type":
				return { k: "static", type: this.#typeOfName(ref, definition, [], known) ?? { k: "declared", ref, args: [] } };
			case "typeParameter": {
				const type = this.#typeOfName(ref, definition, [], known);
				return type === undefined ? undefined : { k: "static", type };
			}
			case "module":
				return { k: "module", id: ref.path };
			case "value":
				if (definition.type !== undefined) return this.evaluate(definition.type, ref.path, known);
				return definition.value === undefined ? undefined : this.typeOf(definition.value, ref.path, known);
		}
	}

	/** The type that a written one means in a file. */
	evaluate(type: TypeExpression, file: string, known: Substitution): KnownType | undefined {
		if (this.#depth >= MAX_DEPTH) return undefined;
		this.#depth++;
		try {
			return this.#evaluate(type, file, known);
		} finally {
			this.#depth--;
		}
	}

	#evaluate(type: TypeExpression, file: string, known: Substitution): KnownType | undefined {
		switch (type.k) {
			case "list":
				return { k: "list", of: this.evaluate(type.of, file, known), ...(type.isChannel === true ? { isChannel: true } : {}) };
			case "map":
				return { k: "map", key: this.evaluate(type.key, file, known), of: this.evaluate(type.of, file, known) };
			case "tuple":
				return { k: "tuple", of: type.of.map((part) => this.evaluate(part, file, known)) };
			case "function":
				return { k: "function", result: type.result === undefined ? undefined : this.evaluate(type.result, file, known) };
			case "body":
				return { k: "body", path: file, at: type.at, embeds: type.embeds, with: known };
			case "name": {
				const args = (type.args ?? []).map((argument) => this.evaluate(argument, file, known));
				const meaning = this.#rules.lookUpType(type.path, type.at, file);
				if (meaning?.k === "external") return { k: "external", name: type.path.join("."), args };
				const ref = meaning?.k === "found" ? meaning.refs[0] : undefined;
				const definition = ref === undefined ? undefined : this.definition(ref);
				return ref === undefined || definition === undefined ? undefined : this.#typeOfName(ref, definition, args, known);
			}
		}
	}

	#typeOfName(
		ref: DefinitionRef,
		definition: TypedDefinition,
		args: readonly (KnownType | undefined)[],
		known: Substitution,
	): KnownType | undefined {
		if (definition.sort === "typeParameter") {
			if (known.has(definition.name)) return known.get(definition.name);
			return definition.type === undefined ? undefined : this.evaluate(definition.type, ref.path, NOTHING);
		}
		if (definition.alias === true && definition.type !== undefined) {
			return this.evaluate(definition.type, ref.path, substitute(definition.generics ?? [], args));
		}
		return { k: "declared", ref, args };
	}

	/** What the type parameters of a declared type's own declaration stand for. */
	substitution(type: KnownType & { readonly k: "declared" }): Substitution {
		// Without arguments, a parameter is as good as its bound.
		return type.args.length === 0 ? NOTHING : substitute(this.definition(type.ref)?.generics ?? [], type.args);
	}

	definition(ref: DefinitionRef): TypedDefinition | undefined {
		const facts: FileFacts | undefined = this.#context.facts(ref.path);
		return facts === undefined ? undefined : typedDefinition(facts, ref.definition);
	}
}

export function substitute(names: readonly string[], args: readonly (KnownType | undefined)[]): Substitution {
	if (names.length === 0) return NOTHING;
	return new Map(names.map((name, index) => [name, args[index]]));
}
