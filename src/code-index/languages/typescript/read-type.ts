import { definitionAt, lookUp } from "../../facts/scope-lookup.ts";
import type { DefinitionRef, FileFacts } from "../../types.ts";
import { skipBrackets } from "../expression.ts";
import { splitTop } from "../split-top.ts";
import { EXTERNAL, type Place, placeOf, type TypeContext, type Values } from "../values.ts";
import { importedMember } from "./exports.ts";
import { findGlobal } from "./globals.ts";
import { isType } from "./kinds.ts";

const SEQUENCES =
	/^(?:Array|ReadonlyArray|Set|ReadonlySet|Iterable|IterableIterator|Iterator|AsyncIterable|AsyncGenerator|Generator|AsyncIterableIterator)$/;
const SAME = /^(?:Partial|Required|Readonly|NonNullable|Awaited|Pick|Omit|DeepPartial|DeepReadonly|WeakRef|Ref|Exclude|Extract)$/;
const MAPS = /^(?:Map|ReadonlyMap|WeakMap)$/;

/**
 * What values of a written type are; empty when it cannot be said. `self` is the definition that the type belongs to: the
 * members of a type written in place are its members.
 */
export function readType(text: string, place: Place, context: TypeContext, depth: number, self?: DefinitionRef): Values {
	if (depth > 12 || text.endsWith("…")) return [];
	const parts = splitTop(text.trim(), "|&").filter((part) => !/^(?:null|undefined|void|never)?$/.test(part));
	if (parts.length === 0) return EXTERNAL;
	if (parts.length > 1) {
		const each = parts.map((part) => context.readType(part, place, depth + 1, self));
		// One part that nobody knows leaves the whole open.
		return each.some((values) => values.length === 0)
			? []
			: each.flat().filter((value, _, all) => value.kind !== "external" || all.length === 1);
	}
	return readSingle(parts[0] ?? "", place, context, depth, self);
}

function readSingle(part: string, place: Place, context: TypeContext, depth: number, self: DefinitionRef | undefined): Values {
	const type = part.replace(/^(?:readonly|unique|asserts)\s+/, "");
	if (/^(?:string|number|boolean|bigint|symbol|object|true|false|["'`\d-].*)$/.test(type)) return EXTERNAL;
	if (/^(?:any|unknown|keyof\s.*|infer\s.*)$/.test(type)) return [];
	if (type.endsWith("[]")) return [{ kind: "sequence", of: context.readType(type.slice(0, -2), place, depth + 1, self) }];
	if (type === "this") return context.evaluateText("this", place, depth + 1);
	if (type.startsWith("typeof ")) return context.evaluateText(type.slice(7), place, depth + 1);
	if (type.startsWith("{")) return self === undefined ? [] : [{ kind: "instance", ref: self }];
	if (type.startsWith("(")) return readParenthesised(type, place, context, depth, self);
	const imported = /^import\(\s*["']([^"']+)["']\s*\)\.([\w$]+)/.exec(type);
	if (imported !== null) return [];
	const generic = /^([\w$.\s]+)<(.*)>$/s.exec(type);
	if (generic?.[1] !== undefined && generic[2] !== undefined)
		return readGeneric(generic[1].trim(), generic[2], place, context, depth, self);
	return /^[\w$.\p{L}]+$/u.test(type) ? readNamed(type, place, context, depth) : [];
}

function readParenthesised(type: string, place: Place, context: TypeContext, depth: number, self: DefinitionRef | undefined): Values {
	const end = skipBrackets(type, 0);
	if (end === type.length) return context.readType(type.slice(1, -1), place, depth + 1, self);
	const arrow = end === undefined ? null : /^\s*=>\s*(.*)$/s.exec(type.slice(end));
	return arrow?.[1] === undefined ? [] : [{ kind: "gives", of: context.readType(arrow[1], place, depth + 1) }];
}

function readGeneric(
	name: string,
	given: string,
	place: Place,
	context: TypeContext,
	depth: number,
	self: DefinitionRef | undefined,
): Values {
	const types = splitTop(given, ",");
	const first = (): Values => context.readType(types[0] ?? "", place, depth + 1, self);
	if (lookUp(context.facts(place.path) ?? EMPTY, place.scope, name, isType) === undefined) {
		if (SEQUENCES.test(name)) return [{ kind: "sequence", of: first() }];
		if (/^(?:Promise|PromiseLike)$/.test(name)) return [{ kind: "promise", of: first() }];
		if (MAPS.test(name)) return [{ kind: "sequence", of: context.readType(types[1] ?? "", place, depth + 1, self) }];
		if (name === "Record") return [{ kind: "record", of: context.readType(types[1] ?? "", place, depth + 1, self) }];
		if (SAME.test(name)) return first();
	}
	const named = readNamed(name, place, context, depth);
	// What another package makes of the given types may have members of them.
	if (named.every((value) => value.kind === "external")) return [];
	return named;
}

const EMPTY: FileFacts = {
	grammar: "typescript",
	definitions: [],
	occurrences: [],
	imports: [],
	exports: [],
	scopes: [{ kind: "file", startIndex: 0, endIndex: 0 }],
	hasErrors: false,
};

function readNamed(name: string, place: Place, context: TypeContext, depth: number): Values {
	const facts = context.facts(place.path);
	if (facts === undefined) return [];
	const [base = "", ...members] = name.split(".");
	const bound = lookUp(facts, place.scope, base, isType);
	if (members.length > 0) return readQualified(base, members, place, context, depth);
	if (bound === undefined) {
		const refs = findGlobal(base, context, isType);
		return refs.length === 0 ? EXTERNAL : refs.flatMap((ref) => typeOfDefinition(ref, context, depth));
	}
	if (bound.definitions.length > 0) {
		return bound.definitions.flatMap((definition) => typeOfDefinition({ path: place.path, definition }, context, depth));
	}
	const entry = facts.imports[bound.imports[0] ?? -1];
	if (entry === undefined) return [];
	const member = importedMember(place.path, entry, context);
	return member.rest === "external" ? EXTERNAL : member.refs.flatMap((ref) => typeOfDefinition(ref, context, depth));
}

/** `ns.Type`: the namespace is a value or a module. */
function readQualified(base: string, members: readonly string[], place: Place, context: TypeContext, depth: number): Values {
	let values = context.evaluateText(base, place, depth + 1);
	for (const [index, member] of members.entries()) {
		const isLast = index === members.length - 1;
		values = values.flatMap((value): Values => {
			if (value.kind === "external") return EXTERNAL;
			if (value.kind === "module" && !isLast) return context.valuesOfExport(value.path, member, depth + 1);
			if (value.kind === "module") return exportedTypes(value.path, member, context, depth);
			if (value.kind !== "class") return [];
			const facts = context.facts(value.ref.path);
			const found =
				facts?.definitions.findIndex((each) => each.container === value.ref.definition && each.name === member && isType(each)) ?? -1;
			if (found === -1) return [];
			const ref = { path: value.ref.path, definition: found };
			return isLast ? typeOfDefinition(ref, context, depth) : [{ kind: "class", ref }];
		});
	}
	return values;
}

function exportedTypes(file: string, name: string, context: TypeContext, depth: number): Values {
	const entry = { kind: "name", module: `./${file.split("/").at(-1) ?? ""}`, imported: name, scope: 0, line: 0, index: 0 } as const;
	const member = importedMember(file, entry, context);
	return member.rest === "external" ? EXTERNAL : member.refs.flatMap((ref) => typeOfDefinition(ref, context, depth));
}

/** What a value of the defined type is. */
function typeOfDefinition(ref: DefinitionRef, context: TypeContext, depth: number): Values {
	const facts = context.facts(ref.path);
	if (facts === undefined) return [];
	const definition = definitionAt(facts, ref.definition);
	switch (definition.kind) {
		case "class":
		case "interface":
			return [{ kind: "instance", ref }];
		case "enum":
			return EXTERNAL;
		case "type":
			return definition.type === undefined
				? []
				: context.readType(definition.type.text, placeOf(facts, ref.path, ref.definition), depth + 1, ref);
		default:
			return [];
	}
}
