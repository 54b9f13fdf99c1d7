import { definitionAt, lookUp } from "../../facts/scope-lookup.ts";
import type { DefinitionRef, FileFacts, IndexContext, Occurrence, Resolution } from "../../types.ts";
import type { TypeContext, Value } from "../values.ts";
import { importedMember } from "./exports.ts";
import { findGlobal } from "./globals.ts";
import { isType, isValue } from "./kinds.ts";
import { withTypes } from "./type-context.ts";

const UNKNOWN: Resolution = { kind: "unknown" };

/** What an occurrence in a TypeScript or JavaScript file means. */
export function resolveTypeScript(path: string, facts: FileFacts, number: number, index: IndexContext): Resolution {
	const context = withTypes(index);
	const occurrence = facts.occurrences[number];
	if (occurrence === undefined) return UNKNOWN;
	if (occurrence.import !== undefined) return resolveImport(path, facts, occurrence.import, context);
	if (occurrence.receiver !== undefined) return resolveMember(path, occurrence, occurrence.receiver, context);
	return occurrence.isKey === true ? UNKNOWN : resolveName(path, facts, occurrence, context);
}

function found(targets: readonly DefinitionRef[], certainty: "resolved" | "typed", evidence: string): Resolution {
	return { kind: "found", targets, certainty, evidence };
}

function resolveImport(path: string, facts: FileFacts, number: number, context: TypeContext): Resolution {
	const entry = facts.imports[number];
	if (entry === undefined) return UNKNOWN;
	const member = importedMember(path, entry, context);
	if (member.refs.length > 0) return found(member.refs, "resolved", `imported from ${entry.module}`);
	if (member.modules.length > 0) return { kind: "external", evidence: `the module ${entry.module}` };
	return member.rest === "external" ? { kind: "external", evidence: `imported from ${entry.module}` } : UNKNOWN;
}

function resolveName(path: string, facts: FileFacts, occurrence: Occurrence, context: TypeContext): Resolution {
	const accepts = occurrence.role === "type" ? isType : isValue;
	const bound = lookUp(facts, occurrence.scope, occurrence.name, accepts);
	if (bound === undefined) {
		const refs = findGlobal(occurrence.name, context, accepts);
		return refs.length > 0 ? found(refs, "resolved", "a global declaration") : { kind: "external", evidence: "a name of the platform" };
	}
	if (bound.definitions.length > 0) {
		const targets = bound.definitions.map((definition) => ({ path, definition }));
		return found(targets, "resolved", "defined in this file");
	}
	return resolveImport(path, facts, bound.imports[0] ?? -1, context);
}

function resolveMember(path: string, occurrence: Occurrence, receiver: string, context: TypeContext): Resolution {
	const place = { path, scope: occurrence.scope, index: occurrence.index };
	const values = context.evaluateText(receiver, place, 0);
	if (values.length === 0) return UNKNOWN;
	const member = context.findMember(values, occurrence.name, 0);
	if (member.refs.length > 0) {
		return found(member.refs, member.isBinding ? "resolved" : "typed", `${receiver} is ${describe(values, context)}`);
	}
	if (member.rest === "external") return { kind: "external", evidence: `${receiver} is of another package` };
	if (member.rest === "missing") return { kind: "external", evidence: `${describe(values, context)} has no such member` };
	return UNKNOWN;
}

function describe(values: readonly Value[], context: TypeContext): string {
	const names = values.flatMap((value) => {
		if (value.kind === "module") return [value.path];
		if (value.kind !== "instance" && value.kind !== "class") return [];
		const facts = context.facts(value.ref.path);
		return facts === undefined ? [] : [definitionAt(facts, value.ref.definition).name];
	});
	return [...new Set(names)].slice(0, 3).join(" or ") || "of another package";
}
