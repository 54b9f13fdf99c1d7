import { readFile } from "node:fs/promises";
import { hostname } from "node:os";

/** The process that made a worktree, told apart from a later one with the same number. */
export interface RunOwner {
	readonly run: string;
	readonly pid: number;
	/** When the process started, in the kernel's own ticks; "" where that cannot be read. */
	readonly started: string;
	readonly host: string;
	/** Milliseconds since the epoch. */
	readonly at: number;
}

/** On another machine or in another container a process number says nothing; only age does. */
const FOREIGN_OWNER_MS = 24 * 60 * 60 * 1000;

export async function describeOwner(run: string, now: number): Promise<RunOwner> {
	return { run, pid: process.pid, started: await readStart(process.pid), host: hostname(), at: now };
}

/** False only when it is certain that the owner is gone: what lives is never swept away. */
export async function isOwnerAlive(owner: RunOwner, now: number): Promise<boolean> {
	if (owner.host !== hostname()) return now - owner.at < FOREIGN_OWNER_MS;
	try {
		process.kill(owner.pid, 0);
	} catch (error) {
		// EPERM means that the process is there and somebody else's.
		if ((error as NodeJS.ErrnoException).code === "ESRCH") return false;
	}
	return owner.started === "" || owner.started === (await readStart(owner.pid));
}

/** A record as it was written, or undefined when it is none of ours. */
export function parseOwner(text: string): RunOwner | undefined {
	try {
		const value = JSON.parse(text) as Partial<RunOwner> | null;
		const { run, pid, started, host, at } = value ?? {};
		const complete = typeof run === "string" && typeof started === "string" && typeof host === "string" && typeof at === "number";
		return complete && typeof pid === "number" && Number.isInteger(pid) && pid > 0 ? { run, pid, started, host, at } : undefined;
	} catch {
		return undefined;
	}
}

/** Field 22 of `/proc/PID/stat`; the name before it may hold blanks and brackets. */
async function readStart(pid: number): Promise<string> {
	const text = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => "");
	return text.slice(text.lastIndexOf(")") + 2).split(" ")[19] ?? "";
}
