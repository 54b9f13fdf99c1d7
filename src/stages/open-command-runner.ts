import { DEFAULT_COMMAND_LIMITS } from "../domain/worker-protocol.ts";
import type { CommandRun, CommandRunner, Tool } from "../seams.ts";
import { createRunCommand } from "../tools/run-command.ts";
import { quoteForShell } from "../domain/quote-for-shell.ts";
import { createShellTable } from "../tools/shell/shell-table.ts";
import type { RunSandbox, SandboxedChild } from "./run-sandbox.ts";

/** The tree that commands run in, and what they may not see of it. */
export type CommandTree = Pick<
	SandboxedChild,
	"root" | "head" | "mergeBase" | "git" | "denyPaths" | "writable" | "hiddenPaths" | "readOnlyPaths" | "dependencies" | "onProblem"
>;

/**
 * Runs commands of the run itself (checks, tests) in a tree, in a sandboxed process that the first command starts and
 * that lives until this is disposed: what one command leaves below /tmp, such as a build cache, is there for the next.
 * There is no other way to run them: without a sandbox each command ends with a `startError` (A76).
 */
export function openCommandRunner(sandbox: RunSandbox, tree: CommandTree): CommandRunner & AsyncDisposable {
	const shape: Tool = createRunCommand(createShellTable({ root: tree.root, limits: DEFAULT_COMMAND_LIMITS }));
	const worker = sandbox.openWorker({
		...tree,
		tools: [shape],
		changedFiles: [],
		commands: DEFAULT_COMMAND_LIMITS,
		answers: { readPatches: async () => [], readBase: async () => undefined, isVisible: () => false },
	});
	return {
		async run(command, { timeoutMs, folder = "", signal }) {
			const line = folder === "" || folder === "." ? command : `cd -- ${quoteForShell(folder)} || exit 125\n${command}`;
			const tool = worker.tools[0];
			if (tool === undefined) return notStarted("the sandbox has no shell");
			const output = await tool.run({ command: line, timeoutMs }, signal ?? new AbortController().signal);
			return isCommandRun(output.data) ? output.data : notStarted(output.content);
		},
		[Symbol.asyncDispose]: () => worker[Symbol.asyncDispose](),
	};
}

function notStarted(reason: string): CommandRun {
	return { exitCode: null, startError: reason, stdout: "", output: "", note: reason, durationMs: 0 };
}

/** The sandboxed process may have been taken over, so its answer is looked at before it is used. */
function isCommandRun(data: unknown): data is CommandRun {
	if (typeof data !== "object" || data === null) return false;
	const run = data as Record<string, unknown>;
	return (
		(run["exitCode"] === null || Number.isInteger(run["exitCode"])) &&
		["stdout", "output", "note"].every((key) => typeof run[key] === "string") &&
		["stopped", "startError", "code"].every((key) => run[key] === undefined || typeof run[key] === "string") &&
		typeof run["durationMs"] === "number"
	);
}
