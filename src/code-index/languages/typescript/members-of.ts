import { definitionAt, membersOf } from "../../facts/scope-lookup.ts";
import type { Definition, DefinitionRef, FileFacts } from "../../types.ts";
import { type FoundMember, joinMembers, placeOf, type TypeContext, type Value, type Values } from "../values.ts";
import { exportedMember } from "./exports.ts";

const MISSING: FoundMember = { refs: [], modules: [], isBinding: false, rest: "missing" };
const UNKNOWN: FoundMember = { refs: [], modules: [], isBinding: false, rest: "unknown" };
const EXTERNAL: FoundMember = { refs: [], modules: [], isBinding: false, rest: "external" };

/** Methods of arrays, sets and maps that hand out an element, and those that hand out the same kind again. */
const ELEMENT = /^(?:find|findLast|at|pop|shift|get)$/;
const SAME = /^(?:filter|slice|toSorted|sort|reverse|toReversed|concat|values)$/;

/** The member that an access by name means on any of the values. */
export function findMember(values: Values, name: string, context: TypeContext, depth: number): FoundMember {
	return joinMembers(values.map((value) => findOn(value, name, context, depth)));
}

function findOn(value: Value, name: string, context: TypeContext, depth: number): FoundMember {
	switch (value.kind) {
		case "external":
		case "gives":
		case "function":
			return EXTERNAL;
		case "record":
			return { ...EXTERNAL, values: value.of, ...(value.of.length === 0 ? { rest: "unknown" } : {}) };
		case "promise":
			return { ...EXTERNAL, ...(/^(?:catch|finally)$/.test(name) ? { values: [{ kind: "gives" as const, of: [value] }] } : {}) };
		case "sequence": {
			const gives = ELEMENT.test(name) ? value.of : SAME.test(name) ? [value] : undefined;
			return { ...EXTERNAL, ...(gives === undefined ? {} : { values: [{ kind: "gives" as const, of: gives }] }) };
		}
		case "module": {
			const member = exportedMember(value.path, name, context);
			return { refs: member.refs, modules: member.modules, isBinding: true, ...(member.rest === undefined ? {} : { rest: member.rest }) };
		}
		case "instance":
		case "class":
			return findOnType(value.ref, value.kind === "class", name, context, depth, new Set());
	}
}

function findOnType(
	ref: DefinitionRef,
	isStatic: boolean,
	name: string,
	context: TypeContext,
	depth: number,
	seen: Set<string>,
): FoundMember {
	const key = `${ref.path}:${ref.definition}`;
	const facts = context.facts(ref.path);
	if (facts === undefined || seen.has(key) || depth > 16) return UNKNOWN;
	seen.add(key);
	const owner = definitionAt(facts, ref.definition);
	const merged = mergedWith(facts, ref.definition, owner);
	const own = merged.flatMap((number) =>
		membersOf(facts, number).filter((member) => fits(definitionAt(facts, member), owner, name, isStatic)),
	);
	if (own.length > 0) {
		const refs = own.map((definition) => ({ path: ref.path, definition }));
		return { refs, modules: [], isBinding: owner.kind === "enum" || owner.kind === "module" };
	}
	const above = merged.flatMap((number) => supertypesOf(facts, ref.path, number, context, depth));
	if (above.includes("unknown")) return UNKNOWN;
	if (above.length === 0) return hasOpenShape(owner) ? UNKNOWN : MISSING;
	return joinMembers(
		above.map((each) => {
			if (each === "external") return EXTERNAL;
			return each === "unknown" ? UNKNOWN : findOnType(each, isStatic, name, context, depth + 1, seen);
		}),
	);
}

/** A literal's object may get further members later; a type parameter's are those of its bound. */
function hasOpenShape({ kind }: Definition): boolean {
	return !["class", "interface", "enum", "module"].includes(kind);
}

function fits(member: Definition, owner: Definition, name: string, isStatic: boolean): boolean {
	if (member.name !== name || member.kind === "typeParameter" || member.kind === "parameter" || member.kind === "constructor") return false;
	if (owner.kind === "enum") return member.kind === "enumMember";
	if (owner.kind === "module") return member.exported || owner.signature.includes("declare");
	if (owner.kind === "class") return member.scope === undefined && (member.isStatic === true) === isStatic;
	return member.scope === undefined;
}

/** Interfaces, namespaces and classes of one name in one scope are one. */
function mergedWith(facts: FileFacts, number: number, owner: Definition): readonly number[] {
	if (owner.scope === undefined || !["class", "interface", "module", "enum"].includes(owner.kind)) return [number];
	return facts.definitions.flatMap((each, other) =>
		each.name === owner.name && each.scope === owner.scope && ["class", "interface", "module", "enum"].includes(each.kind) ? [other] : [],
	);
}

/** The types that a class or interface extends or implements. */
export function supertypesOf(
	facts: FileFacts,
	path: string,
	number: number,
	context: TypeContext,
	depth: number,
): readonly (DefinitionRef | "external" | "unknown")[] {
	const place = placeOf(facts, path, number);
	return (definitionAt(facts, number).supertypes ?? []).flatMap((text): readonly (DefinitionRef | "external" | "unknown")[] => {
		const types = context.readType(text, place, depth + 1);
		const values =
			types.length > 0 && types.every((type) => type.kind !== "external") ? types : context.evaluateText(text, place, depth + 1);
		const known = values.flatMap((value) => (value.kind === "class" || value.kind === "instance" ? [value.ref] : []));
		if (known.length > 0) return known;
		return [values.length > 0 && values.every((value) => value.kind === "external") ? "external" : "unknown"];
	});
}
