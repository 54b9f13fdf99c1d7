import { execFileSync } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { findClone } from "./context/read-cases.ts";
import { checkOut, type WorkTree } from "./index/check-out.ts";
import { measureTypeScript } from "./index/measure-accuracy.ts";
import { measureAssets, measureFacts } from "./index/measure-facts.ts";
import { measureMap } from "./index/measure-map.ts";
import { measureEvilPatterns, measureSearch } from "./index/measure-search.ts";
import type { Ratio } from "./ratio.ts";

const MODULES = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "../node_modules");
const PARTS = "facts,search,map,types";

/**
 * The code index and the search tools on real repositories, beside git, a bare parser and TypeScript's language service.
 * Options: --clones FOLDER --repositories a/b,c/d --parts facts,search,map,types --symbols 30.
 */
export async function run(args: readonly string[]): Promise<Ratio[]> {
	const { values } = parseArgs({
		args: [...args],
		options: {
			clones: { type: "string" },
			repositories: {
				type: "string",
				default: "apache/commons-lang,hashicorp/terraform,tokio-rs/tokio,sphinx-doc/sphinx,vitejs/vite,typescript-eslint/typescript-eslint",
			},
			parts: { type: "string", default: PARTS },
			symbols: { type: "string", default: "30" },
		},
	});
	if (values.clones === undefined) throw new Error("index: wanted: --clones FOLDER");
	const parts = new Set(values.parts.split(","));
	const temp = await mkdtemp(path.join(tmpdir(), "rookery-bench-"));
	const ratios: Ratio[] = [measureAssets(MODULES)];
	try {
		if (parts.has("search")) ratios.push(...(await measureEvilPatterns((text) => makeTree(text, path.join(temp, "evil")), MODULES)));
		for (const repository of values.repositories.split(",")) {
			const name = repository.split("/")[1] ?? repository;
			await using tree = await checkOut(findClone(values.clones, repository));
			if (parts.has("search")) ratios.push(...(await measureSearch(tree, name, MODULES)));
			// Memory of this process is told for the first repository alone: what one leaves behind is the next one's.
			const isFirst = ratios.every((ratio) => !ratio.name.startsWith("I9"));
			if (parts.has("facts"))
				ratios.push(...(await measureFacts(tree, name, MODULES)).filter((ratio) => isFirst || !ratio.name.startsWith("I9")));
			if (parts.has("map")) ratios.push(...(await measureMap(tree, name, MODULES)));
			if (parts.has("types") && tree.paths.some((file) => file.endsWith(".ts"))) {
				ratios.push(...(await measureTypeScript(tree, name, { modules: MODULES, temp, symbols: Number(values.symbols) })));
			}
			console.error(`${name} measured`);
		}
	} finally {
		await rm(temp, { recursive: true, force: true });
	}
	return ratios;
}

/** A work tree of one file, made through a repository of its own. */
async function makeTree(text: string, folder: string): Promise<WorkTree> {
	execFileSync("git", ["init", "-q", folder]);
	await writeFile(path.join(folder, "evil.txt"), text);
	execFileSync("git", ["-C", folder, "add", "-A"]);
	execFileSync("git", ["-C", folder, "-c", "user.name=bench", "-c", "user.email=bench@example.org", "commit", "-qm", "evil"]);
	return checkOut(folder);
}
