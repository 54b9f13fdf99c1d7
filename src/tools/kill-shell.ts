import * as z from "zod";
import type { Tool, ToolOutput } from "../seams.ts";
import { describeCommand } from "./bash.ts";
import { unknownShell } from "./bash-output.ts";
import { defineTool } from "./define-tool.ts";
import type { ShellTable } from "./shell/shell-table.ts";

const schema = z.strictObject({ shell: z.string().min(1) });

/** Ends a background command with everything in its group. */
export function createKillShell(shells: ShellTable): Tool {
	return defineTool({
		name: "kill_shell",
		description: "End a background command.",
		schema,
		effect: "execute",
		timeoutMs: 10_000,
		async run(input): Promise<ToolOutput> {
			const command = shells.find(input.shell);
			if (command === undefined) return { content: unknownShell(input.shell, shells), isError: true };
			command.stop("killed");
			const end = await command.ended;
			const { data, content } = describeCommand(command.output.takeNew(), end);
			return { content, data };
		},
	});
}
