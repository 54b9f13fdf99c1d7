import { bindingsIn, definitionAt } from "../../facts/scope-lookup.ts";
import type { Export, FileFacts, Import, IndexContext } from "../../types.ts";
import type { DefinitionRef } from "../../types.ts";
import { resolveTypeScriptModule } from "./module-paths.ts";

/** What a name of a module stands for. */
export interface ModuleMember {
	readonly refs: readonly DefinitionRef[];
	/** Files whose namespace it is (`export * as ns from`). */
	readonly modules: readonly string[];
	/** `external` when it certainly comes from another package, `unknown` when nobody can say. */
	readonly rest?: "external" | "unknown";
}

const NOTHING: ModuleMember = { refs: [], modules: [], rest: "unknown" };
const EXTERNAL: ModuleMember = { refs: [], modules: [], rest: "external" };

/** Follows a name that a file exports to where it is defined, through re-exports. */
export function exportedMember(file: string, name: string, context: IndexContext, seen: ReadonlySet<string> = new Set()): ModuleMember {
	const key = `${file} ${name}`;
	if (seen.has(key) || seen.size > 40) return NOTHING;
	return context.memo(`typescript export ${key}`, () => findExported(file, name, context, new Set([...seen, key])));
}

function findExported(file: string, name: string, context: IndexContext, seen: ReadonlySet<string>): ModuleMember {
	const facts = context.facts(file);
	if (facts === undefined) return NOTHING;
	const direct = bindingsIn(facts, 0, name)?.definitions.filter((number) => definitionAt(facts, number).exported) ?? [];
	if (direct.length > 0 && name !== "default") return { refs: direct.map((definition) => ({ path: file, definition })), modules: [] };
	const entry =
		facts.exports.find((each) => each.exported === name) ??
		(name === "default" ? facts.exports.find((each) => each.exported === "export=") : undefined);
	if (entry !== undefined) return followExport(file, facts, entry, context, seen);
	if (name === "default") return NOTHING;
	let rest: ModuleMember["rest"] = facts.exports.some((each) => each.exported === "export=") ? "unknown" : undefined;
	for (const each of facts.exports) {
		if (each.exported !== "*" || each.module === undefined) continue;
		const found = throughModule(file, each.module, name, context, seen);
		if (found.refs.length > 0 || found.modules.length > 0) return found;
		rest ??= found.rest === "external" ? "external" : rest;
	}
	return { refs: [], modules: [], rest: rest ?? "unknown" };
}

function followExport(file: string, facts: FileFacts, entry: Export, context: IndexContext, seen: ReadonlySet<string>): ModuleMember {
	if (entry.module !== undefined) {
		if (entry.imported === "*") return wholeModule(file, entry.module, context);
		return throughModule(file, entry.module, entry.imported ?? entry.exported, context, seen);
	}
	if (entry.local === undefined) return NOTHING;
	const bound = bindingsIn(facts, 0, entry.local);
	if (bound !== undefined && bound.definitions.length > 0) {
		return { refs: bound.definitions.map((definition) => ({ path: file, definition })), modules: [] };
	}
	const imported = facts.imports[bound?.imports[0] ?? -1];
	if (imported !== undefined) return importedMember(file, imported, context, seen);
	// CommonJS: the definition made by `exports.a = …` is bound in no scope.
	const assigned = facts.definitions.findIndex((definition) => definition.exported && definition.name === entry.local);
	return assigned === -1 ? NOTHING : { refs: [{ path: file, definition: assigned }], modules: [] };
}

/** What an import brings into its file. */
export function importedMember(file: string, entry: Import, context: IndexContext, seen: ReadonlySet<string> = new Set()): ModuleMember {
	switch (entry.kind) {
		case "name":
			return throughModule(file, entry.module, entry.imported ?? "", context, seen);
		case "default": {
			return throughModule(file, entry.module, "default", context, seen);
		}
		case "module":
			return wholeModule(file, entry.module, context);
		default:
			return NOTHING;
	}
}

function throughModule(file: string, module: string, name: string, context: IndexContext, seen: ReadonlySet<string>): ModuleMember {
	const files = resolveTypeScriptModule(module, file, context);
	if (files.length === 0) return module.startsWith(".") ? NOTHING : EXTERNAL;
	for (const each of files) {
		const found = exportedMember(each, name, context, seen);
		if (found.refs.length > 0 || found.modules.length > 0 || found.rest === "external") return found;
	}
	return NOTHING;
}

function wholeModule(file: string, module: string, context: IndexContext): ModuleMember {
	const files = resolveTypeScriptModule(module, file, context);
	if (files.length === 0) return module.startsWith(".") ? NOTHING : EXTERNAL;
	return { refs: [], modules: files };
}
