import { mkdirSync, readdirSync, writeFileSync, mkdtempSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { DEFAULT_COMMAND_LIMITS } from "../../src/domain/worker-protocol.ts";
import type { CommandRun, CommandRunner } from "../../src/seams.ts";
import { createRunCommand } from "../../src/tools/run-command.ts";
import { createShellTable } from "../../src/tools/shell/shell-table.ts";

export interface TestTree extends Disposable {
	readonly root: string;
	/** All files, relative, in byte order. */
	files(): readonly string[];
	/** Command lines as they were run. */
	readonly lines: readonly string[];
	readonly runner: CommandRunner;
}

/** A folder with the given files and a runner of plain processes in it: no walls, for trees that the test wrote itself. */
export function makeTree(files: Readonly<Record<string, string>>): TestTree {
	const root = mkdtempSync(path.join(os.tmpdir(), "rookery-checks-"));
	for (const [name, content] of Object.entries(files)) {
		mkdirSync(path.dirname(path.join(root, name)), { recursive: true });
		writeFileSync(path.join(root, name), content, { mode: content.startsWith("#!") ? 0o755 : 0o644 });
	}
	const lines: string[] = [];
	return {
		root,
		lines,
		files: () =>
			readdirSync(root, { recursive: true, withFileTypes: true })
				.filter((entry) => entry.isFile())
				.map((entry) => path.relative(root, path.join(entry.parentPath, entry.name)))
				.sort(),
		runner: {
			async run(command, { timeoutMs, folder = "", signal }) {
				lines.push(command);
				const tool = createRunCommand(createShellTable({ root: path.join(root, folder), limits: DEFAULT_COMMAND_LIMITS }));
				const output = await tool.run({ command, timeoutMs }, signal ?? new AbortController().signal);
				return output.data as CommandRun;
			},
		},
		[Symbol.dispose]: () => rmSync(root, { recursive: true, force: true }),
	};
}
