import { definitionAt, membersOf } from "../../facts/scope-lookup.ts";
import type { DefinitionRef, FileFacts } from "../../types.ts";
import { type FoundMember, joinMembers, placeOf, type TypeContext, type Value, type Values } from "../values.ts";
import { memberOfModule } from "./module-members.ts";

const UNKNOWN: FoundMember = { refs: [], modules: [], isBinding: false, rest: "unknown" };
const EXTERNAL: FoundMember = { refs: [], modules: [], isBinding: false, rest: "external" };

/** The member that an access by name means on any of the values. */
export function findMember(values: Values, name: string, context: TypeContext): FoundMember {
	return joinMembers(values.map((value) => findOn(value, name, context)));
}

function findOn(value: Value, name: string, context: TypeContext): FoundMember {
	switch (value.kind) {
		case "module": {
			const member = memberOfModule(value.path, name, context);
			return { refs: member.refs, modules: member.modules, isBinding: true, ...(member.rest === undefined ? {} : { rest: member.rest }) };
		}
		case "instance":
		case "class":
			return findInClass(value.ref, name, context, new Set());
		case "sequence": {
			const gives = /^(?:pop|get|popleft|setdefault)$/.test(name)
				? value.of
				: name === "copy"
					? [value]
					: name === "values"
						? [value]
						: undefined;
			return { ...EXTERNAL, ...(gives === undefined ? {} : { values: [{ kind: "gives" as const, of: gives }] }) };
		}
		// A function can be given attributes by anybody.
		case "function":
			return UNKNOWN;
		default:
			return EXTERNAL;
	}
}

/** In the order of the bases, depth first; a member that is not there may belong to a class below (a mixin's). */
function findInClass(ref: DefinitionRef, name: string, context: TypeContext, seen: Set<string>): FoundMember {
	const key = `${ref.path}:${ref.definition}`;
	const facts = context.facts(ref.path);
	if (facts === undefined || seen.has(key) || seen.size > 40) return UNKNOWN;
	seen.add(key);
	const own = membersOf(facts, ref.definition).filter((number) => {
		const member = definitionAt(facts, number);
		return member.name === name && member.scope === undefined;
	});
	if (own.length > 0) return { refs: own.map((definition) => ({ path: ref.path, definition })), modules: [], isBinding: false };
	for (const above of supertypesOf(facts, ref.path, ref.definition, context, 1)) {
		if (above === "unknown") return UNKNOWN;
		// Every class has `object`'s own; only a foreign base may bring what is asked for.
		if (above === "external") return /^__\w+__$/.test(name) ? EXTERNAL : UNKNOWN;
		const found = findInClass(above, name, context, seen);
		if (found.refs.length > 0) return found;
	}
	return UNKNOWN;
}

/** The classes that a class names as its bases. */
export function supertypesOf(
	facts: FileFacts,
	path: string,
	number: number,
	context: TypeContext,
	depth: number,
): readonly (DefinitionRef | "external" | "unknown")[] {
	const place = placeOf(facts, path, number);
	const above = facts.scopes[place.scope]?.definition === number ? { ...place, scope: facts.scopes[place.scope]?.parent ?? 0 } : place;
	return (definitionAt(facts, number).supertypes ?? []).flatMap((text): readonly (DefinitionRef | "external" | "unknown")[] => {
		if (/^(?:Generic|Protocol|object|ABC|abc\.ABC|typing\.(?:Generic|Protocol))$/.test(text)) return [];
		const values = context.evaluateText(text, above, depth + 1);
		const known = values.flatMap((value) => (value.kind === "class" ? [value.ref] : []));
		if (known.length > 0) return known;
		return [values.length > 0 && values.every((value) => value.kind === "external") ? "external" : "unknown"];
	});
}
