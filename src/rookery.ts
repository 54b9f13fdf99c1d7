import { createFileUniverse } from "./tools/file-universe.ts";
import { createGlob } from "./tools/glob.ts";
import { createGrep } from "./tools/grep.ts";
import { createReadFile } from "./tools/read-file.ts";
import { createReadState } from "./tools/read-state.ts";
import { createTaskListTools } from "./tools/task-list-tools.ts";
import { createTaskTool } from "./tools/task.ts";
import type { DelegateRunner, Tool } from "./seams.ts";

/*
 * The public module: whoever embeds Rookery injects a runner and gets the tools with their types. Everything else of
 * the program is reached through the action and the command line.
 */

export { createTaskTool } from "./tools/task.ts";
export type { TaskDetails, TaskToolOptions } from "./tools/task.ts";
export { renderDelegates } from "./engine/render-delegates.ts";
export type { DelegateBrief } from "./engine/render-delegates.ts";
export type { DelegateRequest, DelegateResult, DelegateRunner, Tool, ToolEffect, ToolOutput } from "./seams.ts";
export type { ToolSpec } from "./domain/model-message.ts";
export type { Usage } from "./domain/usage.ts";

/** The key under which a runner is put into a deck's context (S-052). */
export const DELEGATE_HANDLE_KEY = "delegate";

/** What a tool deck is built in: the folder its tools work in, and whatever handles were injected. */
export interface ToolDeckContext {
	/** Absolute path. */
	readonly cwd: string;
	/** Without one, the `task` tool says that delegation is not available (S-050). */
	readonly [DELEGATE_HANDLE_KEY]?: DelegateRunner;
	/** Why there is no runner; shown to the model. */
	readonly delegateUnavailable?: string;
}

/**
 * The full deck for a folder, in a fixed order: reading tools, an own task list, and `task`, which is always there
 * (S-049). Each call makes a read state and a task list of its own. Rejects only when the runner's `listAgents` does.
 */
export async function provisionToolDeck(context: ToolDeckContext): Promise<readonly Tool[]> {
	const readState = createReadState();
	const files = { root: context.cwd, readState };
	const universe = createFileUniverse(files);
	const unavailable = context.delegateUnavailable === undefined ? {} : { unavailable: context.delegateUnavailable };
	return [
		createReadFile(files),
		createGlob(universe),
		createGrep(files, universe),
		...createTaskListTools(),
		await createTaskTool({ runner: context[DELEGATE_HANDLE_KEY], ...unavailable }),
	];
}
