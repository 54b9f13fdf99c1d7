import * as z from "zod";
import type { Tool, ToolOutput } from "../seams.ts";
import { describeCommand } from "./bash.ts";
import { defineTool } from "./define-tool.ts";
import type { ShellTable } from "./shell/shell-table.ts";

const schema = z.strictObject({ shell: z.string().min(1) });

/** What a background command has printed since the last call, and how it ended if it has. */
export function createBashOutput(shells: ShellTable): Tool {
	return defineTool({
		name: "bash_output",
		description: "New output of a background command.",
		schema,
		effect: "execute",
		timeoutMs: 10_000,
		async run(input): Promise<ToolOutput> {
			const command = shells.find(input.shell);
			if (command === undefined) return { content: unknownShell(input.shell, shells), isError: true };
			const end = await Promise.race([command.ended, Promise.resolve(undefined)]);
			const text = command.output.takeNew();
			if (end !== undefined) return describeCommand(text, end);
			return { content: text === "" ? "[running, nothing new]" : `${text.replace(/\n+$/, "")}\n[running]` };
		},
	});
}

export function unknownShell(name: string, shells: ShellTable): string {
	return `There is no ${name}. Known: ${shells.names().join(", ") || "none"}.`;
}
