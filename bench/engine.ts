import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { parseArgs } from "node:util";
import type { LoopbackRequest } from "../src/demo/loopback-model/loopback-request.ts";
import { type LoopbackModel, startLoopbackModel } from "../src/demo/loopback-model/start-loopback-model.ts";
import { costOf } from "../src/domain/cost.ts";
import { installPeer, type PeerRun, runPeer } from "./engine/claude-code.ts";
import { createDecide } from "./engine/decide.ts";
import { BENCH_LANGUAGES, type EngineRepository, makeEngineRepository } from "./engine/make-engine-repository.ts";
import { fixedTokens, groupByChild, measureRun, median, range, type RunMeasures, turnGaps } from "./engine/measure.ts";
import { HAIKU_STEP, LIST_PRICES } from "./engine/price-table.ts";
import { bundleProcess, runFanOut, runReview } from "./engine/rookery-side.ts";
import type { SideRun } from "./engine/run-side.ts";
import type { Ratio } from "./ratio.ts";

const OPUS = "claude-opus-5-5";
const SONNET = "claude-sonnet-5-5";

/** Lines a file: a diff of about 8,000 characters as in the measured script, and a pack of more than 3,000 tokens for G4. */
const SMALL_CHANGE = 9;
const LARGE_CHANGE = 20;

interface Bench {
	readonly folder: string;
	readonly repository: EngineRepository;
	readonly pairs: number;
	/** The peer's program; undefined when it is not to be had. */
	readonly peer: string | undefined;
	readonly fanOut: string;
}

/**
 * The engine's goals G1, G3 to G7, G9 to G12, G15 and G16 on the loopback model. Where the peer can be installed, both
 * sides play the same script in turns. Options: --pairs 3, --peer PROGRAM, --no-peer, --children 100.
 */
export async function run(args: readonly string[]): Promise<Ratio[]> {
	const { values } = parseArgs({
		args: [...args],
		options: {
			pairs: { type: "string", default: "3" },
			peer: { type: "string" },
			"no-peer": { type: "boolean", default: false },
			children: { type: "string", default: "100" },
		},
	});
	const folder = await mkdtemp(path.join(tmpdir(), "rookery-bench-engine-"));
	try {
		const peer = values["no-peer"] ? undefined : (values.peer ?? installPeer(path.join(folder, "peer")));
		if (peer === undefined) console.log("The peer (@anthropic-ai/claude-code 2.1.332) is missing: its ratios are left out.\n");
		const bench: Bench = {
			folder,
			repository: makeEngineRepository(path.join(folder, "repository"), { changedLines: SMALL_CHANGE, reviewers: reviewerNames(20) }),
			pairs: Number(values.pairs),
			peer,
			fanOut: await bundleProcess("fan-out-process", folder),
		};
		return [
			...checkPrices(),
			...(await measureScript(bench)),
			...(await measureTurns(bench)),
			...(await measureFanOut(bench, 5)),
			...(await measureFanOut(bench, 20)),
			...(await measureMany(bench, Number(values.children))),
		];
	} finally {
		await rm(folder, { recursive: true, force: true });
	}
}

/** The five languages first, so that a reviewer file is there for each. */
function reviewerNames(count: number): readonly string[] {
	return Array.from({ length: count }, (_, index) => BENCH_LANGUAGES[index]?.id ?? `part${index + 1}`);
}

/** Starts a server for one run and gives what it saw. */
async function withServer<T>(
	bench: Bench,
	options: { readonly latencyMs: number; readonly readDiff: boolean },
	work: (server: LoopbackModel) => Promise<T>,
): Promise<{ readonly result: T; readonly requests: readonly LoopbackRequest[] }> {
	const decide = createDecide({ folder: bench.repository.folder, readDiff: options.readDiff });
	const server = await startLoopbackModel({ decide, latencyMs: options.latencyMs });
	try {
		const result = await work(server);
		const bad = server.requests.find((request) => request.status !== 200);
		if (bad !== undefined) throw new Error(`the server refused a request: ${bad.error ?? bad.status}`);
		return { result, requests: server.requests };
	} finally {
		await server.close();
	}
}

/** G15: every price and kind of token against the list, and the exact step of Haiku. */
function checkPrices(): Ratio[] {
	const parts = ["input", "output", "cacheRead", "cacheWrite"] as const;
	const none = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
	const differences = Object.entries(LIST_PRICES).flatMap(([model, prices]) => [
		...parts.map((part, index) => Math.abs((costOf(model, { ...none, [part]: 10_000 }) ?? 1) - (prices[index] ?? 0) / 100)),
		Math.abs((costOf(model, { ...none, cacheWrite: 10_000 }, { cacheLifetime: "1h" }) ?? 1) - prices[4] / 100),
	]);
	const step = HAIKU_STEP.map(([input, cacheRead, usd]) =>
		Math.abs((costOf("claude-haiku-5-5", { ...none, input, cacheRead }) ?? 1) - usd),
	);
	const largest = Math.max(...differences, ...step);
	return [
		{
			name: "G15",
			value: largest / 1e-9,
			target: 1,
			detail: `largest difference ${largest} $ over ${differences.length + step.length} prices, to 1e-9`,
		},
	];
}

/** E2: five specialists, each reading a file and searching once; the whole product against the peer. G1, G3 to G7, G16. */
async function measureScript(bench: Bench): Promise<Ratio[]> {
	const ours: (readonly LoopbackRequest[])[] = [];
	const theirs: (readonly LoopbackRequest[])[] = [];
	const meters: { readonly run: PeerRun; readonly measures: RunMeasures }[] = [];
	for (let pair = 0; pair < Math.max(2, bench.pairs); pair += 1) {
		const { requests } = await withServer(bench, { latencyMs: 50, readDiff: true }, (server) =>
			runReview({ ...bench.repository, repository: bench.repository.folder, baseUrl: server.url, temp: bench.folder }),
		);
		ours.push(requests);
		if (bench.peer === undefined) continue;
		const peer = await withServer(bench, { latencyMs: 50, readDiff: true }, (server) => runPeerFor(bench, server, 5));
		theirs.push(peer.requests);
		meters.push({ run: peer.result, measures: measureRun(peer.requests) });
	}
	const [first = []] = ours;
	return [
		...describeLayout(first, theirs[0]),
		await measureSharing(bench),
		...describeCost(first, theirs[0]),
		describeStability(ours),
		...(meters[0] === undefined ? [] : [compareMeters(meters[0].run, meters[0].measures)]),
	];
}

/** G4: what siblings of any language read of their first request, with a pack of more than 3,000 tokens. */
async function measureSharing(bench: Bench): Promise<Ratio> {
	const repository = makeEngineRepository(path.join(bench.folder, "larger"), { changedLines: LARGE_CHANGE });
	const { requests } = await withServer(bench, { latencyMs: 50, readDiff: true }, (server) =>
		runReview({ repository: repository.folder, base: repository.base, baseUrl: server.url, temp: bench.folder }),
	);
	const firsts = groupByChild(requests).flatMap((group) => group[0] ?? []);
	const least = Math.min(...firsts.map((request) => (request.prompt?.read ?? 0) / (request.prompt?.total ?? 1)));
	return {
		name: "G4",
		value: (1 - least) / 0.1,
		target: 1,
		detail: `least share of a first request read from the cache ${(100 * least).toFixed(1)} % of ${firsts[0]?.prompt?.total ?? 0} tokens; what is not read, to 10 %`,
	};
}

async function runPeerFor(bench: Bench, server: LoopbackModel, children: number): Promise<PeerRun> {
	if (bench.peer === undefined) throw new Error("there is no peer");
	const home = path.join(bench.folder, "home");
	await mkdir(home, { recursive: true });
	return runPeer({
		program: bench.peer,
		repository: bench.repository.folder,
		home,
		baseUrl: server.url,
		reviewers: reviewerNames(children),
	});
}

function describeLayout(ours: readonly LoopbackRequest[], theirs: readonly LoopbackRequest[] | undefined): Ratio[] {
	const children = groupByChild(ours);
	const fixed = children.map((group) => fixedTokens(group[0]));
	const reuse = children.flatMap((group) =>
		group.flatMap((request, index) => (index === 0 ? [] : [(request.prompt?.read ?? 0) / (group[index - 1]?.prompt?.total ?? 1)])),
	);
	const peerChild =
		theirs === undefined
			? undefined
			: groupByChild(theirs).find((group) => JSON.stringify(group[0]?.request?.system).includes("BENCH-CHILD"))?.[0];
	const peerFixed = peerChild?.prompt?.total;
	return [
		{ name: "G1", value: Math.max(...fixed) / 1_500, target: 1, detail: `fixed tokens a specialist ${range(fixed)}, to 1,500` },
		...(peerFixed === undefined
			? []
			: [
					{
						name: "G1-peer",
						value: Math.max(...fixed) / peerFixed,
						target: 0.5,
						detail: `${Math.max(...fixed)} to ${peerFixed} of a child of the peer with Bash`,
					},
				]),
		{
			name: "G3",
			value: (1 - Math.min(...reuse)) / 0.01,
			target: 1,
			detail: `least reuse of a child's previous prompt ${(100 * Math.min(...reuse)).toFixed(2)} %; what is not read, to 1 %`,
		},
	];
}

function describeCost(ours: readonly LoopbackRequest[], theirs: readonly LoopbackRequest[] | undefined): Ratio[] {
	const own = measureRun(ours);
	const steps = groupByChild(ours).reduce((sum, group) => sum + group.length, 0);
	const detail = `${own.tokensSent} tokens in ${own.requests} requests, ${(100 * own.readShare).toFixed(0)} % read from the cache`;
	const absolute: Ratio[] = [
		{ name: "G5", value: own.tokensSent / 90_000, target: 1, detail: `${detail}, to 90,000` },
		{ name: "G6", value: own.costOn(OPUS) / 0.155, target: 1, detail: `$${own.costOn(OPUS).toFixed(4)} on Opus 5.5, to $0.155` },
		{
			name: "G7",
			value: own.requests / (steps + 2),
			target: 1,
			detail: `${own.requests} requests, to ${steps} steps + a warm-up + a synthesis`,
		},
	];
	if (theirs === undefined) return absolute;
	const peer = measureRun(theirs);
	return [
		...absolute,
		{
			name: "G5-peer",
			value: own.tokensSent / peer.tokensSent,
			target: 0.55,
			detail: `${own.tokensSent} to ${peer.tokensSent} tokens in ${peer.requests} requests of the peer`,
		},
		{
			name: "G6-peer",
			value: own.costOn(OPUS) / peer.costOn(OPUS),
			target: 0.45,
			detail: `$${own.costOn(OPUS).toFixed(4)} to $${peer.costOn(OPUS).toFixed(4)} on Opus 5.5`,
		},
		{
			name: "G6-peer-sonnet",
			value: own.costOn(SONNET) / peer.costOn(SONNET),
			target: 0.45,
			detail: `$${own.costOn(SONNET).toFixed(4)} to $${peer.costOn(SONNET).toFixed(4)} on Sonnet 5.5`,
		},
	];
}

/** G16: bodies of the runs, in the order of their text, without the marks. */
function describeStability(runs: readonly (readonly LoopbackRequest[])[]): Ratio {
	const bodies = runs.map((requests) => requests.map((request) => request.rawBody.replaceAll(/,?"cache_control":\{[^}]*\}/g, "")).sort());
	const [first = [], ...others] = bodies;
	const different = others.reduce((sum, other) => sum + other.filter((body, index) => body !== first[index]).length, 0);
	return {
		name: "G16",
		value: different,
		target: 0,
		detail: `request bodies that differ between ${runs.length} runs of ${first.length} requests`,
	};
}

function compareMeters(run: PeerRun, measures: RunMeasures): Ratio {
	const difference = Math.abs(run.costUsd - measures.costOn(OPUS));
	return {
		name: "G15-meter",
		value: difference / 1e-9,
		target: 1,
		detail: `our price of the peer's run and its own meter differ by ${difference.toExponential(1)} $, to 1e-9`,
	};
}

/** G9: what passes between a reply and the next request, with tools in the process and with one process started. */
async function measureTurns(bench: Bench): Promise<Ratio[]> {
	const ratios: Ratio[] = [];
	for (const [name, withProcess, limit] of [
		["G9", false, 30],
		["G9-process", true, 70],
	] as const) {
		const gaps: number[] = [];
		for (let round = 0; round < bench.pairs; round += 1) {
			const { requests } = await withServer(bench, { latencyMs: 50, readDiff: false }, (server) => fanOut(bench, server, 1, withProcess));
			gaps.push(...turnGaps(requests));
		}
		ratios.push({
			name,
			value: median(gaps) / limit,
			target: 1,
			detail: `median of ${gaps.length} gaps ${median(gaps).toFixed(1)} ms (${range(gaps, 1)}), to ${limit} ms`,
		});
	}
	return ratios;
}

function fanOut(bench: Bench, server: LoopbackModel, children: number, withProcess = false): Promise<SideRun> {
	return runFanOut({
		script: bench.fanOut,
		baseUrl: server.url,
		children,
		repository: bench.repository.folder,
		temp: bench.folder,
		process: withProcess,
	});
}

/** G10, G12: N children at 50 ms, in turns with the peer. */
async function measureFanOut(bench: Bench, children: 5 | 20): Promise<Ratio[]> {
	const ours: { readonly ms: number; readonly mb: number }[] = [];
	const theirs: { readonly ms: number; readonly mb: number }[] = [];
	for (let pair = 0; pair < bench.pairs; pair += 1) {
		const own = await withServer(bench, { latencyMs: 50, readDiff: false }, (server) => fanOut(bench, server, children));
		ours.push({ ms: spanOf(own.requests, own.requests[0]?.arrivedMs), mb: own.result.peakMb });
		if (bench.peer === undefined) continue;
		const peer = await withServer(bench, { latencyMs: 50, readDiff: false }, (server) => runPeerFor(bench, server, children));
		const parent = peer.requests[0];
		const last = Math.max(
			...peer.requests.filter((request) => JSON.stringify(request.request?.system).includes("BENCH-CHILD")).map((request) => request.endMs),
		);
		theirs.push({ ms: last - (parent?.endMs ?? Number.NaN), mb: peer.result.peakMb });
	}
	const limit = children === 5 ? 150 : 180;
	const megabytes = ours.map((each) => each.mb);
	const ratios: Ratio[] = [
		{
			name: `G12-${children}`,
			value: Math.max(...megabytes) / limit,
			target: 1,
			detail: `peak of the process tree ${range(megabytes)} MB, to ${limit} MB`,
		},
	];
	if (theirs.length === 0) return ratios;
	const pairs = ours.map((each, index) => each.ms / (theirs[index]?.ms ?? Number.NaN));
	const memory = ours.map((each, index) => each.mb / (theirs[index]?.mb ?? Number.NaN));
	return [
		{
			name: `G10-${children}`,
			value: median(pairs),
			target: children === 5 ? 0.5 : 0.4,
			detail: `fan-out ${range(ours.map((each) => each.ms))} ms with the warm-up, to ${range(theirs.map((each) => each.ms))} ms; pairs ${range(pairs, 2)}`,
		},
		...ratios,
		{
			name: `G12-${children}-peer`,
			value: median(memory),
			target: 0.4,
			detail: `to ${range(theirs.map((each) => each.mb))} MB of the peer`,
		},
	];
}

/** From a moment to the last byte of the last reply. */
function spanOf(requests: readonly LoopbackRequest[], from = Number.NaN): number {
	return Math.max(...requests.map((request) => request.endMs)) - from;
}

/** G11, G12: many children at once, three steps at 1,500 ms each; ideal is 4,500 ms. */
async function measureMany(bench: Bench, children: number): Promise<Ratio[]> {
	const latencyMs = 1_500;
	const { result, requests } = await withServer(bench, { latencyMs, readDiff: false }, (server) => fanOut(bench, server, children));
	const first = Math.min(...requests.filter((request) => request.request?.maxTokens !== 0).map((request) => request.arrivedMs));
	const makespan = spanOf(requests, first);
	const steps = requests.filter((request) => request.request?.maxTokens !== 0).length;
	return [
		{
			name: `G11-${children}`,
			value: makespan / (3 * latencyMs),
			target: 1.5,
			detail: `${children} children finished, ${steps} steps in ${makespan.toFixed(0)} ms, to the ideal of ${3 * latencyMs} ms`,
		},
		{
			name: `G12-${children}`,
			value: result.peakMb / 220,
			target: 1,
			detail: `peak of the process tree ${result.peakMb.toFixed(0)} MB, to 220 MB`,
		},
	];
}
