import path from "node:path";
import type { IndexContext } from "../../types.ts";

const EXTENSIONS = [".ts", ".tsx", ".d.ts", ".mts", ".cts", ".js", ".jsx", ".mjs", ".cjs"] as const;
/** Sources say the extension that the compiled file will have. */
const COMPILED: Readonly<Record<string, readonly string[]>> = {
	".js": [".ts", ".tsx", ".d.ts"],
	".jsx": [".tsx", ".d.ts"],
	".mjs": [".mts", ".d.mts"],
	".cjs": [".cts", ".d.cts"],
};

/**
 * Files that an import specifier can mean: relative paths, and packages of the same repository by the `name` of their
 * `package.json`. Empty for packages from elsewhere; `paths` of a `tsconfig.json` are not read.
 */
export function resolveTypeScriptModule(specifier: string, from: string, context: IndexContext): readonly string[] {
	if (specifier.startsWith(".")) return existing(path.posix.join(path.posix.dirname(from), specifier), context);
	const parts = specifier.split("/");
	const name = parts.slice(0, specifier.startsWith("@") ? 2 : 1).join("/");
	const folder = workspacePackages(context).get(name);
	if (folder === undefined) return [];
	const inside = parts.slice(name.split("/").length).join("/");
	return inside === "" ? packageEntry(folder, context) : packagePath(folder, inside, context);
}

function existing(target: string, context: IndexContext): readonly string[] {
	if (target.startsWith("..")) return [];
	const extension = path.posix.extname(target);
	const bare = target.slice(0, target.length - extension.length);
	const candidates = [
		target,
		...(COMPILED[extension] ?? []).map((source) => bare + source),
		...EXTENSIONS.map((end) => target + end),
		...EXTENSIONS.map((end) => path.posix.join(target, `index${end}`)),
	];
	const found = candidates.find((candidate) => context.has(candidate));
	return found === undefined ? [] : [found];
}

/** Name of each package of the repository and the folder it is in. */
function workspacePackages(context: IndexContext): ReadonlyMap<string, string> {
	return context.memo("typescript packages", () => {
		const packages = new Map<string, string>();
		for (const file of context.paths) {
			if (path.posix.basename(file) !== "package.json" || file.includes("node_modules/")) continue;
			const name = readManifest(file, context)["name"];
			// The outer one wins: fixtures often repeat the name of what they stand for.
			if (typeof name === "string" && !packages.has(name)) packages.set(name, path.posix.dirname(file));
		}
		return packages;
	});
}

function readManifest(file: string, context: IndexContext): Readonly<Record<string, unknown>> {
	try {
		const parsed: unknown = JSON.parse(context.text(file) ?? "{}");
		return typeof parsed === "object" && parsed !== null ? (parsed as Record<string, unknown>) : {};
	} catch {
		return {};
	}
}

function packageEntry(folder: string, context: IndexContext): readonly string[] {
	const manifest = readManifest(path.posix.join(folder, "package.json"), context);
	const named = [manifest["source"], manifest["types"], manifest["main"], manifest["module"]].filter((entry) => typeof entry === "string");
	for (const entry of ["src/index", ...named.flatMap((entry) => [entry, toSource(entry)]), "index", "src/main", "lib/index"]) {
		const found = existing(path.posix.join(folder, entry), context);
		if (found.length > 0) return found;
	}
	return [];
}

/** `dist/node/index.js` is made from `src/node/index.ts`. */
function toSource(entry: string): string {
	return entry.replace(/^(\.\/)?(?:dist|build|out|lib|esm|cjs)\//, "src/").replace(/\.d\.ts$|\.[cm]?js$/, "");
}

function packagePath(folder: string, inside: string, context: IndexContext): readonly string[] {
	for (const entry of [inside, toSource(inside), `src/${inside}`]) {
		const found = existing(path.posix.join(folder, entry), context);
		if (found.length > 0) return found;
	}
	return [];
}
