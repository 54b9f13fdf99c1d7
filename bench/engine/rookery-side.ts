import { mkdtemp } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { rolldown } from "rolldown";
import { runSide, type SideRun } from "./run-side.ts";

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "../..");

/** Bundles a process of the bench as the product is bundled, so that start and memory are those of the product. */
export async function bundleProcess(name: string, folder: string): Promise<string> {
	const bundle = await rolldown({
		cwd: root,
		input: path.join(root, "bench/engine", `${name}.ts`),
		platform: "node",
		logLevel: "silent",
		transform: { target: "es2022" },
		resolve: { alias: { "jsonc-parser": path.join(root, "node_modules/jsonc-parser/lib/esm/main.js") } },
		checks: { eval: false },
	});
	await bundle.write({ dir: folder, format: "esm", minify: true, entryFileNames: `${name}.mjs`, chunkFileNames: `${name}-[hash].mjs` });
	await bundle.close();
	return path.join(folder, `${name}.mjs`);
}

const environment = (): Readonly<Record<string, string>> => ({ PATH: process.env["PATH"] ?? "", HOME: process.env["HOME"] ?? "" });

/** The engine with N children. */
export async function runFanOut(options: {
	readonly script: string;
	readonly baseUrl: string;
	readonly children: number;
	readonly repository: string;
	readonly temp: string;
	readonly process?: boolean;
}): Promise<SideRun> {
	const journals = await mkdtemp(path.join(options.temp, "journals-"));
	const mode = options.process === true ? "process" : "in-process";
	const run = await runSide({
		command: process.execPath,
		args: [options.script, options.baseUrl, String(options.children), options.repository, journals, mode],
		cwd: options.repository,
		env: environment(),
	});
	const { statuses, errors } = JSON.parse(run.output) as { statuses: readonly string[]; errors: readonly string[] };
	const done = statuses.filter((status) => status === "completed").length;
	if (done !== options.children) throw new Error(`${done} of ${options.children} children completed: ${errors[0] ?? ""}`);
	return run;
}

/** The whole product on a change: `rookery review` as a person starts it. */
export function runReview(options: {
	readonly repository: string;
	readonly base: string;
	readonly baseUrl: string;
	readonly temp: string;
}): Promise<SideRun> {
	const args = ["review", "--repo", options.repository, "--base", options.base, "--provider", "anthropic", "--base-url", options.baseUrl];
	return runSide({
		command: process.execPath,
		args: [path.join(root, "src/cli.ts"), ...args, "--model", "claude-opus-5-5", "--json"],
		cwd: options.repository,
		env: { ...environment(), ANTHROPIC_API_KEY: "key-for-benches", TMPDIR: options.temp },
	});
}
