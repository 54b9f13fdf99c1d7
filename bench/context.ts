import path from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { loadChangeSet } from "../src/adapters/git/load-change-set.ts";
import { openRepository } from "../src/adapters/git/open-repository.ts";
import { createRepositoryReader } from "../src/adapters/git/repository-reader.ts";
import type { FilePatch } from "../src/domain/change-set.ts";
import type { Sha } from "../src/domain/ids.ts";
import type { RunContext } from "../src/domain/run-context.ts";
import { locateAssets } from "../src/code-index/grammars.ts";
import { hasWord } from "../src/code-index/word-search.ts";
import { createSyntaxService } from "../src/code-index/syntax-service.ts";
import { createPathRules } from "../src/guard/path-rules.ts";
import { gatherSurroundings } from "../src/stages/gather-surroundings.ts";
import { buildPack, type Pack } from "../src/plan/build-pack.ts";
import { loadChange } from "../src/stages/load-change.ts";
import { loadTrusted } from "../src/stages/load-trusted.ts";
import type { PipelineSeams } from "../src/stages/pipeline-seams.ts";
import { planRun } from "../src/stages/plan-run.ts";
import { type ContextCase, type GoldenComment, readCases } from "./context/read-cases.ts";
import type { Ratio } from "./ratio.ts";

const MODULES = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "../node_modules");

const TARGETS: Readonly<Record<number, { readonly anchors: number; readonly names?: number }>> = {
	4000: { anchors: 0.87 },
	8000: { anchors: 0.99, names: 0.95 },
};

interface Tally {
	anchors: number;
	comments: number;
	/** Sum of each comment's share of names that are in the pack. */
	names: number;
	/** Names of all comments, those in the pack, and those that are in no file of the head at all. */
	allNames: number;
	shownNames: number;
	nowhere: number;
	commentsWithNames: number;
	characters: number;
	milliseconds: number;
}

/**
 * G14: of the places that reviewers commented on, how many the pack shows whole, and of the names in their comments, how
 * many stand in it. Options: --cases FILE (AACR-Bench's form) --clones FOLDER --budgets 2000,4000,8000,16000 --missed --diff-alone.
 */
export async function run(args: readonly string[]): Promise<Ratio[]> {
	const { values } = parseArgs({
		args: [...args],
		options: {
			cases: { type: "string" },
			clones: { type: "string" },
			budgets: { type: "string", default: "2000,4000,8000,16000" },
			missed: { type: "boolean", default: false },
			"diff-alone": { type: "boolean", default: false },
		},
	});
	if (values.cases === undefined || values.clones === undefined) throw new Error("context: wanted: --cases FILE --clones FOLDER");
	const budgets = values.budgets.split(",").map(Number);
	const tallies = new Map(budgets.map((budget) => [budget, emptyTally()]));
	for (const one of await readCases(values.cases, values.clones)) await measureCase(one, tallies, values.missed, values["diff-alone"]);
	return [...tallies].flatMap(([budget, tally]) => describe(budget, tally));
}

function emptyTally(): Tally {
	return {
		anchors: 0,
		comments: 0,
		names: 0,
		allNames: 0,
		shownNames: 0,
		nowhere: 0,
		commentsWithNames: 0,
		characters: 0,
		milliseconds: 0,
	};
}

async function measureCase(one: ContextCase, tallies: ReadonlyMap<number, Tally>, listMissed: boolean, diffAlone: boolean): Promise<void> {
	const { git } = await openRepository(one.clone);
	await using reader = createRepositoryReader(git);
	const mergeBase = (await git.run(["merge-base", one.base, one.head])).stdout.toString().trim() as Sha;
	const context: RunContext = {
		...{ base: one.base as Sha, head: one.head as Sha, mergeBase, trusted: mergeBase, notes: [] },
		runId: "bench",
		attempt: 1,
		event: "pull_request",
		repository: { owner: "bench", name: "bench" },
		actor: { login: "bench", id: 1, type: "User" },
		tier: "T0",
		tierReason: "bench",
	};
	const seams = { reader, loadChangeSet: (from: Sha, to: Sha) => loadChangeSet(git, from, to) } as unknown as PipelineSeams;
	const trusted = await loadTrusted({ reader, trusted: context.trusted });
	const change = await loadChange(context, seams);
	const plan = await planRun(context, trusted, change, seams);
	const patches = await change.readPatches(plan.assignments.flatMap((assignment) => assignment.files.map((file) => file.path)));
	const places = new Map<string, Promise<boolean>>();
	const isAnywhere = (name: string): Promise<boolean> => {
		const known =
			places.get(name) ??
			git.run(["grep", "-q", "-w", "-F", "-e", name, one.head], { okCodes: [0, 1] }).then((result) => result.code === 0);
		places.set(name, known);
		return known;
	};
	const started = performance.now();
	const syntax = createSyntaxService({ locateAsset: locateAssets(MODULES) });
	const surroundings = diffAlone
		? undefined
		: await gatherSurroundings({ head: context.head, patches, paths: createPathRules(trusted.policy) }, { reader, syntax });
	if (surroundings !== undefined) {
		console.error(
			`${one.title}: ${surroundings.excerpts.length} excerpts, ${(performance.now() - started).toFixed(0)} ms ${surroundings.note ?? ""}`,
		);
	}
	for (const [budgetTokens, tally] of tallies) {
		const started = performance.now();
		const pack = buildPack({
			...{ context, changeSet: change.changeSet, plan, patches, instructions: "", budgetTokens },
			...(surroundings === undefined ? {} : { surroundings }),
		});
		tally.milliseconds += performance.now() - started;
		await countCase(one, { pack, patches, budgetTokens, isAnywhere }, tally, listMissed);
	}
}

async function countCase(
	one: ContextCase,
	shown: {
		readonly pack: Pack;
		readonly patches: readonly FilePatch[];
		readonly budgetTokens: number;
		readonly isAnywhere: (name: string) => Promise<boolean>;
	},
	tally: Tally,
	listMissed: boolean,
): Promise<void> {
	const text = shown.pack.blocks.map((block) => block.text).join("\n");
	tally.characters += text.length;
	for (const comment of one.comments) {
		const anchored = isShown(comment, shown.pack, shown.patches);
		tally.comments += 1;
		tally.anchors += anchored ? 1 : 0;
		const absent = comment.identifiers.filter((name) => !hasWord(text, name));
		const nowhere = (await Promise.all(absent.map(async (name) => ((await shown.isAnywhere(name)) ? [] : [name])))).flat();
		tally.allNames += comment.identifiers.length;
		tally.shownNames += comment.identifiers.length - absent.length;
		tally.nowhere += nowhere.length;
		if (comment.identifiers.length > 0) {
			tally.commentsWithNames += 1;
			tally.names += 1 - absent.length / comment.identifiers.length;
		}
		if (listMissed && (!anchored || absent.length > 0)) {
			const place = `${one.title} at ${shown.budgetTokens}: ${comment.path}:${comment.from}-${comment.to}`;
			console.error(
				`${place}${anchored ? "" : " not shown"}${absent.length === 0 ? "" : `, names absent: ${absent.join(", ")}`}${nowhere.length === 0 ? "" : ` (in no file: ${nowhere.join(", ")})`}`,
			);
		}
	}
}

/** Every line of the comment's range is in the pack, in the diff or in an excerpt. */
function isShown(comment: GoldenComment, pack: Pack, patches: readonly FilePatch[]): boolean {
	const hunks = pack.shown.get(comment.path) ?? [];
	const lines = new Set(
		(patches.find((patch) => patch.path === comment.path)?.hunks ?? [])
			.filter((_, index) => hunks.includes(index))
			.flatMap((hunk) => hunk.lines.map((line) => (comment.side === "left" ? line.oldLine : line.newLine))),
	);
	for (const excerpt of comment.side === "left" ? [] : pack.excerpts) {
		for (let line = excerpt.startLine; excerpt.path === comment.path && line <= excerpt.endLine; line++) lines.add(line);
	}
	for (let line = comment.from; line <= comment.to; line++) if (!lines.has(line)) return false;
	return true;
}

function describe(budget: number, tally: Tally): readonly Ratio[] {
	const target = TARGETS[budget];
	const anchors = tally.anchors / tally.comments;
	const names = tally.names / tally.commentsWithNames;
	const wanted = (share: number | undefined) => (share === undefined ? "" : `, wanted at least ${share}`);
	return [
		{
			name: `G14-anchors-${budget}`,
			value: anchors,
			detail: `${tally.anchors} of ${tally.comments} places shown whole${wanted(target?.anchors)}; ${tally.characters} characters, ${tally.milliseconds.toFixed(0)} ms in all`,
		},
		{
			name: `G14-names-${budget}`,
			value: names,
			detail: `mean share of the names in ${tally.commentsWithNames} comments${wanted(target?.names)}`,
		},
		{
			name: `G14-present-names-${budget}`,
			value: tally.shownNames / (tally.allNames - tally.nowhere),
			detail: `${tally.shownNames} of ${tally.allNames} names shown; ${tally.nowhere} of the others are in no file of the head`,
		},
	];
}
