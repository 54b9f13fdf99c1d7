import { type ChildProcessByStdio, spawn } from "node:child_process";
import type { Readable, Writable } from "node:stream";

/** One git process with pipes on all three streams. */
export type GitProcess = ChildProcessByStdio<Writable, Readable, Readable>;

/** How a git process is started. Arguments are an array and no shell is ever in between. */
export interface GitLaunch {
	readonly binary: string;
	readonly arguments: readonly string[];
	readonly environment: Readonly<Record<string, string>>;
	readonly folder: string;
}

/** How a git process ended. `stderr` is at most its last 64 KiB. */
export interface GitExit {
	/** Exit code; null when a signal ended it or it could not be started. */
	readonly code: number | null;
	readonly stderr: string;
	/** Set when the process could not be started at all. */
	readonly startError?: Error;
}

const STDERR_LIMIT = 65_536;
const KILL_AFTER_MS = 1000;

/** Starts git. Nothing is read yet: attach to `stdout` in the same tick. */
export function startGit(launch: GitLaunch): GitProcess {
	const child = spawn(launch.binary, [...launch.arguments], {
		cwd: launch.folder,
		env: launch.environment,
		shell: false,
		windowsHide: true,
		stdio: ["pipe", "pipe", "pipe"],
	});
	// Git may end before it has read all its input; its exit code tells more than EPIPE does.
	child.stdin.on("error", () => undefined);
	return child;
}

/** Resolves when the process has ended and its streams are closed; never rejects. */
export function waitForExit(child: GitProcess): Promise<GitExit> {
	const tail: Buffer[] = [];
	let kept = 0;
	child.stderr.on("data", (chunk: Buffer) => {
		tail.push(chunk);
		kept += chunk.length;
		while (tail.length > 1 && kept - (tail[0]?.length ?? 0) >= STDERR_LIMIT) kept -= tail.shift()?.length ?? 0;
	});
	return new Promise((resolve) => {
		child.once("error", (startError) => {
			if (child.pid === undefined) resolve({ code: null, stderr: "", startError });
		});
		child.once("close", (code) => resolve({ code, stderr: Buffer.concat(tail).toString("utf8") }));
	});
}

/** Asks the process to end, so that it removes its lock files, and forces it a second later. */
export function stopGit(child: GitProcess): void {
	if (child.exitCode !== null || child.signalCode !== null) return;
	child.kill("SIGTERM");
	const timer = setTimeout(() => child.kill("SIGKILL"), KILL_AFTER_MS);
	timer.unref();
	child.once("close", () => clearTimeout(timer));
}
