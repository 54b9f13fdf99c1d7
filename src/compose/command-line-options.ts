import type { Writable } from "node:stream";
import type { Log } from "../seams.ts";

/** What the composition root gives to the command line. */
export interface CommandLineOptions {
	readonly environment: Readonly<Record<string, string | undefined>>;
	readonly write: (line: string) => void;
	readonly writeError: (line: string) => void;
	readonly signal: AbortSignal;
	readonly bundleFolder: string;
	readonly currentFolder: string;
	readonly node: string;
	/** Standard error as a stream, for drawing when it is a terminal. */
	readonly terminal: Writable & { readonly isTTY?: boolean; readonly columns?: number };
}

/** Below the fail level, at or above it, bad input or a run that could not review (DESIGN.md 14). */
export const EXIT = { below: 0, reached: 1, bad: 2 } as const;

/** Diagnostics go to standard error, so that standard output holds the result alone. */
export function createTerminalLog(options: Pick<CommandLineOptions, "writeError">, verbose: boolean): Log {
	const quiet = (): void => undefined;
	return {
		info: verbose ? options.writeError : quiet,
		notice: options.writeError,
		warning: (text) => options.writeError(`warning: ${text}`),
		error: (text) => options.writeError(`error: ${text}`),
		group: verbose ? (title, lines) => options.writeError([title, ...lines.map((line) => `  ${line}`)].join("\n")) : quiet,
	};
}
