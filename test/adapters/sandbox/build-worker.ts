import { chmod, cp, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { rolldown } from "rolldown";

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "../../..");
const GRAMMARS = [
	"web-tree-sitter/web-tree-sitter.wasm",
	"tree-sitter-javascript/tree-sitter-javascript.wasm",
	"tree-sitter-python/tree-sitter-python.wasm",
];

export interface BuiltWorker extends AsyncDisposable {
	/** Folder as `dist` is: `worker.js` with its parts, and `grammars`. */
	readonly code: string;
}

/** Builds the worker's program as the release does, so that what is tested is what ships. */
export async function buildWorker(): Promise<BuiltWorker> {
	const code = await mkdtemp(path.join(os.tmpdir(), "rookery-worker-"));
	const bundle = await rolldown({
		cwd: root,
		input: { worker: "./src/worker.ts" },
		platform: "node",
		logLevel: "silent",
		transform: { target: "es2022" },
		resolve: { alias: { "jsonc-parser": path.join(root, "node_modules/jsonc-parser/lib/esm/main.js") } },
	});
	await bundle.write({ dir: code, format: "esm", minify: true, entryFileNames: "[name].js", chunkFileNames: "chunks/[name]-[hash].js" });
	await bundle.close();
	await writeFile(path.join(code, "package.json"), '{ "type": "module" }\n');
	await mkdir(path.join(code, "grammars"));
	for (const file of GRAMMARS) await cp(path.join(root, "node_modules", file), path.join(code, "grammars", path.basename(file)));
	// An ordinary user reads it, too.
	await chmod(code, 0o755);
	return { code, [Symbol.asyncDispose]: () => rm(code, { recursive: true, force: true }) };
}
