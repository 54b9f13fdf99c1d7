import { realpath } from "node:fs/promises";
import { type Bubblewrap, findBubblewrap } from "./find-bubblewrap.ts";
import { probeSandbox } from "./probe.ts";
import { INSIDE, type SandboxSpec } from "./sandbox-spec.ts";
import { type SandboxedProcess, startSandboxed } from "./start-sandboxed.ts";

/** A sandbox that has proved itself on this machine. */
export interface Sandbox {
	readonly available: true;
	/** `bubblewrap 0.9`, for the report. */
	readonly name: string;
	/** What the probe tried in vain. */
	readonly checks: readonly string[];
	/** Starts Node inside with a file of the code folder, given relative to it. Rejects when the tree is not there. */
	start(spec: SandboxSpec, entry: string, args?: readonly string[]): Promise<SandboxedProcess>;
	/** Starts any command inside, by its absolute path there. Rejects when the tree is not there. */
	startCommand(spec: SandboxSpec, command: readonly string[]): Promise<SandboxedProcess>;
	/** Path inside of a file of the code folder. */
	codePath(relative: string): string;
}

/** No sandbox: no commands and no writes, said with `E_SANDBOX`, the reason and what would help. */
export interface NoSandbox {
	readonly available: false;
	readonly reason: string;
	readonly fix: string;
}

export interface SandboxOptions {
	/** Folder with the worker's bundle, `dist`. */
	readonly code: string;
	/** Where the probe may make a folder. */
	readonly temporaryFolder: string;
	/** Node's program; this process's own unless given. Never looked up by name (A82). */
	readonly node?: string;
	/** Fixed places of bubblewrap; only tests give others. */
	readonly candidates?: readonly string[];
}

/** Finds bubblewrap and probes it. Never rejects for a missing or broken sandbox, and never falls back to anything. */
export async function openSandbox(options: SandboxOptions): Promise<Sandbox | NoSandbox> {
	const found = await findBubblewrap(options.candidates);
	if (!found.ok) return { available: false, reason: found.reason, fix: found.fix };
	const program = { node: await realpath(options.node ?? process.execPath), code: await realpath(options.code) };
	const probe = await probeSandbox(found, program, options.temporaryFolder);
	if (!probe.ok) return { available: false, reason: probe.reason, fix: probe.fix };
	return {
		available: true,
		name: describe(found),
		checks: probe.checks,
		codePath: (relative) => `${INSIDE.code}/${relative}`,
		startCommand: (spec, command) => startSandboxed(found, program, spec, command),
		start: (spec, entry, args = []) =>
			startSandboxed(found, program, spec, [INSIDE.node, "--max-old-space-size=1024", `${INSIDE.code}/${entry}`, ...args]),
	};
}

function describe(bubblewrap: Bubblewrap): string {
	return `bubblewrap ${bubblewrap.version.join(".")}`;
}
