import type { Definition, DefinitionKind, FileFacts } from "../../types.ts";

const TYPES: ReadonlySet<DefinitionKind> = new Set(["class", "interface", "enum", "type", "typeParameter", "module"]);
const TYPES_ALONE: ReadonlySet<DefinitionKind> = new Set(["interface", "type", "typeParameter"]);

/** Can stand where a type is written. */
export const isType = (definition: Definition): boolean => TYPES.has(definition.kind);
/** Exists when the program runs. */
export const isValue = (definition: Definition): boolean => !TYPES_ALONE.has(definition.kind) && definition.kind !== "label";

/** A file without imports and exports: what it declares at its top is there for all files. */
export function isScript(facts: FileFacts): boolean {
	return (
		facts.imports.every((entry) => entry.kind === "effect") &&
		facts.exports.length === 0 &&
		!facts.definitions.some((definition) => definition.exported && definition.scope === 0)
	);
}
