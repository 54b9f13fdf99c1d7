import { definitionAt, membersOf } from "../../facts/scope-lookup.ts";
import type { DefinitionRef, FileFacts, IndexContext, Occurrence, Resolution } from "../../types.ts";
import { createTypeContext } from "../type-context.ts";
import type { TypeContext, Value } from "../values.ts";
import { evaluateText, lookUpPython, valuesOfExport } from "./evaluate.ts";
import { findMember, supertypesOf } from "./members-of.ts";
import { importedMember, memberOfModule } from "./module-members.ts";
import { readType } from "./read-type.ts";

const UNKNOWN: Resolution = { kind: "unknown" };

const withTypes = createTypeContext({ evaluateText, readType, findMember, valuesOfExport });

/** What an occurrence in a Python file means. */
export function resolvePython(path: string, facts: FileFacts, number: number, index: IndexContext): Resolution {
	const context = withTypes(index);
	const occurrence = facts.occurrences[number];
	if (occurrence === undefined) return UNKNOWN;
	if (occurrence.import !== undefined) return resolveImports(path, facts, [occurrence.import], context);
	if (occurrence.receiver !== undefined) return resolveMember(path, occurrence, occurrence.receiver, context);
	return resolveName(path, facts, occurrence, context);
}

function found(targets: readonly DefinitionRef[], certainty: "resolved" | "typed", evidence: string): Resolution {
	return { kind: "found", targets, certainty, evidence };
}

function resolveImports(path: string, facts: FileFacts, numbers: readonly number[], context: TypeContext): Resolution {
	let result: Resolution = UNKNOWN;
	for (const number of numbers) {
		const entry = facts.imports[number];
		if (entry === undefined) continue;
		const member = importedMember(path, entry, context);
		if (member.refs.length > 0) return found(member.refs, "resolved", `imported from ${entry.module}`);
		const isKnown = member.modules.length > 0 || member.rest === "external";
		if (isKnown)
			result = { kind: "external", evidence: member.modules.length > 0 ? `the module ${entry.module}` : `imported from ${entry.module}` };
	}
	return result;
}

function resolveName(path: string, facts: FileFacts, occurrence: Occurrence, context: TypeContext): Resolution {
	const bound = lookUpPython(facts, occurrence.scope, occurrence.name);
	if ("imports" in bound) return resolveImports(path, facts, bound.imports, context);
	if (bound.length > 0) {
		return found(
			bound.map((definition) => ({ path, definition })),
			"resolved",
			"defined in this file",
		);
	}
	if (!facts.imports.some((entry) => entry.kind === "wildcard")) return { kind: "external", evidence: "a built-in name" };
	const member = memberOfModule(path, occurrence.name, context);
	if (member.refs.length > 0) return found(member.refs, "resolved", "imported by *");
	return member.rest === "external" ? { kind: "external", evidence: "not in the modules imported by *" } : UNKNOWN;
}

function resolveMember(path: string, occurrence: Occurrence, receiver: string, context: TypeContext): Resolution {
	const values = context.evaluateText(receiver, { path, scope: occurrence.scope, index: occurrence.index }, 0);
	if (values.length === 0) return UNKNOWN;
	const member = context.findMember(values, occurrence.name, 0);
	if (member.refs.length > 0) {
		return found(member.refs, member.isBinding ? "resolved" : "typed", `${receiver} is ${describe(values, context)}`);
	}
	return member.rest === "external" ? { kind: "external", evidence: `${receiver} is of another package` } : UNKNOWN;
}

function describe(values: readonly Value[], context: TypeContext): string {
	const names = values.flatMap((value) => {
		if (value.kind === "module") return [value.path];
		if (value.kind !== "instance" && value.kind !== "class") return [];
		const facts = context.facts(value.ref.path);
		return facts === undefined ? [] : [definitionAt(facts, value.ref.definition).name];
	});
	return [...new Set(names)].slice(0, 3).join(" or ") || "known";
}

/** Members of the same name in the classes above the target's own: a call through them may reach it. */
export function relatedPython(target: DefinitionRef, index: IndexContext): readonly DefinitionRef[] {
	const context = withTypes(index);
	const facts = context.facts(target.path);
	if (facts === undefined) return [];
	const { container, name, scope } = definitionAt(facts, target.definition);
	if (container === undefined || scope !== undefined || name === "__init__") return [];
	const related: DefinitionRef[] = [];
	const seen = new Set<string>();
	const climb = (owner: DefinitionRef): void => {
		const ownFacts = context.facts(owner.path);
		const key = `${owner.path}:${owner.definition}`;
		if (ownFacts === undefined || seen.has(key) || seen.size > 50) return;
		seen.add(key);
		for (const above of supertypesOf(ownFacts, owner.path, owner.definition, context, 0)) {
			if (typeof above === "string") continue;
			const aboveFacts = context.facts(above.path);
			const members =
				aboveFacts === undefined ? [] : membersOf(aboveFacts, above.definition).map((number) => ({ number, facts: aboveFacts }));
			for (const { number, facts: of } of members)
				if (definitionAt(of, number).name === name) related.push({ path: above.path, definition: number });
			climb(above);
		}
	};
	climb({ path: target.path, definition: container });
	return related;
}
