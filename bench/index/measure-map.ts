import { createCodeIndex } from "../../src/code-index/code-index.ts";
import { grammarOfPath, locateAssets } from "../../src/code-index/grammars.ts";
import { createSyntaxService } from "../../src/code-index/syntax-service.ts";
import type { Ratio } from "../ratio.ts";
import type { WorkTree } from "./check-out.ts";

const COMMITS = 100;
const WINDOW = 3_000;
const SHOWN = 10;

/**
 * M1: of the source files that a commit changed together, how many the map names among its first ten when it is asked for
 * one of them. What changed together is learned from older commits only.
 */
export async function measureMap(tree: WorkTree, name: string, modules: string): Promise<readonly Ratio[]> {
	const present = new Set(tree.paths);
	const commits = tree
		.git("log", "--no-merges", "--format=%x01", "--name-only", "-n", String(WINDOW))
		.split("\u0001")
		.slice(1)
		.map((entry) => entry.split("\n").filter((line) => line !== "" && present.has(line) && grammarOfPath(line) !== undefined));
	const tested: { readonly files: readonly string[]; readonly position: number }[] = [];
	commits.forEach((files, position) => {
		if (tested.length < COMMITS && files.length >= 2 && files.length <= 10) tested.push({ files, position });
	});
	const older = commits.slice((tested.at(-1)?.position ?? -1) + 1).filter((files) => files.length > 1);
	const index = createCodeIndex({
		listFiles: async () => tree.paths,
		read: tree.read,
		syntax: createSyntaxService({ locateAsset: locateAssets(modules) }),
		history: async () => older,
	});
	let recall = 0;
	const started = performance.now();
	for (const { files } of tested) {
		const [seed = "", ...others] = files;
		const { entries } = await index.repoMap({ paths: [seed], limit: SHOWN }, AbortSignal.timeout(120_000));
		const named = new Set(entries.map((entry) => entry.path));
		recall += others.filter((file) => named.has(file)).length / others.length;
	}
	const each = (performance.now() - started) / Math.max(1, tested.length);
	return [
		{
			name: `M1-${name}`,
			value: recall / Math.max(1, tested.length),
			detail: `recall of co-changed files among the first ${SHOWN}, ${tested.length} commits, wanted a mean of 0.6; ${each.toFixed(0)} ms a map`,
		},
	];
}
