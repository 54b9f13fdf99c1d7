import { closeSync, fstatSync, openSync, readSync, statSync } from "node:fs";
import path from "node:path";
import { listShared } from "../../src/code-index/changes/shared-definitions.ts";
import { createCodeIndex } from "../../src/code-index/code-index.ts";
import { createFactsStore } from "../../src/code-index/facts-store.ts";
import { type GrammarId, grammarOfPath, locateAssets } from "../../src/code-index/grammars.ts";
import { type IndexState, openIndexState } from "../../src/code-index/index-state.ts";
import { createSyntaxService } from "../../src/code-index/syntax-service.ts";
import { createTextStore } from "../../src/code-index/text-store.ts";
import { createRandom } from "../offline/seed-breakage.ts";
import type { Ratio } from "../ratio.ts";
import { leastCpuMs, leastMs, percentile, type WorkTree } from "./check-out.ts";

/** Reading, parsing, facts, re-indexing and references of one tree: I1, I3, I6, I7, I9, R1 and R2 of the targets. */
export async function measureFacts(tree: WorkTree, name: string, modules: string): Promise<readonly Ratio[]> {
	const sources = tree.paths.filter((file) => grammarOfPath(file) !== undefined);
	return [
		measureReading(tree, name, sources),
		await measureFirstAnswer(tree, name, sources, modules),
		...(await measureParsing(tree, name, sources, modules)),
		...(await measureReferences(tree, name, sources, modules)),
	];
}

function measureReading(tree: WorkTree, name: string, sources: readonly string[]): Ratio {
	const buffer = Buffer.allocUnsafe(64 * 1024 * 1024);
	const loop = leastCpuMs(3, () => {
		for (const file of sources) {
			const descriptor = openSync(path.join(tree.folder, file), "r");
			readSync(descriptor, buffer, 0, Math.min(fstatSync(descriptor).size, buffer.length), 0);
			closeSync(descriptor);
		}
	});
	const ours = leastCpuMs(3, () => {
		const store = createTextStore({ read: (file) => tree.read(file) });
		for (const file of sources) store.text(file);
	});
	return {
		name: `I1-${name}`,
		value: ours / loop,
		target: 2,
		detail: `texts of ${sources.length} files in ${ours.toFixed(0)} ms, read loop ${loop.toFixed(0)} ms, of processor time`,
	};
}

function openState(tree: WorkTree, modules: string): Promise<IndexState> {
	return openIndexState({
		listFiles: async () => tree.paths,
		read: tree.read,
		syntax: createSyntaxService({ locateAsset: locateAssets(modules) }),
		store: createFactsStore(50_000_000),
	});
}

/** The first definition from nothing, grammars included; the process's own start comes on top. */
async function measureFirstAnswer(tree: WorkTree, name: string, sources: readonly string[], modules: string): Promise<Ratio> {
	const middle = sources[Math.floor(sources.length / 2)] ?? "";
	const helper = await openState(tree, modules);
	await helper.prepare([middle]);
	const wanted = helper.context.facts(middle)?.definitions.find((definition) => definition.name.length > 6)?.name ?? "main";
	const started = performance.now();
	const index = createCodeIndex({
		listFiles: async () => tree.paths,
		read: tree.read,
		syntax: createSyntaxService({ locateAsset: locateAssets(modules) }),
		store: createFactsStore(),
	});
	const answer = await index.findSymbol({ name: wanted }, AbortSignal.timeout(60_000));
	const took = performance.now() - started;
	return {
		name: `I6-${name}`,
		value: took / 1_500,
		target: 1,
		detail: `${answer.symbols.length} definitions of ${wanted} in ${took.toFixed(0)} ms, to 1,500 ms`,
	};
}

async function measureParsing(tree: WorkTree, name: string, sources: readonly string[], modules: string): Promise<readonly Ratio[]> {
	const parser = createSyntaxService({ locateAsset: locateAssets(modules) });
	const state = await openState(tree, modules);
	await state.prepare(sources);
	const known = sources.filter((file) => state.supportOf(file) !== undefined);
	if (known.length === 0) return [];
	const opened = new Map<GrammarId, Awaited<ReturnType<typeof parser.openGrammar>>>();
	for (const file of known) {
		const grammar = grammarOfPath(file);
		if (grammar !== undefined && !opened.has(grammar)) opened.set(grammar, await parser.openGrammar(grammar));
	}
	const texts = known.map((file) => ({ file, text: tree.read(file)?.toString("utf8") ?? "" }));
	const parseOnly = () => {
		for (const { file, text } of texts) {
			const grammar = grammarOfPath(file);
			if (grammar !== undefined) opened.get(grammar)?.parse(text, () => undefined);
		}
	};
	parseOnly();
	const parse = leastCpuMs(1, parseOnly);
	const full = leastCpuMs(1, () => {
		for (const { file } of texts) state.context.facts(file);
	});
	const changed = known.filter((_, index) => index % Math.max(1, Math.floor(known.length / 10)) === 0).slice(0, 10);
	const status = leastMs(3, () => void tree.git("status", "--porcelain=v2", "-z", "-uno"));
	const again = leastCpuMs(3, () => {
		for (const file of changed) readFacts(file, `${tree.read(file)?.toString("utf8") ?? ""}\n`);
	});
	function readFacts(file: string, text: string): void {
		const grammar = grammarOfPath(file);
		const support = state.supportOf(file);
		const open = grammar === undefined ? undefined : opened.get(grammar);
		if (grammar !== undefined && support !== undefined)
			open?.parse(text, (parsed) => support.extract(parsed, text, open.parsePiece, grammar));
	}
	const megabytes = texts.reduce((sum, { text }) => sum + text.length, 0) / 1e6;
	return [
		{
			name: `I3-${name}`,
			value: full / parse,
			target: 1.6,
			detail: `facts of ${known.length} files, ${megabytes.toFixed(1)} MB, in ${full.toFixed(0)} ms; parsed only (second pass) ${parse.toFixed(0)} ms, of processor time`,
		},
		{
			name: `I7-${name}`,
			value: (status + again) / status,
			target: 2.5,
			detail: `facts of 10 changed files ${again.toFixed(0)} ms after git status ${status.toFixed(0)} ms`,
		},
		{ name: `I7-share-${name}`, value: again / full, target: 0.02, detail: "the 10 files to the whole" },
		{
			name: `I9-${name}`,
			value: process.memoryUsage.rss() / 1e6 / 400,
			target: 1,
			detail: `${(process.memoryUsage.rss() / 1e6).toFixed(0)} MB resident with all facts and this bench's own texts, to 400`,
		},
	];
}

const NAMES = 60;

/** find_references of names taken at random, first with cold trees, then again; `git grep` of the same names beside it. */
async function measureReferences(tree: WorkTree, name: string, sources: readonly string[], modules: string): Promise<readonly Ratio[]> {
	const state = await openState(tree, modules);
	await state.prepare(sources);
	const all = new Set<string>();
	for (const file of sources) for (const { definition } of listShared(state.context.facts(file) ?? NO_FACTS)) all.add(definition.name);
	const names = createRandom(name)
		.shuffle([...all].filter((one) => one.length > 3))
		.slice(0, NAMES);
	if (names.length === 0) return [];
	const index = createCodeIndex({
		listFiles: async () => tree.paths,
		read: tree.read,
		syntax: createSyntaxService({ locateAsset: locateAssets(modules) }),
		store: createFactsStore(),
	});
	await index.findSymbol({ name: "thisNameIsNowhere" }, AbortSignal.timeout(60_000));
	const ask = async (): Promise<readonly number[]> => {
		const times: number[] = [];
		for (const one of names) {
			const started = performance.now();
			await index.findReferences({ name: one }, AbortSignal.timeout(60_000));
			times.push(performance.now() - started);
		}
		return times;
	};
	const cold = await ask();
	const warm = await ask();
	const grep = names.slice(0, 20).map((one) => leastMs(1, () => void tree.git("grep", "-lwF", "-e", one)));
	const grepMs = percentile(grep, 0.5);
	const [coldHalf, coldMost] = [percentile(cold, 0.5), percentile(cold, 0.95)];
	const [warmHalf, warmMost] = [percentile(warm, 0.5), percentile(warm, 0.95)];
	return [
		{
			name: `R1-${name}`,
			value: warmHalf / grepMs,
			target: 0.15,
			detail: `find_references again: half within ${warmHalf.toFixed(1)} ms; git grep -lwF ${grepMs.toFixed(0)} ms`,
		},
		{ name: `R1-p95-${name}`, value: warmMost / 50, target: 1, detail: `95 % within ${warmMost.toFixed(0)} ms, to 50 ms` },
		{ name: `R2-${name}`, value: coldHalf / 60, target: 1, detail: `first time: half within ${coldHalf.toFixed(0)} ms, to 60 ms` },
		{ name: `R2-p95-${name}`, value: coldMost / 1_000, target: 1, detail: `95 % within ${coldMost.toFixed(0)} ms, to 1 s` },
	];
}

const NO_FACTS = { grammar: "go", definitions: [], occurrences: [], imports: [], exports: [], scopes: [], hasErrors: false } as const;

/** I8: bytes of the runtime and the grammars to 6.0 MB. */
export function measureAssets(modules: string): Ratio {
	const locate = locateAssets(modules);
	const assets = ["runtime", "go", "rust", "python", "java", "javascript", "typescript", "tsx"] as const;
	const bytes = assets.reduce((sum, asset) => sum + statSync(locate(asset)).size, 0);
	return { name: "I8", value: bytes / 6e6, target: 1, detail: `${(bytes / 1e6).toFixed(2)} MB of ${assets.length} files` };
}
