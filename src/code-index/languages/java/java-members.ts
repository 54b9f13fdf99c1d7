import type { DefinitionRef, FileFacts, IndexContext } from "../../types.ts";
import { type KnownType, type Meaning, NOTHING, type Substitution } from "../known-types.ts";
import { definitionsNamed, typedDefinition } from "../scope-lookup.ts";
import type { TypeInference } from "../type-inference.ts";
import type { TypedDefinition } from "../typing-facts.ts";

/** Which of a type's members are looked for; a method or constructor by its number of arguments. */
export type Wanted = { readonly sort: "value" | "type" | "any" } | { readonly sort: "method" | "constructor"; readonly args: number };

const MAX_TYPES = 64;

/**
 * A member of a type or of what it extends, the nearest declaration first. External when nothing of that name is
 * declared here: then it comes from a base outside the repository. Undefined when a base is not known.
 */
export function searchHierarchy(
	of: KnownType,
	name: string,
	wanted: Wanted,
	context: IndexContext,
	inference: TypeInference,
): Meaning | undefined {
	// A class's method comes before an interface's, however far up the class is.
	const classes: KnownType[] = [of];
	const interfaces: KnownType[] = [];
	let unknown = false;
	const seen = new Set<string>();
	for (let type = classes.shift(); type !== undefined && seen.size < MAX_TYPES; type = classes.shift() ?? interfaces.shift()) {
		const body = findBody(type, inference);
		if (body === undefined || seen.has(`${body.path}:${body.at}`)) continue;
		seen.add(`${body.path}:${body.at}`);
		const facts = context.facts(body.path);
		const refs = facts === undefined ? [] : ownMembers(facts, body.path, body.at, name, wanted);
		if (refs.length > 0) return { k: "found", refs, evidence: `receiver is ${body.name}`, with: body.with };
		if (wanted.sort === "constructor") break;
		for (const base of body.embeds) {
			const evaluated = inference.evaluate(base, body.path, body.with);
			if (evaluated === undefined) unknown = true;
			else (isInterface(evaluated, context) ? interfaces : classes).push(evaluated);
		}
	}
	return unknown ? undefined : { k: "external", evidence: "inherited from outside this repository" };
}

function isInterface(type: KnownType, context: IndexContext): boolean {
	return type.k === "declared" && context.facts(type.ref.path)?.definitions[type.ref.definition]?.kind === "interface";
}

interface Body {
	readonly path: string;
	readonly at: number;
	readonly name: string;
	readonly embeds: readonly Parameters<TypeInference["evaluate"]>[0][];
	readonly with: Substitution;
}

function findBody(type: KnownType, inference: TypeInference): Body | undefined {
	if (type.k === "body") return { path: type.path, at: type.at, name: "an unnamed class", embeds: type.embeds, with: type.with };
	if (type.k !== "declared") return undefined;
	const definition = inference.definition(type.ref);
	if (definition?.type?.k !== "body") return undefined;
	const known = type.args.length === 0 ? NOTHING : inference.substitution(type);
	return { path: type.ref.path, at: definition.type.at, name: definition.name, embeds: definition.type.embeds, with: known };
}

function ownMembers(facts: FileFacts, path: string, body: number, name: string, wanted: Wanted): readonly DefinitionRef[] {
	const own = definitionsNamed(facts, name).filter((index) => typedDefinition(facts, index)?.owner === body);
	const chosen = choose(facts, own, wanted);
	return chosen.map((definition) => ({ path, definition }));
}

function choose(facts: FileFacts, own: readonly number[], wanted: Wanted): readonly number[] {
	const bySort = (sort: TypedDefinition["sort"]): readonly number[] => own.filter((index) => typedDefinition(facts, index)?.sort === sort);
	switch (wanted.sort) {
		case "value":
		case "type":
			return bySort(wanted.sort);
		case "any": {
			const values = bySort("value");
			const types = values.length > 0 ? values : bySort("type");
			return types.length > 0 ? types : bySort("function").filter((index) => facts.definitions[index]?.kind === "method");
		}
		case "constructor":
			return bySort("function").filter((index) => facts.definitions[index]?.kind === "constructor" && takes(facts, index, wanted.args));
		case "method": {
			const methods = bySort("function").filter((index) => facts.definitions[index]?.kind === "method" && takes(facts, index, wanted.args));
			if (methods.length > 0 || wanted.args > 0) return methods;
			// A record's component is read by a method of its name that nobody writes.
			return bySort("value").filter((index) => isComponent(facts, index));
		}
	}
}

function isComponent(facts: FileFacts, index: number): boolean {
	const container = facts.definitions[index]?.container;
	const owner = container === undefined ? undefined : facts.definitions[container];
	return (
		owner?.signature.includes("record ") === true &&
		facts.definitions[index]?.startIndex !== undefined &&
		(facts.definitions[index]?.startIndex ?? 0) < (typedDefinition(facts, index)?.owner ?? 0)
	);
}

/** Can it be called with so many arguments? */
function takes(facts: FileFacts, index: number, args: number): boolean {
	const parameters = facts.definitions[index]?.parameters;
	if (parameters === undefined) return true;
	return args >= parameters.required && (parameters.variadic || args <= parameters.required);
}
