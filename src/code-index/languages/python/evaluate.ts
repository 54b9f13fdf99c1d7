import { bindingsIn, definitionAround, definitionAt, lookUp, membersOf, scopeAt } from "../../facts/scope-lookup.ts";
import type { Definition, DefinitionRef, FileFacts, TypeHint } from "../../types.ts";
import { type ExpressionStep, readExpression } from "../expression.ts";
import { EXTERNAL, type Place, placeOf, type TypeContext, type Values } from "../values.ts";
import { supertypesOf } from "./members-of.ts";
import { importedMember, memberOfModule, type ModuleMember } from "./module-members.ts";

const MAX_STEPS = 12;

/** What the values of an expression may be; empty when that cannot be said from the source. */
export function evaluateText(text: string, place: Place, context: TypeContext, depth: number): Values {
	const steps = readExpression(text);
	if (steps === undefined || depth > MAX_STEPS) return [];
	let values: Values = [];
	for (const [index, step] of steps.entries()) {
		if (index > 0 && values.length === 0) return [];
		values = take(step, values, place, context, depth + 1);
	}
	return values;
}

function take(step: ExpressionStep, values: Values, place: Place, context: TypeContext, depth: number): Values {
	switch (step.op) {
		case "name":
		// The words of other languages are plain names here.
		case "this":
		case "super":
			return valuesOfName(step.op === "name" ? step.name : step.op, place, context, depth);
		case "literal":
			return EXTERNAL;
		case "member": {
			const member = context.findMember(values, step.name, depth);
			const read = member.refs.flatMap((ref) => valueOfDefinition(ref, context, depth));
			const known = [...read, ...moduleValues(member.modules), ...(member.values ?? [])];
			return known.length === 0 && member.rest === "external" ? EXTERNAL : known;
		}
		case "call":
			return call(values, context, depth);
		case "index":
			return values.flatMap((value): Values => (value.kind === "sequence" ? value.of : value.kind === "external" ? EXTERNAL : []));
		case "await":
			return values.flatMap((value): Values => (value.kind === "promise" ? value.of : [value]));
		default:
			return [];
	}
}

/** Calling a class makes an instance. */
function call(values: Values, context: TypeContext, depth: number): Values {
	return values.flatMap((value): Values => {
		if (value.kind === "class") return [{ kind: "instance", ref: value.ref }];
		if (value.kind === "function") return resultOf(value.ref, context, depth);
		if (value.kind === "gives") return value.of;
		return value.kind === "external" ? EXTERNAL : [];
	});
}

function moduleValues(paths: readonly string[]): Values {
	return paths.map((path) => ({ kind: "module", path }));
}

/** A class's own names are seen right in its body, and never from its methods. */
export function lookUpPython(
	facts: FileFacts,
	from: number,
	name: string,
): readonly DefinitionRef["definition"][] | { readonly imports: readonly number[] } {
	const start = facts.scopes[from];
	if (start?.kind === "type" && start.definition !== undefined) {
		const own = membersOf(facts, start.definition).filter((number) => isNamed(definitionAt(facts, number), name));
		if (own.length > 0) return own;
	}
	const bound = lookUp(
		facts,
		from,
		name,
		undefined,
		(scope) => scope !== from && facts.scopes[scope]?.kind === "type" && !bindsTypeParameter(facts, scope, name),
	);
	if (bound === undefined) return [];
	return bound.definitions.length > 0 ? bound.definitions : { imports: bound.imports };
}

function isNamed(definition: Definition, name: string): boolean {
	return definition.name === name && definition.scope === undefined;
}

function bindsTypeParameter(facts: FileFacts, scope: number, name: string): boolean {
	return bindingsIn(facts, scope, name)?.definitions.some((number) => definitionAt(facts, number).kind === "typeParameter") === true;
}

function valuesOfName(name: string, place: Place, context: TypeContext, depth: number): Values {
	const facts = context.facts(place.path);
	if (facts === undefined) return [];
	const bound = lookUpPython(facts, place.scope, name);
	if ("imports" in bound) {
		const members = bound.imports
			.flatMap((number) => facts.imports[number] ?? [])
			.map((entry) => importedMember(place.path, entry, context));
		return members.flatMap((member) => valuesOfModuleMember(member, context, depth));
	}
	if (bound.length > 0) return bound.flatMap((definition) => valueOfDefinition({ path: place.path, definition }, context, depth));
	if (name === "super") return superValues(facts, place, context, depth);
	return facts.imports.some((entry) => entry.kind === "wildcard") ? throughWildcards(name, place.path, context, depth) : EXTERNAL;
}

function throughWildcards(name: string, path: string, context: TypeContext, depth: number): Values {
	return valuesOfModuleMember(memberOfModule(path, name, context), context, depth);
}

/** `super()`: what the class around extends. */
function superValues(facts: FileFacts, place: Place, context: TypeContext, depth: number): Values {
	const owner = definitionAround(facts, place.index, (definition) => definition.kind === "class");
	if (owner === undefined) return [];
	const above = supertypesOf(facts, place.path, owner, context, depth);
	if (above.includes("unknown")) return [];
	return [{ kind: "gives", of: above.map((each) => (typeof each === "string" ? { kind: "external" } : { kind: "instance", ref: each })) }];
}

function valuesOfModuleMember(member: ModuleMember, context: TypeContext, depth: number): Values {
	const values = [...member.refs.flatMap((ref) => valueOfDefinition(ref, context, depth)), ...moduleValues(member.modules)];
	return values.length === 0 && member.rest === "external" ? EXTERNAL : values;
}

/** What reading a definition gives. */
export function valueOfDefinition(ref: DefinitionRef, context: TypeContext, depth: number): Values {
	const facts = context.facts(ref.path);
	if (facts === undefined || depth > MAX_STEPS) return [];
	const definition = definitionAt(facts, ref.definition);
	if (definition.kind === "class") return [{ kind: "class", ref }];
	if (definition.kind === "typeParameter") return [];
	if (definition.parameters !== undefined) return [{ kind: "function", ref }];
	if (definition.kind === "parameter") {
		const receiver = receiverValue(facts, ref, definition);
		if (receiver !== undefined) return receiver;
	}
	return definition.type === undefined ? [] : readHint(definition.type, hintPlace(facts, ref, definition), context, depth + 1);
}

/** `self` and `cls`: the first parameter of a method. */
function receiverValue(facts: FileFacts, ref: DefinitionRef, parameter: Definition): Values | undefined {
	const method = parameter.container;
	if (method === undefined) return undefined;
	const { container, decorators, name } = definitionAt(facts, method);
	if (container === undefined || definitionAt(facts, container).kind !== "class" || decorators?.includes("staticmethod") === true)
		return undefined;
	const first = membersOf(facts, method).find((number) => definitionAt(facts, number).kind === "parameter");
	if (first !== ref.definition) return undefined;
	const isClass = decorators?.includes("classmethod") === true || name === "__new__" || name === "__init_subclass__";
	return [{ kind: isClass ? "class" : "instance", ref: { path: ref.path, definition: container } }];
}

function hintPlace(facts: FileFacts, ref: DefinitionRef, definition: Definition): Place {
	const place = placeOf(facts, ref.path, ref.definition);
	return definition.scope === undefined ? place : { ...place, scope: Math.max(place.scope, definition.scope) };
}

function readHint(hint: TypeHint, place: Place, context: TypeContext, depth: number): Values {
	switch (hint.form) {
		case "annotation":
			return context.readType(hint.text, place, depth);
		case "construct":
		case "call":
			return call(context.evaluateText(hint.text, place, depth), context, depth);
		case "element":
			return take({ op: "index" }, context.evaluateText(hint.text, place, depth), place, context, depth);
		case "copy":
			return hint.text === "[]" ? [{ kind: "sequence", of: [] }] : context.evaluateText(hint.text, place, depth);
	}
}

/** What a call of the function gives; only where its result type is written. */
function resultOf(ref: DefinitionRef, context: TypeContext, depth: number): Values {
	const facts = context.facts(ref.path);
	const definition = facts === undefined ? undefined : definitionAt(facts, ref.definition);
	if (facts === undefined || definition?.type === undefined) return [];
	return readHint(
		definition.type,
		{ path: ref.path, scope: scopeAt(facts, definition.startIndex), index: definition.index },
		context,
		depth + 1,
	);
}

export function valuesOfExport(file: string, name: string, context: TypeContext, depth: number): Values {
	return valuesOfModuleMember(memberOfModule(file, name, context), context, depth);
}
