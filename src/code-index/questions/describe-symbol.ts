import { definitionAt } from "../facts/scope-lookup.ts";
import type { Definition, DefinitionRef, FileFacts, SymbolHit } from "../types.ts";

/** A definition as answers show it. */
export function describeSymbol(ref: DefinitionRef, facts: FileFacts): SymbolHit {
	const definition = definitionAt(facts, ref.definition);
	const container = containerName(facts, definition);
	return {
		path: ref.path,
		definition: ref.definition,
		name: definition.name,
		kind: definition.kind,
		...(container === "" ? {} : { container }),
		line: definition.line,
		endLine: definition.endLine,
		column: definition.column,
		exported: definition.exported,
		signature: definition.signature,
		...(definition.parameters === undefined ? {} : { parameters: definition.parameters }),
	};
}

/** `Outer.Inner`; for a member with a named owner, the owner without type arguments and pointers. */
export function containerName(facts: FileFacts, definition: Definition): string {
	const names: string[] = [];
	for (let at = definition.container; at !== undefined; at = definitionAt(facts, at).container) names.unshift(definitionAt(facts, at).name);
	if (definition.owner !== undefined) names.push(bareType(definition.owner));
	return names.join(".");
}

function bareType(text: string): string {
	return text.replace(/[<[].*$/s, "").replace(/^[*&\s]+/, "");
}

/** Can be asked for by name alone: a local variable or parameter is only found by its line. */
export function isOutstanding(facts: FileFacts, definition: Definition): boolean {
	if (definition.kind === "parameter" || definition.kind === "label" || definition.kind === "typeParameter") return false;
	if (definition.scope === undefined) return true;
	const scope = facts.scopes[definition.scope];
	if (scope === undefined || scope.kind === "file" || scope.kind === "module" || scope.kind === "type") return true;
	// A type or function inside of a function may be asked for; its plain variables are not.
	return definition.kind !== "variable" && definition.kind !== "constant";
}
