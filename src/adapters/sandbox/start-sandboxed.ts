import { spawn } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import type { Readable, Writable } from "node:stream";
import type { Bubblewrap } from "./find-bubblewrap.ts";
import { buildSandboxLaunch, type ProgramPlaces } from "./sandbox-arguments.ts";
import type { SandboxSpec } from "./sandbox-spec.ts";

/** A process behind the sandbox, with pipes. */
export interface SandboxedProcess {
	readonly input: Writable;
	readonly output: Readable;
	/** Last 4 KiB of what it wrote to its error stream. */
	errorTail(): string;
	/** Resolves when it and all it has started are gone. Never rejects. */
	readonly ended: Promise<{ readonly code: number | null; readonly startError?: string }>;
	/** Ends it and everything it has started, at once. */
	kill(): void;
}

const ERROR_TAIL = 4096;

/** Closes what came in besides the three streams, then becomes the command. */
// biome-ignore lint/suspicious/noTemplateCurlyInString: a program for bash
const CLOSE_DESCRIPTORS = 'for f in /proc/self/fd/*; do n=${f##*/}; [ "$n" -gt 2 ] && eval "exec $n>&-"; done; exec "$@"';

/**
 * True when this process holds a descriptor that a child would inherit: one that its own parent has left open. Node marks
 * all of its own, so on most runners there is none, and the detour over a shell is saved.
 */
function holdsInheritable(): boolean {
	try {
		return readdirSync("/proc/self/fdinfo").some((name) => Number(name) > 2 && isInheritable(`/proc/self/fdinfo/${name}`));
	} catch {
		return true;
	}
}

const CLOSE_ON_EXEC = 0o2000000;

function isInheritable(file: string): boolean {
	try {
		const flags = /^flags:\s*([0-7]+)/m.exec(readFileSync(file, "latin1"))?.[1];
		return flags === undefined || (Number.parseInt(flags, 8) & CLOSE_ON_EXEC) === 0;
	} catch {
		// Closed in between, such as the one of the listing itself.
		return false;
	}
}

/** Rejects when the tree is not there; a bubblewrap that cannot start shows in `ended`. */
export async function startSandboxed(
	bubblewrap: Bubblewrap,
	program: ProgramPlaces,
	spec: SandboxSpec,
	command: readonly string[],
): Promise<SandboxedProcess> {
	const closing = ["/bin/bash", "--noprofile", "--norc", "-c", CLOSE_DESCRIPTORS, "sandbox"];
	const launch = await buildSandboxLaunch(spec, bubblewrap, program, holdsInheritable() ? [...closing, ...command] : command);
	const child = spawn(bubblewrap.path, [...launch.arguments], {
		cwd: "/",
		// Not cleared but never filled: bubblewrap's own process keeps what it was started with, for all to read (3.3 no. 2).
		env: {},
		shell: false,
		stdio: ["pipe", "pipe", "pipe", ...launch.texts.map(() => "pipe" as const)],
		...(launch.user === undefined ? {} : launch.user),
	});
	for (const [index, text] of launch.texts.entries()) {
		const pipe = child.stdio[3 + index] as unknown as Writable;
		pipe.on("error", () => undefined);
		pipe.end(text);
	}
	const [input, output, errors] = child.stdio as unknown as [Writable, Readable, Readable];
	let tail = "";
	input.on("error", () => undefined);
	errors.on("data", (chunk: Buffer) => {
		tail = (tail + chunk.toString("utf8")).slice(-ERROR_TAIL);
	});
	const ended = new Promise<{ readonly code: number | null; readonly startError?: string }>((resolve) => {
		child.once("error", (error) => {
			if (child.pid === undefined) resolve({ code: null, startError: error.message });
		});
		child.once("close", (code) => resolve({ code }));
	});
	return { input, output, errorTail: () => tail, ended, kill: () => void child.kill("SIGKILL") };
}
