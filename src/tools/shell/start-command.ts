import { spawn } from "node:child_process";
import type { CommandLimits } from "../../domain/worker-protocol.ts";
import type { CommandEnd, LimitName } from "./explain-end.ts";
import { createOutputBuffer, type OutputBuffer } from "./output-buffer.ts";

/** A command that runs, with everything it has started in its own process group. */
export interface RunningCommand {
	readonly output: OutputBuffer;
	/** Resolves when it has ended and its group is gone. Never rejects. */
	readonly ended: Promise<CommandEnd>;
	/** Asks it to end, and forces it after a second. */
	stop(why: NonNullable<CommandEnd["stopped"]>): void;
}

const KILL_AFTER_MS = 1_000;
/** How long pipes may stay open after the command has ended: a process that left the group can hold them. */
const PIPE_GRACE_MS = 300;

/**
 * Limits of each process, set by the shell that becomes the command; nothing below can raise them again. Data counts
 * what a process really asks for, where address space would count what programs such as Node only reserve. A lower
 * priority leaves the watchdog its time.
 */
function renderLimits(limits: CommandLimits): string {
	return [
		"ulimit -c 0",
		`ulimit -f ${Math.floor(limits.fileBytes / 1024)}`,
		`ulimit -d ${Math.floor(limits.memoryBytes / 1024)}`,
		`ulimit -u ${limits.processes}`,
		"ulimit -n 4096",
		'exec nice -n 5 /bin/bash --noprofile --norc -c "$1"',
	].join("; ");
}

/** Starts a line in bash. Without an environment it is the one of this process, which in the sandbox holds nothing of ours. */
export function startCommand(
	command: string,
	options: {
		readonly folder: string;
		readonly limits: CommandLimits;
		readonly environment?: Readonly<Record<string, string>> | undefined;
		/** Told of each piece of standard output, for machine formats that must not be cut in their middle. */
		readonly onStdout?: ((chunk: Buffer) => void) | undefined;
	},
): RunningCommand {
	const startedAt = performance.now();
	const output = createOutputBuffer();
	const child = spawn("/bin/bash", ["--noprofile", "--norc", "-c", renderLimits(options.limits), "bash", command], {
		cwd: options.folder,
		...(options.environment === undefined ? {} : { env: options.environment }),
		stdio: ["ignore", "pipe", "pipe"],
		// An own group, so that what the command leaves behind can be ended with it (R43).
		detached: true,
	});
	let stopped: CommandEnd["stopped"];
	const signalGroup = (signal: NodeJS.Signals): void => {
		if (child.pid === undefined) return;
		try {
			process.kill(-child.pid, signal);
		} catch {
			// Already gone.
		}
	};
	const stop = (why: NonNullable<CommandEnd["stopped"]>): void => {
		if (stopped !== undefined) return;
		stopped = why;
		const isLimit = why.endsWith("limit");
		signalGroup(isLimit ? "SIGKILL" : "SIGTERM");
		if (!isLimit) setTimeout(() => signalGroup("SIGKILL"), KILL_AFTER_MS).unref();
	};
	for (const stream of [child.stdout, child.stderr]) {
		stream.on("data", (chunk: Buffer) => {
			output.add(chunk);
			if (output.size() > options.limits.outputBytes) stop("output limit" satisfies LimitName);
		});
	}
	if (options.onStdout !== undefined) child.stdout.on("data", options.onStdout);
	const ended = new Promise<CommandEnd>((resolve) => {
		let finished = false;
		const finish = (exitCode: number | null, signal: string | null): void => {
			if (finished) return;
			finished = true;
			signalGroup("SIGKILL");
			child.stdout.destroy();
			child.stderr.destroy();
			resolve({ exitCode, signal, ...(stopped === undefined ? {} : { stopped }), durationMs: performance.now() - startedAt });
		};
		child.once("error", (error) => {
			output.add(Buffer.from(`bash could not be started: ${error.message}\n`));
			finish(null, null);
		});
		child.once("exit", (code, signal) => {
			signalGroup("SIGKILL");
			setTimeout(() => finish(code, signal), PIPE_GRACE_MS);
		});
		child.once("close", (code, signal) => finish(code, signal));
	});
	return { output, ended, stop };
}
