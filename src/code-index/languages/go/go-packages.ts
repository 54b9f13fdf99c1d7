import path from "node:path";
import type { DefinitionRef, FileFacts, IndexContext } from "../../types.ts";
import { definitionsNamed, typedDefinition } from "../scope-lookup.ts";
import { guessPackageName } from "./package-name.ts";

/** A package of the repository: the files of one folder that name it. */
export interface GoPackage {
	readonly folder: string;
	readonly name: string;
}

interface GoModule {
	readonly folder: string;
	readonly module: string;
}

/** The modules of the repository, the longest module path first (several in one repository are common). */
function listModules(context: IndexContext): readonly GoModule[] {
	return context.memo("go:modules", () => {
		const found: GoModule[] = [];
		for (const file of context.paths) {
			if (file !== "go.mod" && !file.endsWith("/go.mod")) continue;
			const module = /^\s*module\s+"?([^\s"]+)/m.exec(context.text(file) ?? "")?.[1];
			if (module !== undefined) found.push({ folder: folderOfFile(file), module });
		}
		return found.sort((a, b) => b.module.length - a.module.length);
	});
}

export function folderOfFile(file: string): string {
	const folder = path.posix.dirname(file);
	return folder === "." ? "" : folder;
}

function goFilesByFolder(context: IndexContext): ReadonlyMap<string, readonly string[]> {
	return context.memo("go:folders", () => {
		const folders = new Map<string, string[]>();
		for (const file of context.paths) {
			if (!file.endsWith(".go")) continue;
			const folder = folderOfFile(file);
			const list = folders.get(folder);
			if (list === undefined) folders.set(folder, [file]);
			else list.push(file);
		}
		return folders;
	});
}

export function goFilesOf(folder: string, context: IndexContext): readonly string[] {
	return goFilesByFolder(context).get(folder) ?? [];
}

/** Folder of an import path; undefined when none of the repository's modules has it. */
export function folderOfImport(module: string, context: IndexContext): string | undefined {
	for (const known of listModules(context)) {
		if (module !== known.module && !module.startsWith(`${known.module}/`)) continue;
		const folder = path.posix.join(known.folder, module.slice(known.module.length + 1));
		const plain = folder === "." ? "" : folder;
		if (goFilesByFolder(context).has(plain)) return plain;
	}
	return undefined;
}

/** Name that the files of a folder give their package, tests apart. */
export function packageNameOf(folder: string, context: IndexContext): string | undefined {
	return context.memo(`go:name:${folder}`, () => {
		const files = goFilesOf(folder, context);
		const first = files.find((file) => !file.endsWith("_test.go")) ?? files[0];
		return first === undefined ? undefined : context.facts(first)?.package;
	});
}

export function packageOf(file: string, facts: FileFacts): GoPackage {
	return { folder: folderOfFile(file), name: facts.package ?? "" };
}

/** What an imported name is in a file: a package of the repository, one from outside, or no import at all. */
export type ImportedPackage =
	| { readonly k: "package"; readonly package: GoPackage; readonly module: string }
	| { readonly k: "external"; readonly module: string };

export function findImport(name: string, facts: FileFacts, context: IndexContext): ImportedPackage | undefined {
	for (const found of facts.imports) {
		if (found.kind !== "module") continue;
		const folder = folderOfImport(found.module, context);
		if (folder === undefined) {
			const last = found.module.slice(found.module.lastIndexOf("/") + 1);
			if (found.local === name || (last === name && found.local === guessPackageName(found.module))) {
				return { k: "external", module: found.module };
			}
			continue;
		}
		const declared = packageNameOf(folder, context);
		if (declared === undefined) continue;
		const local = found.local === guessPackageName(found.module) ? declared : found.local;
		if (local === name) return { k: "package", package: { folder, name: declared }, module: found.module };
	}
	return undefined;
}

/** Files of a package whose text has a word, so that only they are parsed. */
function filesWithWordIn(package_: GoPackage, word: string, context: IndexContext): readonly string[] {
	const byFolder = context.memo(`go:word:${word}`, () => {
		const folders = new Map<string, string[]>();
		for (const file of context.filesWithWord(word)) {
			if (!file.endsWith(".go")) continue;
			const folder = folderOfFile(file);
			const list = folders.get(folder);
			if (list === undefined) folders.set(folder, [file]);
			else list.push(file);
		}
		return folders;
	});
	return byFolder.get(package_.folder) ?? [];
}

/** Package-level definitions of a name; several when build tags choose between files. */
export function findInPackage(package_: GoPackage, name: string, context: IndexContext): readonly DefinitionRef[] {
	return context.memo(`go:top:${package_.folder}:${package_.name}:${name}`, () => {
		const found: DefinitionRef[] = [];
		for (const file of filesWithWordIn(package_, name, context)) {
			const facts = context.facts(file);
			if (facts?.package !== package_.name) continue;
			for (const definition of definitionsNamed(facts, name)) {
				if (typedDefinition(facts, definition)?.scope === 0) found.push({ path: file, definition });
			}
		}
		return found;
	});
}

/** Methods of a name that a package declares on one of its types. */
export function findMethods(package_: GoPackage, typeName: string, name: string, context: IndexContext): readonly DefinitionRef[] {
	return context.memo(`go:method:${package_.folder}:${package_.name}:${typeName}:${name}`, () => {
		const found: DefinitionRef[] = [];
		for (const file of filesWithWordIn(package_, name, context)) {
			const facts = context.facts(file);
			if (facts?.package !== package_.name) continue;
			for (const definition of definitionsNamed(facts, name)) {
				const receiver = typedDefinition(facts, definition)?.receiver;
				if (receiver?.k === "name" && receiver.path.length === 1 && receiver.path[0] === typeName) found.push({ path: file, definition });
			}
		}
		return found;
	});
}
