import type { ToolName } from "../domain/agent.ts";
import type { ChangedFile } from "../domain/change-set.ts";
import type { Sha } from "../domain/ids.ts";
import type { CommandLimits } from "../domain/worker-protocol.ts";
import type { RunHookCommand } from "../guard/hooks.ts";
import type { Tool, ToolWorker, Workspace } from "../seams.ts";
import type { ToolContext } from "../tools/tool-context.ts";

/** What the probe of this machine said. `fix` is what would help. */
export type SandboxState =
	| { readonly available: true; readonly name: string; readonly checks: readonly string[] }
	| { readonly available: false; readonly reason: string; readonly fix: string };

/** One child whose tools run in a process of their own. */
export interface SandboxedChild {
	/** All its tools in the order of its requests; those without an effect on the tree run here. */
	readonly tools: readonly Tool[];
	readonly root: string;
	readonly head: Sha;
	readonly mergeBase: Sha;
	readonly changedFiles: readonly ChangedFile[];
	readonly assignedPaths?: readonly string[];
	/** Globs of the policy. */
	readonly denyPaths: readonly string[];
	readonly writable: boolean;
	/** Bounds of commands; absent where none may run. */
	readonly commands?: CommandLimits;
	/** Read-only view of the history for commands. */
	readonly git?: { readonly gitDirectory: string; readonly commonDirectory: string };
	/** Paths that no process may see; asked for when the process starts. */
	hiddenPaths?(): Promise<readonly string[]>;
	/** Paths that stay as they are in a writable tree. */
	readOnlyPaths?(): Promise<readonly string[]>;
	/** Names of the setting `sandbox.dependencies`. */
	readonly dependencies?: readonly string[];
	readonly answers: Pick<ToolContext, "readPatches" | "readBase" | "listFiles" | "readHistory"> & { isVisible(path: string): boolean };
	/** Told of a process that died and of a folder that was not mounted. */
	onProblem(text: string): void;
}

/** The sandbox of this machine as the stages see it. */
export interface RunSandbox {
	/** Tries the walls once a run; the same answer for everybody who asks. Never rejects. */
	probe(): Promise<SandboxState>;
	/**
	 * Tools that run in a sandboxed process, started by their first call. Where no sandbox can be had, those that read run
	 * here behind their descriptor checks, and those that execute or write are refused (A76).
	 */
	openWorker(child: SandboxedChild): ToolWorker;
	/** Runs hooks of the trusted ref in a child's tree; only asked for once the probe has passed. */
	hookRunner(workspace: Pick<Workspace, "root" | "kind" | "git">): RunHookCommand;
}

/** Shell tools in their fixed order. */
export const SHELL_TOOLS: readonly ToolName[] = ["bash", "bash_output", "kill_shell"];
