import type { ToolName } from "./agent.ts";
import type { ChangedFile, FilePatch } from "./change-set.ts";
import type { Sha } from "./ids.ts";

/*
 * What the orchestrator and the process with a child's tools say to each other: one JSON object a line. The process is
 * not trusted: it runs next to whatever commands run, so its lines are checked and can at most be wrong about its own
 * child's results.
 */

/** First line to the process: everything its tools work on, as plain data. No secret and no variable of ours is in it. */
export interface WorkerStart {
	readonly type: "start";
	readonly root: string;
	readonly head: Sha;
	readonly mergeBase: Sha;
	readonly changedFiles: readonly ChangedFile[];
	readonly assignedPaths?: readonly string[];
	/** Tools that this process runs; others do not exist in it. */
	readonly tools: readonly ToolName[];
	/** Globs of the policy; the built-in list of secrets is added inside. */
	readonly denyPaths: readonly string[];
	/** Folder inside with the grammars. */
	readonly assets: string;
	/** Whether `listFiles` can be asked for; else the folder is walked. */
	readonly hasFileList: boolean;
	/** Bounds for commands; absent where none may run. */
	readonly commands?: CommandLimits;
}

/** Bounds of what commands may use, all processes of a child together unless said otherwise. */
export interface CommandLimits {
	readonly processes: number;
	readonly memoryBytes: number;
	/** Largest file that a command can write. */
	readonly fileBytes: number;
	/** Output of one command; more ends it. */
	readonly outputBytes: number;
	readonly defaultSeconds: number;
	readonly maxSeconds: number;
}

export const DEFAULT_COMMAND_LIMITS: CommandLimits = {
	processes: 512,
	memoryBytes: 4 * 1024 ** 3,
	fileBytes: 1024 ** 3,
	outputBytes: 64 * 1024 ** 2,
	defaultSeconds: 120,
	maxSeconds: 600,
};

export type ToWorker =
	| WorkerStart
	| { readonly type: "call"; readonly id: number; readonly tool: string; readonly input: unknown; readonly call?: string }
	| { readonly type: "cancel"; readonly id: number }
	| { readonly type: "answer"; readonly id: number; readonly value?: WorkerAnswer; readonly error?: string };

/** Questions of the process about the merge base, which it cannot see itself. */
export type WorkerQuestion =
	| { readonly what: "patches"; readonly paths: readonly string[] }
	| { readonly what: "base"; readonly path: string }
	| { readonly what: "files" }
	| { readonly what: "history" };

/** patches: in the order asked for. base: Base64, null when the file does not exist there. history: paths a commit, newest first. */
export type WorkerAnswer =
	| { readonly patches: readonly FilePatch[] }
	| { readonly base: string | null }
	| { readonly files: readonly string[] }
	| { readonly history: readonly (readonly string[])[] };

export type FromWorker =
	| { readonly type: "ready" }
	| { readonly type: "result"; readonly id: number; readonly output: unknown }
	| { readonly type: "ask"; readonly id: number; readonly question: WorkerQuestion };
