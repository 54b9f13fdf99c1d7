import { spawn } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { text } from "node:stream/consumers";

export interface SideRun {
	readonly output: string;
	/** Largest sum of resident sets of the process and everything below it, sampled every 20 ms. */
	readonly peakMb: number;
	readonly wallMs: number;
}

export interface SideCommand {
	readonly command: string;
	readonly args: readonly string[];
	readonly cwd: string;
	readonly env: Readonly<Record<string, string>>;
	readonly timeoutMs?: number;
}

/** Runs one side as a process of its own and watches its memory. Rejects when it ends with a failure. */
export async function runSide(side: SideCommand): Promise<SideRun> {
	const startedAt = performance.now();
	const child = spawn(side.command, [...side.args], { cwd: side.cwd, env: { ...side.env }, stdio: ["ignore", "pipe", "pipe"] });
	let peakKb = 0;
	const sampler = setInterval(() => {
		if (child.pid !== undefined) peakKb = Math.max(peakKb, treeMemory(child.pid));
	}, 20);
	const timer = setTimeout(() => child.kill("SIGKILL"), side.timeoutMs ?? 120_000);
	try {
		const [output, errors, code] = await Promise.all([
			text(child.stdout),
			text(child.stderr),
			new Promise<number | null>((resolve, reject) => {
				child.once("error", reject);
				child.once("close", resolve);
			}),
		]);
		if (code !== 0) throw new Error(`${side.command} ended with ${code}: ${errors.slice(-2_000)}${output.slice(-500)}`);
		return { output, peakMb: peakKb / 1_024, wallMs: performance.now() - startedAt };
	} finally {
		clearInterval(sampler);
		clearTimeout(timer);
	}
}

/** Kilobytes resident in a process and its descendants, from the process table. */
function treeMemory(pid: number): number {
	const parents = new Map<number, { readonly parent: number; readonly pages: number }>();
	for (const entry of readdirSync("/proc")) {
		if (!/^\d+$/.test(entry)) continue;
		try {
			const stat = readFileSync(`/proc/${entry}/stat`, "utf8");
			const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
			parents.set(Number(entry), { parent: Number(fields[1]), pages: Number(fields[21]) });
		} catch {
			// It has ended since the folder was read.
		}
	}
	const below = new Set([pid]);
	for (let size = 0; size !== below.size; ) {
		size = below.size;
		for (const [id, { parent }] of parents) if (below.has(parent)) below.add(id);
	}
	return [...below].reduce((sum, id) => sum + (parents.get(id)?.pages ?? 0) * 4, 0);
}
