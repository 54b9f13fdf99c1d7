import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { rolldown } from "rolldown";
import { countApiCalls } from "../test/e2e/count-api-calls.ts";
import type { Ratio } from "./ratio.ts";

/*
 * npm run bench -- publish [FINDINGS] [FILES]: from the children's reports to all that is posted and written, in a
 * process of its own, and how often GitHub is asked in a review with eight comments on lines.
 */

const SECONDS = 1;
const MEGABYTES = 200;
const CALLS = 12;

interface Measured {
	readonly findings: number;
	readonly synthesizeMs: number;
	readonly searchMs: number;
	readonly planMs: number;
	readonly filesMs: number;
	readonly totalMs: number;
	readonly cpuMs: number;
	readonly peakMb: number;
	readonly inputMb: number;
}

export async function run(args: readonly string[]): Promise<readonly Ratio[]> {
	const measured = await measure(args);
	const ms = (value: number): string => `${Math.round(value)} ms`;
	const calls = await countApiCalls();
	return [
		{
			name: "publish-time",
			value: measured.totalMs / 1000 / SECONDS,
			target: 1,
			detail: `${measured.findings} findings in ${ms(measured.totalMs)} of ${SECONDS} s, ${ms(measured.cpuMs)} of it computed: synthesis ${ms(measured.synthesizeMs)}, search for credentials ${ms(measured.searchMs)}, cleaning and planning ${ms(measured.planMs)}, SARIF and JUnit ${ms(measured.filesMs)}`,
		},
		{
			name: "publish-memory",
			value: measured.peakMb / MEGABYTES,
			target: 1,
			detail: `${Math.round(measured.peakMb)} MB at most, of ${MEGABYTES} MB; ${Math.round(measured.inputMb)} MB with the input alone`,
		},
		{
			name: "publish-calls",
			value: calls.length / CALLS,
			target: 1,
			detail: `${calls.length} requests to GitHub of ${CALLS}: ${calls.join(", ")}`,
		},
	];
}

/** Bundled as the release is, so that no memory is that of reading TypeScript. */
async function measure(args: readonly string[]): Promise<Measured> {
	const folder = await mkdtemp(path.join(os.tmpdir(), "rookery-bench-"));
	try {
		const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
		const bundle = await rolldown({
			...{ cwd: root, input: "./bench/publish/plan-large.ts", platform: "node", logLevel: "silent" },
			transform: { target: "es2022" },
			resolve: { alias: { "jsonc-parser": path.join(root, "node_modules/jsonc-parser/lib/esm/main.js") } },
		});
		await bundle.write({ dir: folder, format: "esm", minify: true, entryFileNames: "plan-large.mjs", chunkFileNames: "[name]-[hash].mjs" });
		await bundle.close();
		const script = path.join(folder, "plan-large.mjs");
		const { stdout } = await promisify(execFile)(process.execPath, ["--expose-gc", script, ...args.slice(0, 2)]);
		return JSON.parse(stdout) as Measured;
	} finally {
		await rm(folder, { recursive: true, force: true });
	}
}
