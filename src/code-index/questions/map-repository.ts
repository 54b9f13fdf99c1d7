import path from "node:path";
import { grammarOfPath } from "../grammars.ts";
import type { IndexState } from "../index-state.ts";
import { declaredIn, type NamePostings, namesIn, readNamePostings } from "../name-postings.ts";
import type { MapAnswer, MapEntry, SymbolHit } from "../types.ts";
import { createBudget } from "./budget.ts";
import { describeSymbol, isOutstanding } from "./describe-symbol.ts";
import { QUESTION_MS } from "./find-symbol.ts";

export interface MapInput {
	readonly paths: readonly string[];
	readonly limit?: number;
}

/** Paths that one commit changed, newest commit first. */
export type History = readonly (readonly string[])[];

const DEFAULT_LIMIT = 20;
/** A name that more files declare says nothing of where it belongs. */
const MAX_DECLARERS = 50;
const SYMBOLS_A_FILE = 6;
/** A commit that touches more is a sweep through the code. */
const MAX_COMMIT_FILES = 30;

/** Score of a file by one kind of evidence, with the words for it. */
type Scores = ReadonlyMap<string, { readonly score: number; readonly reason: string }>;

/**
 * Files that matter for the given ones: names used and declared both ways, weighed by how rare they are; what was changed
 * together before; and what lies beside them (INDEX.md 3.6: this beats a walk over the whole graph).
 */
export async function mapRepository(
	state: IndexState,
	postings: { get(): NamePostings | undefined; keep(made: NamePostings): void },
	history: History,
	input: MapInput,
	signal: AbortSignal,
): Promise<MapAnswer> {
	const budget = createBudget(signal, QUESTION_MS);
	const made = postings.get() ?? (await readNamePostings(state.paths, state.texts, budget));
	if (!made.partial) postings.keep(made);
	const seeds = expandSeeds(state, input.paths);
	const parts: readonly (readonly [Scores, number])[] = [
		[byReferences(state, made, seeds), 1],
		[byHistory(history, seeds), 0.8],
		[byPlace(made.files, seeds), 0.6],
	];
	const ranked = blend(parts, new Set(seeds));
	const limit = Math.min(100, input.limit ?? DEFAULT_LIMIT);
	const shown = ranked.slice(0, limit);
	await state.prepare(shown.map((entry) => entry.path));
	const entries: MapEntry[] = [];
	for (const entry of shown) {
		if (await budget.spent()) break;
		entries.push({ ...entry, symbols: outstanding(state, entry.path) });
	}
	const truncated = made.partial || entries.length < ranked.length;
	return { entries, approximate: true, truncated, candidateFiles: ranked.length };
}

function expandSeeds(state: IndexState, paths: readonly string[]): readonly string[] {
	return paths.flatMap((given) => {
		const plain = given.replace(/^\.\//, "").replace(/\/+$/, "");
		if (state.context.has(plain)) return [plain];
		return state.paths.filter((file) => file.startsWith(`${plain}/`) && grammarOfPath(file) !== undefined).slice(0, 50);
	});
}

function byReferences(state: IndexState, postings: NamePostings, seeds: readonly string[]): Scores {
	const total = postings.files.length;
	const scores = new Map<string, { score: number; names: Map<string, number> }>();
	const add = (file: string | undefined, name: string, weight: number): void => {
		if (file === undefined) return;
		const entry = scores.get(file) ?? { score: 0, names: new Map<string, number>() };
		entry.score += weight;
		entry.names.set(name, (entry.names.get(name) ?? 0) + weight);
		scores.set(file, entry);
	};
	for (const seed of seeds) {
		const text = state.context.text(seed) ?? "";
		for (const name of namesIn(text)) {
			const declarers = postings.declarers.get(name) ?? [];
			if (declarers.length === 0 || declarers.length > MAX_DECLARERS) continue;
			const weight = idf(total, postings.users.get(name)?.length ?? 1) / declarers.length;
			for (const file of declarers) add(postings.files[file], name, weight);
		}
		for (const name of declaredIn(text)) {
			const declarers = postings.declarers.get(name)?.length ?? 1;
			const users = postings.users.get(name) ?? [];
			if (declarers > MAX_DECLARERS) continue;
			for (const file of users) add(postings.files[file], name, idf(total, users.length) / declarers);
		}
	}
	return new Map(
		[...scores].map(([file, { score, names }]) => {
			const best = [...names].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1)).slice(0, 3);
			return [file, { score, reason: `shares ${best.map(([name]) => name).join(", ")}` }];
		}),
	);
}

function idf(total: number, having: number): number {
	return Math.log((total + 1) / (having + 0.5));
}

/** Newer commits say more, small ones too. */
function byHistory(history: History, seeds: readonly string[]): Scores {
	const wanted = new Set(seeds);
	const counts = new Map<string, { score: number; commits: number }>();
	for (const [age, files] of history.entries()) {
		if (files.length > MAX_COMMIT_FILES || !files.some((file) => wanted.has(file))) continue;
		const weight = 1 / Math.sqrt(files.length) / (1 + age / 500);
		for (const file of files) {
			const entry = counts.get(file) ?? { score: 0, commits: 0 };
			entry.score += weight;
			entry.commits++;
			counts.set(file, entry);
		}
	}
	return new Map([...counts].map(([file, { score, commits }]) => [file, { score, reason: `changed together ${commits} times` }]));
}

/** The same folder, and above all the test of a source and the source of a test. */
function byPlace(files: readonly string[], seeds: readonly string[]): Scores {
	const stems = new Set(seeds.map(stemOf));
	const folders = new Set(seeds.map((seed) => path.posix.dirname(seed)));
	const scores = new Map<string, { score: number; reason: string }>();
	for (const file of files) {
		if (stems.has(stemOf(file))) scores.set(file, { score: folders.has(path.posix.dirname(file)) ? 3 : 2, reason: "same name" });
		else if (folders.has(path.posix.dirname(file))) scores.set(file, { score: 1, reason: "same folder" });
	}
	return scores;
}

function stemOf(file: string): string {
	return path.posix
		.basename(file)
		.toLowerCase()
		.replace(/\.[^.]+$/, "")
		.replace(/(?:[._-]?(?:test|tests|spec))+$|^test_/, "");
}

function blend(parts: readonly (readonly [Scores, number])[], seeds: ReadonlySet<string>): readonly Omit<MapEntry, "symbols">[] {
	const blended = new Map<string, { score: number; reasons: string[] }>();
	for (const [scores, weight] of parts) {
		const others = [...scores].filter(([file]) => !seeds.has(file));
		const most = Math.max(...others.map(([, { score }]) => score), Number.MIN_VALUE);
		for (const [file, { score, reason }] of others) {
			const entry = blended.get(file) ?? { score: 0, reasons: [] };
			entry.score += (weight * score) / most;
			entry.reasons.push(reason);
			blended.set(file, entry);
		}
	}
	return [...blended]
		.map(([file, { score, reasons }]) => ({ path: file, score, reasons }))
		.sort((a, b) => b.score - a.score || (a.path < b.path ? -1 : 1));
}

function outstanding(state: IndexState, file: string): readonly SymbolHit[] {
	const facts = state.context.facts(file);
	if (facts === undefined) return [];
	return facts.definitions
		.flatMap((definition, number) =>
			isOutstanding(facts, definition) && definition.container === undefined
				? [describeSymbol({ path: file, definition: number }, facts)]
				: [],
		)
		.sort((a, b) => Number(b.exported) - Number(a.exported) || a.line - b.line)
		.slice(0, SYMBOLS_A_FILE);
}
