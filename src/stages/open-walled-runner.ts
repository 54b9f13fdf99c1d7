import { DEFAULT_COMMAND_LIMITS } from "../domain/worker-protocol.ts";
import type { CommandRun, CommandRunner, CommandWalls } from "../seams.ts";
import { createRunCommand } from "../tools/run-command.ts";
import { quoteForShell } from "../domain/quote-for-shell.ts";
import { createShellTable } from "../tools/shell/shell-table.ts";

/**
 * Runs commands in a tree behind walls that another program puts up. Each command gets its own; the limits of all other
 * commands hold here, too. Disposing it takes the walls down.
 */
export function openWalledRunner(root: string, walls: CommandWalls & AsyncDisposable): CommandRunner & AsyncDisposable {
	const { environment, program } = walls;
	const shells = createShellTable({ root, limits: DEFAULT_COMMAND_LIMITS, environment });
	const tool = createRunCommand(shells);
	return {
		async run(command, { timeoutMs, folder = ".", signal }) {
			const inner = `mkdir -p "$HOME" && cd -- ${quoteForShell(folder)} || exit 125\n${command}`;
			const line = `exec ${[...program, inner].map(quoteForShell).join(" ")}`;
			const output = await tool.run({ command: line, timeoutMs }, signal ?? new AbortController().signal);
			return output.data as CommandRun;
		},
		async [Symbol.asyncDispose]() {
			shells[Symbol.dispose]();
			await walls[Symbol.asyncDispose]();
		},
	};
}
