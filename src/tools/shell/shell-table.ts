import type { CommandLimits } from "../../domain/worker-protocol.ts";
import { type RunningCommand, startCommand } from "./start-command.ts";
import { watchProcesses } from "./watch-processes.ts";

/** All commands of one child. */
export interface ShellTable extends Disposable {
	readonly limits: CommandLimits;
	/** `onStdout` is told of each piece of standard output. */
	start(command: string, onStdout?: (chunk: Buffer) => void): RunningCommand;
	/** Gives a command a name by which the other tools find it; undefined when too many run. */
	keep(command: RunningCommand): string | undefined;
	find(name: string): RunningCommand | undefined;
	names(): readonly string[];
}

const MAX_KEPT = 8;

export interface ShellOptions {
	/** Folder in which commands start. */
	readonly root: string;
	readonly limits: CommandLimits;
	/** All that commands see; this process's own when absent, so outside a sandbox it must be given. */
	readonly environment?: Readonly<Record<string, string>>;
	/**
	 * Ends every other process of this PID namespace. Only given inside a sandbox: there it also reaches what has left its
	 * group, and whatever a limit has to stop.
	 */
	readonly endAllOthers?: () => void;
}

export function createShellTable(options: ShellOptions): ShellTable {
	const { limits, endAllOthers } = options;
	const running = new Set<RunningCommand>();
	const kept = new Map<string, RunningCommand>();
	let count = 0;
	let watch: { stop(): void } | undefined;

	const onEnd = (command: RunningCommand): void => {
		running.delete(command);
		if (running.size > 0) return;
		watch?.stop();
		watch = undefined;
		// With no command left, what is still there has run away from one.
		endAllOthers?.();
	};
	return {
		limits,
		start(line, onStdout) {
			const command = startCommand(line, { folder: options.root, limits, onStdout, environment: options.environment });
			running.add(command);
			if (endAllOthers !== undefined) {
				watch ??= watchProcesses(limits, (name) => {
					for (const each of running) each.stop(name);
					endAllOthers();
				});
			}
			void command.ended.then(() => onEnd(command));
			return command;
		},
		keep(command) {
			const alive = [...kept.values()].filter((each) => running.has(each)).length;
			if (alive >= MAX_KEPT) return undefined;
			count += 1;
			const name = `shell_${count}`;
			kept.set(name, command);
			return name;
		},
		find: (name) => kept.get(name),
		names: () => [...kept.keys()],
		[Symbol.dispose]: () => {
			watch?.stop();
			for (const command of running) command.stop("killed");
			endAllOthers?.();
		},
	};
}
