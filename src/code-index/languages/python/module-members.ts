import { bindingsIn } from "../../facts/scope-lookup.ts";
import type { DefinitionRef, Import, IndexContext } from "../../types.ts";
import { resolvePythonModule } from "./module-paths.ts";

/** What a name of a module stands for. */
export interface ModuleMember {
	readonly refs: readonly DefinitionRef[];
	/** Modules that it is. */
	readonly modules: readonly string[];
	readonly rest?: "external" | "unknown";
}

const NOTHING: ModuleMember = { refs: [], modules: [], rest: "unknown" };
const EXTERNAL: ModuleMember = { refs: [], modules: [], rest: "external" };

/** Follows a name of a module to where it is defined, through imports and packages. */
export function memberOfModule(file: string, name: string, context: IndexContext, seen: ReadonlySet<string> = new Set()): ModuleMember {
	const key = `${file} ${name}`;
	if (seen.has(key) || seen.size > 40) return NOTHING;
	return context.memo(`python member ${key}`, () => find(file, name, context, new Set([...seen, key])));
}

function find(file: string, name: string, context: IndexContext, seen: ReadonlySet<string>): ModuleMember {
	const facts = context.facts(file);
	if (facts === undefined) return NOTHING;
	const bound = bindingsIn(facts, 0, name);
	if (bound !== undefined && bound.definitions.length > 0) {
		return { refs: bound.definitions.map((definition) => ({ path: file, definition })), modules: [] };
	}
	const results = (bound?.imports ?? []).map((number) => {
		const entry = facts.imports[number];
		return entry === undefined ? NOTHING : importedMember(file, entry, context, seen);
	});
	const result = results.find((each) => each.refs.length > 0 || each.modules.length > 0) ?? results[0];
	if (result !== undefined) return result;
	const inside = submodule(file, name, context);
	if (inside.length > 0) return { refs: [], modules: inside };
	let rest: ModuleMember["rest"] = "unknown";
	for (const entry of facts.imports) {
		if (entry.kind !== "wildcard") continue;
		const files = resolvePythonModule(entry.module, file, context);
		if (files.length === 0) rest = entry.module.startsWith(".") ? "unknown" : "external";
		for (const each of files) {
			const found = memberOfModule(each, name, context, seen);
			if (found.refs.length > 0 || found.modules.length > 0) return found;
		}
	}
	return { refs: [], modules: [], rest };
}

/** A module of a package is its member once somebody has imported it. */
function submodule(file: string, name: string, context: IndexContext): readonly string[] {
	if (!/(?:^|\/)__init__\.pyi?$/.test(file)) return [];
	return resolvePythonModule(`.${name}`, file, context);
}

/** What an import brings into its file. */
export function importedMember(file: string, entry: Import, context: IndexContext, seen: ReadonlySet<string> = new Set()): ModuleMember {
	const isRelative = entry.module.startsWith(".");
	const files = resolvePythonModule(entry.module, file, context);
	if (entry.kind === "module")
		return files.length > 0 ? { refs: [], modules: files } : isRelative ? NOTHING : namespace(entry.module, context);
	if (entry.kind !== "name" || entry.imported === undefined) return NOTHING;
	for (const each of files) {
		const found = memberOfModule(each, entry.imported, context, seen);
		if (found.refs.length > 0 || found.modules.length > 0) return found;
	}
	const direct = resolvePythonModule(`${entry.module}${/\.$/.test(entry.module) ? "" : "."}${entry.imported}`, file, context);
	if (direct.length > 0) return { refs: [], modules: direct };
	return files.length === 0 && !isRelative ? EXTERNAL : NOTHING;
}

/** A folder without `__init__.py` has no file that could stand for it. */
function namespace(module: string, context: IndexContext): ModuleMember {
	const folder = module.replaceAll(".", "/");
	const isOwn = context.memo(`python namespace ${folder}`, () =>
		context.paths.some((file) => file.endsWith(".py") && (file.startsWith(`${folder}/`) || file.includes(`/${folder}/`))),
	);
	return isOwn ? NOTHING : EXTERNAL;
}
