import { execFile } from "node:child_process";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs, promisify } from "node:util";
import { parseDiffBuffer } from "../src/context/parse-diff.ts";
import { parseRaw } from "../src/context/parse-raw.ts";
import { DIFF_ARGUMENTS, makeDiffRepository, runGit, writeDiff } from "./diff/make-diff-repository.ts";
import { makeTrickyRepository } from "./diff/make-tricky-repository.ts";
import type { SideResult } from "./diff/measure-side.ts";
import type { Ratio } from "./ratio.ts";

const PEERS = ["parse-diff", "diff", "gitdiff-parser"];
const MEMORY_TARGET_MB = 320;
const measureFile = fileURLToPath(new URL("./diff/measure-side.ts", import.meta.url));

/**
 * D1: our parser on a stream against reading the same stream. D2: on a whole file against the fastest of three
 * npm parsers, which know no other way. D3: twelve tricky
 * entries and all counts against git's own list. Options: --megabytes 200 --files 10000 --repeat 3 --no-peers.
 */
export async function run(args: readonly string[]): Promise<Ratio[]> {
	const { values } = parseArgs({
		args: [...args],
		options: {
			megabytes: { type: "string", default: "200" },
			files: { type: "string", default: "10000" },
			repeat: { type: "string", default: "3" },
			"no-peers": { type: "boolean", default: false },
		},
	});
	const repeat = Number(values.repeat);
	const folder = await mkdtemp(path.join(tmpdir(), "rookery-bench-"));
	try {
		const repository = path.join(folder, "repository");
		await mkdir(repository);
		await makeDiffRepository(repository, { files: Number(values.files), megabytes: Number(values.megabytes) });
		const expected = await readCounts(repository);
		const ratios: Ratio[] = [];
		for (const [suffix, options, limits] of [
			["", [], { read: 2.1, peer: 0.2 }],
			["-u0", ["--unified=0"], { read: 3.5, peer: 0.25 }],
		] as const) {
			const file = path.join(folder, `change${suffix}.diff`);
			await writeDiff(repository, file, options);
			ratios.push(...(await compare({ file, suffix, limits, expected, repeat, peers: values["no-peers"] ? [] : PEERS })));
		}
		ratios.push(await checkTrickyEntries(path.join(folder, "tricky")));
		return ratios;
	} finally {
		await rm(folder, { recursive: true, force: true });
	}
}

interface Comparison {
	readonly file: string;
	readonly suffix: string;
	readonly limits: { readonly read: number; readonly peer: number };
	readonly expected: Counts;
	readonly repeat: number;
	readonly peers: readonly string[];
}

interface Counts {
	readonly files: number;
	readonly additions: number;
	readonly deletions: number;
}

async function compare({ file, suffix, limits, expected, repeat, peers }: Comparison): Promise<Ratio[]> {
	const results = new Map<string, SideResult>();
	// Sides take turns, so that a slow moment of the machine does not meet one of them alone.
	for (let round = 0; round < repeat; round++) {
		for (const side of ["read", "rookery", "rookery-whole"]) keepBest(results, side, await measure(side, file));
	}
	for (const peer of peers) keepBest(results, peer, await measure(peer, file));
	const read = need(results, "read");
	const ours = need(results, "rookery");
	for (const [name, result] of results) if (name !== "read") requireCounts(name, result, expected);
	const ratios: Ratio[] = [
		{
			name: `D1${suffix}`,
			value: ours.milliseconds / read.milliseconds,
			target: limits.read,
			detail: `parse ${describe(ours)} / read ${describe(read)}, ${megabytesPerSecond(read.files, ours)} MB/s`,
		},
		{
			name: `D1${suffix}-memory`,
			value: ours.megabytes / MEMORY_TARGET_MB,
			target: 1,
			detail: `${Math.round(ours.megabytes)} MB / ${MEMORY_TARGET_MB} MB`,
		},
	];
	const fastest = peers.toSorted((first, second) => need(results, first).milliseconds - need(results, second).milliseconds)[0];
	if (fastest !== undefined) {
		const whole = need(results, "rookery-whole");
		const others = peers.map((peer) => `${peer} ${describe(need(results, peer))}`).join(", ");
		ratios.push({
			name: `D2${suffix}`,
			value: whole.milliseconds / need(results, fastest).milliseconds,
			target: limits.peer,
			detail: `parse ${describe(whole)} / ${others}`,
		});
	}
	return ratios;
}

async function measure(side: string, file: string): Promise<SideResult> {
	const { stdout } = await promisify(execFile)(process.execPath, ["--max-old-space-size=8000", measureFile, side, file]);
	return JSON.parse(stdout) as SideResult;
}

function keepBest(results: Map<string, SideResult>, side: string, result: SideResult): void {
	const best = results.get(side);
	if (best === undefined || result.milliseconds < best.milliseconds) results.set(side, result);
}

function need(results: ReadonlyMap<string, SideResult>, side: string): SideResult {
	const result = results.get(side);
	if (result === undefined) throw new Error(`${side} was not measured`);
	return result;
}

function requireCounts(name: string, result: SideResult, expected: Counts): void {
	const same = result.files === expected.files && result.additions === expected.additions && result.deletions === expected.deletions;
	if (!same) throw new Error(`${name} found ${JSON.stringify(result)}, git says ${JSON.stringify(expected)}`);
}

async function readList(repository: string) {
	const list = [...DIFF_ARGUMENTS, "--raw", "--numstat", "-z", "--no-abbrev", "HEAD~1", "HEAD", "--"];
	return parseRaw(await runGit(repository, list));
}

async function readCounts(repository: string): Promise<Counts> {
	let additions = 0;
	let deletions = 0;
	const files = await readList(repository);
	for (const file of files) {
		additions += file.additions;
		deletions += file.deletions;
	}
	return { files: files.length, additions, deletions };
}

/** Share of entries whose names, modes, counts and kind agree with git's NUL-separated list: 1 is all of them. */
async function checkTrickyEntries(repository: string): Promise<Ratio> {
	await mkdir(repository);
	await makeTrickyRepository(repository);
	const listed = await readList(repository);
	const sections = parseDiffBuffer(await runGit(repository, [...DIFF_ARGUMENTS, "HEAD~1", "HEAD", "--"]));
	const exact = listed.filter((file, index) => {
		const section = sections[index];
		if (section === undefined) return false;
		const names = section.path === file.path && section.previousPath === file.previousPath;
		const counts = section.additions === file.additions && section.deletions === file.deletions && section.binary === file.binary;
		return names && counts && section.problem === undefined;
	}).length;
	if (listed.length !== 12 || sections.length !== 12) throw new Error(`twelve entries are due, git lists ${listed.length}`);
	return { name: "D3", value: exact / listed.length, detail: `${exact} of ${listed.length} tricky entries exact` };
}

function describe(result: SideResult): string {
	return `${Math.round(result.milliseconds)} ms ${Math.round(result.megabytes)} MB`;
}

function megabytesPerSecond(bytes: number, result: SideResult): number {
	return Math.round(bytes / 1e3 / result.milliseconds);
}
