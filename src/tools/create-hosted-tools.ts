import type { Tool } from "../seams.ts";
import { createBash } from "./bash.ts";
import { createBashOutput } from "./bash-output.ts";
import { createEditFile } from "./edit-file.ts";
import { createKillShell } from "./kill-shell.ts";
import { createMultiEdit } from "./multi-edit.ts";
import { createRunCommand } from "./run-command.ts";
import { createShellTable, type ShellOptions, type ShellTable } from "./shell/shell-table.ts";
import type { ToolContext } from "./tool-context.ts";
import { withEditDiagnosis } from "./with-edit-diagnosis.ts";
import { createWriteFile } from "./write-file.ts";

/** The tools that change files, in their fixed order. Behind the gate they exist in fix mode alone. */
export function createWriteTools(context: ToolContext): Tool[] {
	return [createEditFile(context), createMultiEdit(context), createWriteFile(context)].map((tool) => withEditDiagnosis(tool, context));
}

/** The three shell tools over one table of commands; dispose it with the child. */
export function createShellTools(options: ShellOptions): { readonly tools: readonly Tool[]; readonly shells: ShellTable } {
	const shells = createShellTable(options);
	return { tools: [createBash(shells), createBashOutput(shells), createKillShell(shells)], shells };
}

/** The shell tools and what the run itself uses beside them; only the sandboxed process has both. */
export function createSandboxShellTools(options: ShellOptions): readonly Tool[] {
	const { tools, shells } = createShellTools(options);
	return [...tools, createRunCommand(shells)];
}
