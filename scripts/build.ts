/**
 * Builds `dist/`: the action's two entries, the command line, the worker, the module and the grammars.
 * Deterministic: the same sources and the same locked dependencies give the same bytes (checked by `check-dist.ts`).
 * Usage: `npm run build [-- FOLDER]`.
 */
import { cp, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { existsSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { rolldown } from "rolldown";

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));

const ENTRIES = ["index", "post", "cli", "worker", "rookery"] as const;

/** Grammars that the syntax service loads at run time, as published in their packages. */
const ASSETS: readonly (readonly [from: string, to: string])[] = [
	["node_modules/web-tree-sitter/web-tree-sitter.wasm", "grammars/web-tree-sitter.wasm"],
	["node_modules/tree-sitter-go/tree-sitter-go.wasm", "grammars/tree-sitter-go.wasm"],
	["node_modules/tree-sitter-java/tree-sitter-java.wasm", "grammars/tree-sitter-java.wasm"],
	["node_modules/tree-sitter-javascript/tree-sitter-javascript.wasm", "grammars/tree-sitter-javascript.wasm"],
	["node_modules/tree-sitter-python/tree-sitter-python.wasm", "grammars/tree-sitter-python.wasm"],
	["node_modules/tree-sitter-rust/tree-sitter-rust.wasm", "grammars/tree-sitter-rust.wasm"],
	["node_modules/tree-sitter-typescript/tree-sitter-typescript.wasm", "grammars/tree-sitter-typescript.wasm"],
	["node_modules/tree-sitter-typescript/tree-sitter-tsx.wasm", "grammars/tree-sitter-tsx.wasm"],
];

/** Licence texts of everything that ends up in the bundle, in one file (MIT and the like ask for that). */
async function collectLicences(modules: ReadonlySet<string>): Promise<string> {
	const packages = new Map<string, string>();
	for (const id of modules) {
		const match = /^(.*node_modules\/((?:@[^/]+\/)?[^/]+))\//.exec(id);
		if (match?.[1] !== undefined && match[2] !== undefined) packages.set(match[2], match[1]);
	}
	for (const [from] of ASSETS) {
		const name = from.split("/")[1];
		if (name !== undefined) packages.set(name, path.join(root, "node_modules", name));
	}
	const parts: string[] = [];
	for (const [name, folder] of [...packages].sort(([a], [b]) => (a < b ? -1 : 1))) {
		const manifest = JSON.parse(await readFile(path.join(folder, "package.json"), "utf8")) as { version: string; license?: string };
		const file = ["LICENSE", "LICENSE.md", "LICENSE.txt", "license", "license.md", "LICENCE", "License"].find((name) =>
			existsSync(path.join(folder, name)),
		);
		const text = file === undefined ? "" : (await readFile(path.join(folder, file), "utf8")).replace(/\r\n/g, "\n").trim();
		parts.push(`${name} ${manifest.version}\n${manifest.license ?? ""}\n\n${text}\n`);
	}
	return `${parts.join(`\n${"-".repeat(72)}\n\n`)}`;
}

export async function build(target: string): Promise<void> {
	await rm(target, { recursive: true, force: true });
	await mkdir(target, { recursive: true });
	const bundle = await rolldown({
		cwd: root,
		input: Object.fromEntries(ENTRIES.map((name) => [name, `./src/${name}.ts`])),
		platform: "node",
		logLevel: "warn",
		// The bundle runs on Node 20, which does not know `await using`.
		transform: { target: "es2022" },
		// Its main file is a UMD wrapper whose inner requires no bundler can follow.
		resolve: { alias: { "jsonc-parser": path.join(root, "node_modules/jsonc-parser/lib/esm/main.js") } },
		// gray-matter and web-tree-sitter hold an eval that is never reached: no JavaScript front matter, no dynamic linking.
		checks: { eval: false },
	});
	const { output } = await bundle.write({
		dir: target,
		format: "esm",
		minify: true,
		entryFileNames: "[name].js",
		chunkFileNames: "chunks/[name]-[hash].js",
	});
	await bundle.close();
	const modules = new Set(output.flatMap((chunk) => (chunk.type === "chunk" ? chunk.moduleIds : [])));
	for (const [from, to] of ASSETS) await cp(path.join(root, from), path.join(target, to));
	await writeFile(path.join(target, "LICENSES.txt"), await collectLicences(modules));
	// Without this file, Node would take the bundle for CommonJS wherever only `dist` is copied.
	await writeFile(path.join(target, "package.json"), '{ "type": "module" }\n');
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await build(path.resolve(root, process.argv[2] ?? "dist"));
