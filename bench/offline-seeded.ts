import path from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { compareTrees } from "../src/code-index/changes/compare-trees.ts";
import { findRemovedUses } from "../src/code-index/changes/find-removed-uses.ts";
import { findStaleCalls } from "../src/code-index/changes/find-stale-calls.ts";
import type { StaleUse } from "../src/code-index/changes/tree-comparison.ts";
import type { IndexState } from "../src/code-index/index-state.ts";
import { hasWord } from "../src/code-index/word-search.ts";
import { findClone } from "./context/read-cases.ts";
import { type CommitTrees, openCommitTrees, searchEverything } from "./offline/commit-trees.ts";
import { createRandom, listTargets, type SeedKind, type SeedTarget, seedBreakage } from "./offline/seed-breakage.ts";
import type { Ratio } from "./ratio.ts";

const REPOSITORIES = [
	"prometheus/prometheus",
	"tokio-rs/tokio",
	"sphinx-doc/sphinx",
	"apache/commons-lang",
	"typescript-eslint/typescript-eslint",
];
const KINDS: readonly SeedKind[] = ["delete", "rename", "arity"];

interface Tally {
	seeded: number;
	found: number;
}

/**
 * Breaks one used function at a time, in the text of the newest commit, and counts how many breakages the offline facts
 * find. A function is used when its name is defined once in the repository and called elsewhere, so that each call is
 * surely broken. Options: --clones FOLDER --repositories a/b,c/d --seedings 40 (of each) --methods --missed.
 */
export async function run(args: readonly string[]): Promise<Ratio[]> {
	const { values } = parseArgs({
		args: [...args],
		options: {
			clones: { type: "string" },
			repositories: { type: "string", default: REPOSITORIES.join(",") },
			seedings: { type: "string", default: "40" },
			methods: { type: "boolean", default: false },
			missed: { type: "boolean", default: false },
		},
	});
	if (values.clones === undefined) throw new Error("offline-seeded: wanted: --clones FOLDER");
	const all: Tally = { seeded: 0, found: 0 };
	const ratios: Ratio[] = [];
	for (const repository of values.repositories.split(",")) {
		const tallies = await seedRepository(findClone(values.clones, repository), {
			repository,
			seedings: Number(values.seedings),
			methods: values.methods,
			listMissed: values.missed,
		});
		const sum = [...tallies.values()].reduce((total, one) => ({ seeded: total.seeded + one.seeded, found: total.found + one.found }));
		all.seeded += sum.seeded;
		all.found += sum.found;
		const parts = [...tallies].map(([kind, tally]) => `${kind} ${tally.found} of ${tally.seeded}`);
		ratios.push({ name: `offline-seeded-${repository.split("/")[1] ?? ""}`, value: sum.found / sum.seeded, detail: parts.join(", ") });
	}
	ratios.push({
		name: values.methods ? "offline-seeded-methods" : "offline-seeded",
		value: all.found / all.seeded,
		detail: `${all.found} of ${all.seeded} breakages found${values.methods ? "" : ", wanted at least 0.9"}`,
	});
	return ratios;
}

async function seedRepository(
	clone: string,
	options: { readonly repository: string; readonly seedings: number; readonly methods: boolean; readonly listMissed: boolean },
): Promise<ReadonlyMap<SeedKind, Tally>> {
	const trees = openCommitTrees(clone, path.resolve(path.dirname(fileURLToPath(import.meta.url)), "../node_modules"));
	const tree = await trees.tree("HEAD");
	const random = createRandom(options.repository);
	const targets = random.shuffle(listTargets(tree.context, options.methods));
	const tallies = new Map(KINDS.map((kind) => [kind, { seeded: 0, found: 0 }]));
	let seeded = 0;
	for (const target of targets) {
		if (seeded >= options.seedings) break;
		const kind = KINDS[seeded % KINDS.length] ?? "delete";
		const text = seedBreakage(target, kind, tree.context);
		const tally = tallies.get(kind);
		if (text === undefined || tally === undefined) continue;
		seeded += 1;
		tally.seeded += 1;
		const uses = await findUses(tree, trees, target, text);
		if (uses.some((use) => use.occurrence.name === target.name && use.target.definition.name === target.definitionName)) tally.found += 1;
		else if (options.listMissed)
			console.error(`missed: ${options.repository} ${kind} ${target.definitionName} (${target.path}:${target.line})`);
	}
	return tallies;
}

async function findUses(tree: IndexState, trees: CommitTrees, target: SeedTarget, text: string): Promise<readonly StaleUse[]> {
	const head = await trees.tree("HEAD", new Map([[target.path, text]]));
	const before = tree.context.text(target.path) ?? "";
	const changed = [{ base: { path: target.path, text: before }, head: target.path }];
	// Words of all files but one are the tree's, which remembers them.
	const filesWithWord = (word: string) => {
		const files = tree.context.filesWithWord(word).filter((file) => file !== target.path);
		return hasWord(text, word) ? [...files, target.path].sort() : files;
	};
	const comparison = await compareTrees({ ...head, context: { ...head.context, filesWithWord } }, changed, searchEverything(head));
	return [...(await findRemovedUses(comparison)).uses, ...(await findStaleCalls(comparison)).calls];
}
