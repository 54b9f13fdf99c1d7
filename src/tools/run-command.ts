import * as z from "zod";
import type { CommandRun, Tool, ToolOutput } from "../seams.ts";
import { explainEnd } from "./shell/explain-end.ts";
import type { ShellTable } from "./shell/shell-table.ts";

/** Not one of the deck: no model is ever offered it, and no agent file can name it. */
export const RUN_COMMAND = "run_command";

const MAX_STDOUT = 4 * 1024 * 1024;
const SLACK_SECONDS = 10;

const schema = z.strictObject({ command: z.string().min(1).max(100_000), timeoutMs: z.number().min(1) });

/**
 * What `bash` is for a model, for the run itself: one command with its whole standard output. `data` is a `CommandRun`.
 * The sandboxed process has it beside the shell tools, over the same table of commands and the same limits.
 */
export function createRunCommand(shells: ShellTable): Tool {
	const { limits } = shells;
	return {
		spec: { name: RUN_COMMAND, description: "Run a check.", inputSchema: { type: "object" } },
		effect: "execute",
		timeoutMs: (limits.maxSeconds + SLACK_SECONDS) * 1000,
		parse(input) {
			const parsed = schema.safeParse(input);
			return parsed.success ? { ok: true, value: parsed.data } : { ok: false, error: parsed.error.message };
		},
		async run(input, signal): Promise<ToolOutput> {
			const { command: line, timeoutMs } = input as z.output<typeof schema>;
			const chunks: Buffer[] = [];
			let size = 0;
			const command = shells.start(line, (chunk) => {
				if (size < MAX_STDOUT) chunks.push(chunk.subarray(0, MAX_STDOUT - size));
				size += chunk.length;
			});
			const timer = setTimeout(() => command.stop("timed out"), Math.min(timeoutMs, limits.maxSeconds * 1000));
			const cancel = (): void => command.stop("cancelled");
			if (signal.aborted) cancel();
			signal.addEventListener("abort", cancel, { once: true });
			const end = await command.ended;
			clearTimeout(timer);
			signal.removeEventListener("abort", cancel);
			const output = command.output.render();
			const explained = explainEnd(end, output);
			const run: CommandRun = {
				exitCode: end.stopped === undefined ? end.exitCode : null,
				...(end.stopped === undefined ? {} : { stopped: end.stopped }),
				...(end.stopped === undefined && end.exitCode === null && end.signal === null ? { startError: output.trim() } : {}),
				stdout: Buffer.concat(chunks).toString("utf8").toWellFormed(),
				output,
				note: explained.note.replace(/^\[|\]$/g, ""),
				...(explained.code === undefined ? {} : { code: explained.code }),
				durationMs: Math.round(end.durationMs),
			};
			return { content: explained.note, data: run };
		},
	};
}
