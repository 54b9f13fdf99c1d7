import type { ReasonCode } from "../domain/errors.ts";
import type { ToolSpec } from "../domain/model-message.ts";

/* What children and checks may do in a tree. */

/** What a tool says back to the model. Errors are results; a tool throws only on misuse. */
export interface ToolOutput {
	readonly content: string;
	readonly isError?: true;
	/** Reason code of a refusal, counted in the report. */
	readonly code?: ReasonCode;
	/** Repository paths whose content was shown; feeds the coverage ledger. */
	readonly filesRead?: readonly string[];
	/** Machine form for the engine (for example the parsed report of `submit_report`); never sent to the model. */
	readonly data?: unknown;
}

/** What a tool can at most do; the scheduler and the policy decide by it (D-18). */
export type ToolEffect = "none" | "read" | "execute" | "write" | "network" | "delegate";

/** A tool as the engine sees it: what the model is told, and how to run a call whose input already fits the schema. */
export interface Tool {
	readonly spec: ToolSpec;
	readonly effect: ToolEffect;
	readonly timeoutMs: number;
	/** Checks and normalises raw input; the error text goes to the model as an error result. */
	parse(input: unknown): { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly error: string };
	/** `call.id` is the id of this very call, also when several run at the same time (S-146). */
	run(input: unknown, signal: AbortSignal, call?: { readonly id: string }): Promise<ToolOutput>;
}

/** How a command in a tree ended. Everything it printed is the word of programs of that tree: data, never a reason to trust. */
export interface CommandRun {
	/** Null when it did not end by itself or could not be started. */
	readonly exitCode: number | null;
	/** Why it was ended from outside: `timed out`, `cancelled`, `killed` or the name of a limit. */
	readonly stopped?: string;
	/** Why it could not be started at all: no sandbox, a folder that is not there. */
	readonly startError?: string;
	/** The first 4 MiB of its standard output, for machine formats. */
	readonly stdout: string;
	/** Beginning and end of both streams, without escape sequences, for people. */
	readonly output: string;
	/** Says how it ended in words, with the wall it ran into, if any (E_NET, E_LIMIT). */
	readonly note: string;
	readonly code?: ReasonCode;
	readonly durationMs: number;
}

/** Runs command lines in one tree, behind the walls of the run's sandbox. */
export interface CommandRunner {
	/**
	 * Never rejects: what could not be run says so in its `startError`.
	 * @param options.folder relative to the tree; its top when absent
	 */
	run(
		command: string,
		options: { readonly timeoutMs: number; readonly folder?: string; readonly signal?: AbortSignal | undefined },
	): Promise<CommandRun>;
}

/** A program that puts walls around one command line, given as its last argument. */
export interface CommandWalls {
	readonly program: readonly string[];
	/** All that the program and the command see. */
	readonly environment: Readonly<Record<string, string>>;
}

/** Runs the tool calls of one child, in process or inside the sandbox. */
export interface ToolWorker {
	readonly tools: readonly Tool[];
	[Symbol.asyncDispose](): Promise<void>;
}
