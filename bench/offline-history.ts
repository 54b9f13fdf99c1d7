import { writeFile } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { findRemovedUses } from "../src/code-index/changes/find-removed-uses.ts";
import { findStaleCalls } from "../src/code-index/changes/find-stale-calls.ts";
import type { StaleUse } from "../src/code-index/changes/tree-comparison.ts";
import { grammarOfPath } from "../src/code-index/grammars.ts";
import { findClone } from "./context/read-cases.ts";
import { openCommitTrees } from "./offline/commit-trees.ts";
import type { Ratio } from "./ratio.ts";

const REPOSITORIES = [
	"prometheus/prometheus",
	"tokio-rs/tokio",
	"sphinx-doc/sphinx",
	"apache/commons-lang",
	"typescript-eslint/typescript-eslint",
];

/**
 * What the offline facts say about changes that people reviewed, tested and merged: all of it is taken for false until
 * somebody has read it. Options: --clones FOLDER --repositories a/b,c/d --commits 40 (of each) --skip 0 --list FILE.
 */
export async function run(args: readonly string[]): Promise<Ratio[]> {
	const { values } = parseArgs({
		args: [...args],
		options: {
			clones: { type: "string" },
			repositories: { type: "string", default: REPOSITORIES.join(",") },
			commits: { type: "string", default: "40" },
			skip: { type: "string", default: "0" },
			list: { type: "string" },
		},
	});
	if (values.clones === undefined) throw new Error("offline-history: wanted: --clones FOLDER");
	const rows: string[] = [];
	const ratios: Ratio[] = [];
	let [commits, findings, milliseconds] = [0, 0, 0];
	for (const repository of values.repositories.split(",")) {
		const outcome = await checkRepository(findClone(values.clones, repository), repository, Number(values.commits), Number(values.skip));
		rows.push(...outcome.rows);
		commits += outcome.commits;
		findings += outcome.rows.length;
		milliseconds += outcome.milliseconds;
		console.error(`${repository}: ${outcome.rows.length} findings on ${outcome.commits} commits, ${outcome.milliseconds.toFixed(0)} ms`);
	}
	console.error(rows.join("\n"));
	if (values.list !== undefined) await writeFile(values.list, `${rows.join("\n")}\n`);
	ratios.push({
		name: "offline-history",
		value: findings,
		target: 5,
		detail: `findings on ${commits} merged commits, ${(milliseconds / Math.max(1, commits)).toFixed(0)} ms a commit`,
	});
	return ratios;
}

interface Outcome {
	readonly rows: readonly string[];
	readonly commits: number;
	readonly milliseconds: number;
}

async function checkRepository(clone: string, repository: string, wanted: number, skip: number): Promise<Outcome> {
	const trees = openCommitTrees(clone, path.resolve(path.dirname(fileURLToPath(import.meta.url)), "../node_modules"));
	const log = trees
		.git("log", "--first-parent", "--format=%H", `--skip=${skip}`, "-n", String(wanted * 12))
		.trim()
		.split("\n");
	const rows: string[] = [];
	let [commits, milliseconds] = [0, 0];
	for (const commit of log) {
		if (commits >= wanted) break;
		const changes = trees.changes(`${commit}^1`, commit);
		const base = changes.filter((change) => change.base !== undefined && grammarOfPath(change.base.path) !== undefined);
		if (base.length === 0) continue;
		commits += 1;
		const head = await trees.tree(commit);
		const started = performance.now();
		const comparison = await trees.compare(head, changes);
		const removed = await findRemovedUses(comparison);
		const stale = await findStaleCalls(comparison);
		milliseconds += performance.now() - started;
		for (const use of removed.uses) rows.push(describe(repository, commit, `${use.gone} gone`, use));
		for (const call of stale.calls) rows.push(describe(repository, commit, "call does not fit", call));
	}
	return { rows, commits, milliseconds };
}

function describe(repository: string, commit: string, kind: string, use: StaleUse): string {
	const { definition, path: file } = use.target;
	return `- ${repository} ${commit.slice(0, 12)}: ${kind}: \`${definition.name}\` (${file}:${definition.line}) at ${use.path}:${use.occurrence.line} (${use.certainty}: ${use.evidence})`;
}
