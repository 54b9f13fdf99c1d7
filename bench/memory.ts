import { mkdir, mkdtemp, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { makeSampleRepository } from "../src/demo/sample-repository/make-sample-repository.ts";
import { ACTION_FOLDER } from "../test/e2e/start-scene.ts";
import { makeDiffRepository } from "./diff/make-diff-repository.ts";
import { runSide } from "./engine/run-side.ts";
import type { Ratio } from "./ratio.ts";

/*
 * npm run bench -- memory [MEGABYTES] [FILES]: the largest resident set of a whole local review, the process and all
 * its git children together, offline: on the sample pull request, and on a change of 10,000 files and 200 MB (R27).
 */

const LIMIT_MB = 320;

async function review(repo: string, base: string): Promise<Awaited<ReturnType<typeof runSide>>> {
	return runSide({
		command: process.execPath,
		args: [path.join(ACTION_FOLDER, "dist", "cli.js"), "review", "--repo", repo, "--base", base, "--json"],
		cwd: repo,
		env: { PATH: process.env["PATH"] ?? "", HOME: os.tmpdir() },
		timeoutMs: 600_000,
	});
}

export async function run(args: readonly string[]): Promise<readonly Ratio[]> {
	const megabytes = Number(args[0] ?? 200);
	const files = Number(args[1] ?? 10_000);
	const folder = await mkdtemp(path.join(os.tmpdir(), "rookery-bench-"));
	try {
		const sample = await makeSampleRepository(path.join(folder, "sample"));
		const small = await review(sample.folder, sample.baseBranch);
		const large = path.join(folder, "large");
		await mkdir(large);
		await makeDiffRepository(large, { files, megabytes });
		const big = await review(large, "HEAD~1");
		const read = JSON.parse(big.output) as { readonly files: readonly { readonly state: string }[] };
		const reviewed = read.files.filter((file) => file.state === "reviewed").length;
		const ratio = (name: string, side: typeof small, what: string): Ratio => ({
			name,
			value: side.peakMb / LIMIT_MB,
			...(name === "memory-sample" ? { target: 1 } : {}),
			detail: `${side.peakMb.toFixed(0)} MB, ${(side.wallMs / 1000).toFixed(1)} s, ${what} / ${LIMIT_MB} MB`,
		});
		return [
			ratio("memory-sample", small, "the sample pull request"),
			ratio("memory-large", big, `${read.files.length} files, ${megabytes} MB of diff, ${reviewed} read, the rest named`),
		];
	} finally {
		await rm(folder, { recursive: true, force: true });
	}
}
