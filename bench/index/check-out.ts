import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";

/** A work tree of a clone's newest commit, in a temporary folder. */
export interface WorkTree extends AsyncDisposable {
	readonly folder: string;
	/** Tracked regular files in byte order. */
	readonly paths: readonly string[];
	read(file: string): Buffer | undefined;
	git(...args: readonly string[]): string;
}

/** Shares the clone's objects; nothing is written into the clone. Rejects when git fails. */
export async function checkOut(clone: string): Promise<WorkTree> {
	const folder = await mkdtemp(path.join(tmpdir(), "rookery-index-"));
	const git = (...args: readonly string[]): string =>
		execFileSync("git", ["-C", folder, ...args], { maxBuffer: 1 << 29, stdio: ["ignore", "pipe", "ignore"] }).toString("utf8");
	execFileSync("git", ["clone", "-q", "--shared", "--no-tags", clone, folder], { stdio: "ignore" });
	const paths = git("ls-files", "-s", "-z")
		.split("\0")
		.flatMap((entry) => (/^100/.test(entry) ? [entry.slice(entry.indexOf("\t") + 1)] : []));
	return {
		folder,
		paths,
		git,
		read(file) {
			try {
				return readFileSync(path.join(folder, file));
			} catch {
				return undefined;
			}
		},
		[Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
	};
}

/** The least of some runs: what the machine can do when nothing else takes its time. */
export function leastMs(repeat: number, work: () => void): number {
	let least = Number.POSITIVE_INFINITY;
	for (let run = 0; run < repeat; run++) {
		const started = performance.now();
		work();
		least = Math.min(least, performance.now() - started);
	}
	return least;
}

/** The same in time of this process's own processor, for two sides that both run in it: others on the machine count less. */
export function leastCpuMs(repeat: number, work: () => void): number {
	let least = Number.POSITIVE_INFINITY;
	for (let run = 0; run < repeat; run++) {
		const before = process.cpuUsage();
		work();
		const { user, system } = process.cpuUsage(before);
		least = Math.min(least, (user + system) / 1_000);
	}
	return least;
}

export function percentile(values: readonly number[], share: number): number {
	const sorted = [...values].sort((a, b) => a - b);
	return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}
