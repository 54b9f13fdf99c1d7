import { definitionAround, definitionAt, lookUp, scopeAt } from "../../facts/scope-lookup.ts";
import type { Definition, DefinitionRef, FileFacts, TypeHint } from "../../types.ts";
import { type ExpressionStep, readExpression } from "../expression.ts";
import { EXTERNAL, type Place, placeOf, type TypeContext, type Values } from "../values.ts";
import { exportedMember, importedMember, type ModuleMember } from "./exports.ts";
import { findGlobal } from "./globals.ts";
import { isValue } from "./kinds.ts";
import { resolveTypeScriptModule } from "./module-paths.ts";

/** Chains longer than this are not followed. */
const MAX_STEPS = 12;

/** What the values of an expression may be; empty when that cannot be said from the source. */
export function evaluateText(text: string, place: Place, context: TypeContext, depth: number): Values {
	const steps = readExpression(text);
	return steps === undefined ? [] : evaluate(steps, place, context, depth);
}

function evaluate(steps: readonly ExpressionStep[], place: Place, context: TypeContext, depth: number): Values {
	if (depth > MAX_STEPS) return [];
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
			return valuesOfName(step.name, place, context, depth);
		case "this":
		case "super":
			return thisValues(step.op === "super", place, context, depth);
		case "literal":
			return EXTERNAL;
		case "cast":
			return context.readType(step.type, place, depth);
		case "import":
			return [{ kind: "promise", of: moduleValues(resolveTypeScriptModule(step.module, place.path, context)) }];
		case "member": {
			const member = context.findMember(values, step.name, depth);
			const read = member.refs.flatMap((ref) => valueOfDefinition(ref, context, depth));
			const known = [...read, ...moduleValues(member.modules), ...(member.values ?? [])];
			return known.length === 0 && member.rest === "external" ? EXTERNAL : known;
		}
		case "construct":
			return values.flatMap((value): Values => {
				if (value.kind === "class") return [{ kind: "instance", ref: value.ref }];
				return value.kind === "external" ? EXTERNAL : [];
			});
		case "call":
			return values.flatMap((value): Values => {
				if (value.kind === "function") return resultOf(value.ref, context, depth);
				// What a foreign function gives may be what it was given.
				return value.kind === "gives" ? value.of : [];
			});
		case "index":
			return values.flatMap((value): Values => (value.kind === "sequence" || value.kind === "record" ? value.of : []));
		case "await":
			return values.flatMap((value): Values => (value.kind === "promise" ? value.of : [value]));
	}
}

function moduleValues(paths: readonly string[]): Values {
	return paths.map((path) => ({ kind: "module", path }));
}

function valuesOfName(name: string, place: Place, context: TypeContext, depth: number): Values {
	const facts = context.facts(place.path);
	if (facts === undefined) return [];
	const bound = lookUp(facts, place.scope, name, isValue);
	if (bound === undefined) return globalValues(name, context, depth);
	if (bound.definitions.length > 0) {
		return bound.definitions.flatMap((definition) => valueOfDefinition({ path: place.path, definition }, context, depth));
	}
	const entry = facts.imports[bound.imports[0] ?? -1];
	return entry === undefined ? [] : valuesOfModuleMember(importedMember(place.path, entry, context), context, depth);
}

function globalValues(name: string, context: TypeContext, depth: number): Values {
	const refs = findGlobal(name, context, isValue);
	return refs.length === 0 ? EXTERNAL : refs.flatMap((ref) => valueOfDefinition(ref, context, depth));
}

function valuesOfModuleMember(member: ModuleMember, context: TypeContext, depth: number): Values {
	const values = [...member.refs.flatMap((ref) => valueOfDefinition(ref, context, depth)), ...moduleValues(member.modules)];
	return values.length === 0 && member.rest === "external" ? EXTERNAL : values;
}

/** The object whose member the code at the place is; in a static member the class itself. */
function thisValues(above: boolean, place: Place, context: TypeContext, depth: number): Values {
	const facts = context.facts(place.path);
	if (facts === undefined) return [];
	const owner = definitionAround(facts, place.index, (definition) => definition.kind === "class");
	if (owner === undefined) return thisOfObject(facts, place);
	const member = definitionAround(facts, place.index, (definition) => definition.container === owner && definition.scope === undefined);
	const isStatic = member !== undefined && definitionAt(facts, member).isStatic === true;
	const kind = isStatic ? "class" : "instance";
	if (!above) return [{ kind, ref: { path: place.path, definition: owner } }];
	const supertype = definitionAt(facts, owner).supertypes?.[0];
	const values = supertype === undefined ? [] : context.evaluateText(supertype, placeOf(facts, place.path, owner), depth);
	return values.flatMap(
		(value): Values => (value.kind === "class" ? [{ kind, ref: value.ref }] : value.kind === "external" ? [value] : []),
	);
}

function thisOfObject(facts: FileFacts, place: Place): Values {
	const method = definitionAround(facts, place.index, (definition) => definition.kind === "method");
	const holder = method === undefined ? undefined : definitionAt(facts, method).container;
	return holder === undefined ? [] : [{ kind: "instance", ref: { path: place.path, definition: holder } }];
}

/** What reading a definition gives. */
export function valueOfDefinition(ref: DefinitionRef, context: TypeContext, depth: number): Values {
	const facts = context.facts(ref.path);
	if (facts === undefined || depth > MAX_STEPS) return [];
	const definition = definitionAt(facts, ref.definition);
	switch (definition.kind) {
		case "class":
		case "enum":
		case "module":
			return [{ kind: "class", ref }];
		case "interface":
		case "type":
		case "typeParameter":
		case "label":
			return [];
		case "enumMember":
			return EXTERNAL;
		default:
			return definition.parameters === undefined ? valueOfHint(definition, ref, facts, context, depth) : [{ kind: "function", ref }];
	}
}

function valueOfHint(definition: Definition, ref: DefinitionRef, facts: FileFacts, context: TypeContext, depth: number): Values {
	if (definition.type === undefined) return [];
	return readHint(definition.type, ref, { ...placeOf(facts, ref.path, ref.definition), ...hintScope(definition) }, context, depth + 1);
}

/** A parameter's annotation may name type parameters of its function, which its own scope binds. */
function hintScope(definition: Definition): { readonly scope?: number } {
	return definition.scope === undefined ? {} : { scope: definition.scope };
}

function readHint(hint: TypeHint, ref: DefinitionRef, place: Place, context: TypeContext, depth: number): Values {
	switch (hint.form) {
		case "annotation":
			return context.readType(hint.text, place, depth, ref);
		case "construct":
			return take({ op: "construct" }, context.evaluateText(hint.text, place, depth), place, context, depth);
		case "call":
			return take({ op: "call" }, context.evaluateText(hint.text, place, depth), place, context, depth);
		case "element":
			return take({ op: "index" }, context.evaluateText(hint.text, place, depth), place, context, depth);
		case "copy":
			if (hint.text === "{}") return [{ kind: "instance", ref }];
			return hint.text === "[]" ? [{ kind: "sequence", of: [] }] : context.evaluateText(hint.text, place, depth);
	}
}

/** What a call of the function gives; only where its result type is written, or it is a thin wrapper. */
function resultOf(ref: DefinitionRef, context: TypeContext, depth: number): Values {
	const facts = context.facts(ref.path);
	const definition = facts === undefined ? undefined : definitionAt(facts, ref.definition);
	if (facts === undefined || definition?.type === undefined) return [];
	// Type parameters of the function are bound inside of it.
	const inside = facts.scopes.findIndex(
		(scope) => scope.kind === "function" && scope.startIndex >= definition.startIndex && scope.startIndex < definition.endIndex,
	);
	const place = { path: ref.path, scope: inside === -1 ? scopeAt(facts, definition.startIndex) : inside, index: definition.index };
	return readHint(definition.type, ref, place, context, depth + 1);
}

/** For imports of one file's names by other rules. */
export function valuesOfExport(file: string, name: string, context: TypeContext, depth: number): Values {
	return valuesOfModuleMember(exportedMember(file, name, context), context, depth);
}
