import path from "node:path";
import type { DefinitionRef, FileFacts, IndexContext } from "../../types.ts";
import { definitionsNamed, typedDefinition } from "../scope-lookup.ts";

interface JavaFiles {
	readonly byName: ReadonlyMap<string, readonly string[]>;
	readonly byFolder: ReadonlyMap<string, readonly string[]>;
}

function listJavaFiles(context: IndexContext): JavaFiles {
	return context.memo("java:files", () => {
		const byName = new Map<string, string[]>();
		const byFolder = new Map<string, string[]>();
		for (const file of context.paths) {
			if (!file.endsWith(".java")) continue;
			add(byName, path.posix.basename(file, ".java"), file);
			add(byFolder, `/${path.posix.dirname(file)}`, file);
		}
		return { byName, byFolder };
	});
}

function add(map: Map<string, string[]>, key: string, value: string): void {
	const list = map.get(key);
	if (list === undefined) map.set(key, [value]);
	else list.push(value);
}

/** Folders that may hold a package: those whose path ends like it, in whatever source root. */
function foldersOf(packageName: string, context: IndexContext): readonly string[] {
	return context.memo(`java:folders:${packageName}`, () => {
		const end = `/${packageName.replaceAll(".", "/")}`;
		return [...listJavaFiles(context).byFolder.keys()].filter((folder) => folder.endsWith(end));
	});
}

/** Is it a package of the repository, or what such a package's name begins with? */
export function isPackage(name: string, context: IndexContext): boolean {
	return context.memo(`java:package:${name}`, () => {
		const part = `/${name.replaceAll(".", "/")}/`;
		for (const folder of listJavaFiles(context).byFolder.keys()) if (`${folder}/`.includes(part)) return true;
		return false;
	});
}

/** A package's class on the top level; several when source roots repeat it. */
export function findClass(packageName: string, name: string, context: IndexContext): readonly DefinitionRef[] {
	return context.memo(`java:class:${packageName}:${name}`, () => {
		const named = (listJavaFiles(context).byName.get(name) ?? []).flatMap((file) => topLevel(file, packageName, name, context));
		if (named.length > 0) return named;
		// Classes beside the one that gives the file its name.
		const folders = foldersOf(packageName, context);
		if (folders.length === 0) return [];
		const inFolders = new Set(folders);
		return context
			.filesWithWord(name)
			.filter((file) => inFolders.has(`/${path.posix.dirname(file)}`))
			.flatMap((file) => topLevel(file, packageName, name, context));
	});
}

function topLevel(file: string, packageName: string, name: string, context: IndexContext): readonly DefinitionRef[] {
	if (!`/${path.posix.dirname(file)}`.endsWith(`/${packageName.replaceAll(".", "/")}`) && packageName !== "") return [];
	const facts = context.facts(file);
	if (facts === undefined || (facts.package ?? "") !== packageName) return [];
	const definition = findTopLevel(facts, name);
	return definition === undefined ? [] : [{ path: file, definition }];
}

export function findTopLevel(facts: FileFacts, name: string): number | undefined {
	return definitionsNamed(facts, name).find((index) => {
		const definition = typedDefinition(facts, index);
		return definition?.scope === 0 && definition.sort === "type";
	});
}

const bodies = new WeakMap<FileFacts, ReadonlyMap<number, number>>();

/** The type whose braces open at an offset. */
export function typeOfBody(facts: FileFacts, at: number): number | undefined {
	let known = bodies.get(facts);
	if (known === undefined) {
		const made = new Map<number, number>();
		facts.typing?.definitions.forEach((definition, index) => {
			if (definition.sort === "type" && definition.type?.k === "body") made.set(definition.type.at, index);
		});
		known = made;
		bodies.set(facts, known);
	}
	return known.get(at);
}

/** Types around an offset, the innermost first, with the offset where each one's braces open. */
export function typesAround(facts: FileFacts, at: number): readonly { readonly definition: number; readonly start: number }[] {
	const around: { definition: number; start: number }[] = [];
	for (const scope of facts.scopes) {
		if (scope.kind !== "type" || at < scope.startIndex || at >= scope.endIndex) continue;
		const definition = typeOfBody(facts, scope.startIndex);
		if (definition !== undefined) around.push({ definition, start: scope.startIndex });
	}
	return around.sort((a, b) => b.start - a.start);
}
