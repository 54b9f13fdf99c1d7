import { spawnSync } from "node:child_process";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { callTool } from "../src/demo/loopback-model/scripted-reply.ts";
import { startLoopbackModel } from "../src/demo/loopback-model/start-loopback-model.ts";
import { ACTION_FOLDER, startScene, TOKEN } from "../test/e2e/start-scene.ts";
import type { Ratio } from "./ratio.ts";

/*
 * npm run bench -- startup [PAIRS]: from the start of `node dist/index.js` to its first model request, against bare
 * `node -e 0` in the same run, interleaved (COST.md G8). The loopback GitHub and model run in this process.
 */

const GO =
	"package parcels\n\n// Weight adds up.\nfunc Weight(items []int) int {\n\ttotal := 0\n\tfor _, item := range items {\n\t\ttotal += item\n\t}\n\treturn total\n}\n";

function median(values: readonly number[]): number {
	return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

function timeBareNode(): number {
	const start = performance.now();
	spawnSync(process.execPath, ["-e", "0"]);
	return performance.now() - start;
}

/** What is loaded on demand behind the first model request, or by other commands. */
const LATER = /^(?:run-demo|command-|contract|create-terminal-tree|post-step|write-report-files|undici|create-offline)/;

/** Bytes of the entry and of the chunks that a review may load before its first model request. */
async function measureBundle(): Promise<number> {
	const dist = path.join(ACTION_FOLDER, "dist");
	const sizes = new Map<string, number>();
	const open = [path.join(dist, "index.js")];
	for (let file = open.pop(); file !== undefined; file = open.pop()) {
		if (sizes.has(file) || LATER.test(path.basename(file))) continue;
		const text = await readFile(file, "utf8");
		// The secret scanner's rules belong to a tool, which is called by the model's first answer at the earliest.
		if (text.includes("@secretlint/")) continue;
		sizes.set(file, Buffer.byteLength(text));
		for (const [, specifier] of text.matchAll(/(?:from|import)\s*\(?\s*["`](\.{1,2}\/[^"`]+\.js)["`]/g))
			open.push(path.resolve(path.dirname(file), specifier ?? ""));
	}
	return [...sizes.values()].reduce((sum, size) => sum + size, 0);
}

export async function run(args: readonly string[]): Promise<readonly Ratio[]> {
	const pairs = Number(args[0] ?? 12);
	await using scene = await startScene({ base: { "weight.go": GO }, head: { "weight.go": GO.replace("total += item", "total -= item") } });
	const model = await startLoopbackModel({
		decide: () => callTool("submit_report", { summary: "Read.", findings: [], open: [] }),
	});
	try {
		const ours: number[] = [];
		const bare: number[] = [];
		for (let pair = 0; pair <= pairs; pair++) {
			const node = timeBareNode();
			const before = model.requests.length;
			let start = 0;
			const result = await scene.start({
				runId: String(pair + 1),
				inputs: { "github-token": TOKEN, "anthropic-api-key": "sk-loopback-00000000", "base-url": model.url, publish: "none" },
				onStart: () => {
					start = performance.now();
				},
			});
			const first = model.requests[before];
			if (first === undefined) throw new Error(`no model request was made:\n${result.stdout}${result.stderr}`);
			// The first pair warms the disk cache.
			if (pair === 0) continue;
			bare.push(node);
			ours.push(first.arrivedMs - start);
		}
		const bytes = await measureBundle();
		const ratios = ours.map((value, index) => value / (bare[index] ?? Number.NaN));
		return [
			{
				name: "G8-start",
				value: median(ratios),
				target: 4,
				detail: `first model request after ${median(ours).toFixed(0)} ms (least ${Math.min(...ours).toFixed(0)}) / node -e 0 ${median(bare).toFixed(0)} ms (least ${Math.min(...bare).toFixed(0)}), median of ${pairs} pairs`,
			},
			{ name: "G8-start-least", value: Math.min(...ours) / Math.min(...bare), target: 4, detail: "the same, least of each side" },
			{ name: "G8-bundle", value: bytes / 2_000_000, target: 1, detail: `${bytes} bytes loaded up to the first request / 2 MB` },
		];
	} finally {
		await model.close();
	}
}
