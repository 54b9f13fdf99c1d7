import path from "node:path";
import type { IndexContext } from "../../types.ts";

const SUFFIXES = [".py", "/__init__.py", ".pyi", "/__init__.pyi"] as const;

/**
 * Files that a dotted module name can mean: relative ones by their dots, others below any folder that holds a package or
 * module of the first name and is none itself. Empty for modules from elsewhere.
 */
export function resolvePythonModule(specifier: string, from: string, context: IndexContext): readonly string[] {
	const dots = /^\.*/.exec(specifier)?.[0].length ?? 0;
	const parts = specifier
		.slice(dots)
		.split(".")
		.filter((part) => part !== "");
	if (dots > 0) {
		let folder = path.posix.dirname(from);
		for (let up = 1; up < dots; up++) folder = path.posix.dirname(folder);
		return fileOf([...(folder === "." ? [] : folder.split("/")), ...parts].join("/"), context);
	}
	for (const root of rootsOf(parts[0] ?? "", from, context)) {
		const found = fileOf([...(root === "" ? [] : [root]), ...parts].join("/"), context);
		if (found.length > 0) return found;
	}
	return [];
}

function fileOf(stem: string, context: IndexContext): readonly string[] {
	if (stem === "") return ["__init__.py"].filter((file) => context.has(file));
	const found = SUFFIXES.map((suffix) => stem + suffix).find((file) => context.has(file));
	return found === undefined ? [] : [found];
}

/** Folders below which the first name of a module lies, those around the importing file first. */
function rootsOf(top: string, from: string, context: IndexContext): readonly string[] {
	const all = context.memo("python roots", () => findRoots(context)).get(top) ?? [];
	const around = (root: string): boolean => root === "" || from.startsWith(`${root}/`);
	return [...all.filter(around), ...all.filter((root) => !around(root))];
}

function findRoots(context: IndexContext): ReadonlyMap<string, readonly string[]> {
	const roots = new Map<string, Set<string>>();
	const isPackage = (folder: string): boolean => context.has(folder === "" ? "__init__.py" : `${folder}/__init__.py`);
	const add = (name: string, root: string): void => {
		const known = roots.get(name) ?? new Set<string>();
		known.add(root);
		roots.set(name, known);
	};
	for (const file of context.paths) {
		if (!/\.pyi?$/.test(file)) continue;
		const folder = path.posix.dirname(file) === "." ? "" : path.posix.dirname(file);
		if (!isPackage(folder)) add(path.posix.basename(file).replace(/\.pyi?$/, ""), folder);
		// The outermost package around the file, and folders without `__init__.py` up to the root.
		const parts = folder === "" ? [] : folder.split("/");
		for (let length = parts.length; length > 0; length--) {
			const above = parts.slice(0, length - 1).join("/");
			if (!isPackage(above)) add(parts[length - 1] ?? "", above);
		}
	}
	return new Map([...roots].map(([name, found]) => [name, [...found].sort((a, b) => a.length - b.length || (a < b ? -1 : 1))]));
}
