import * as z from "zod";
import type { Tool, ToolOutput } from "../seams.ts";
import { defineTool } from "./define-tool.ts";
import { explainEnd } from "./shell/explain-end.ts";
import type { ShellTable } from "./shell/shell-table.ts";
import type { RunningCommand } from "./shell/start-command.ts";

const schema = z.strictObject({
	command: z.string().min(1).max(20_000),
	timeoutSeconds: z.number().min(1).optional(),
	background: z.boolean().optional(),
});

/** More than any command may take, so that its own limit ends it and not the engine's. */
const SLACK_SECONDS = 10;

/**
 * Runs a command line in the sandbox's shell. Each call is a shell of its own; what it leaves running is ended with it,
 * unless it was started in the background. Only made where a sandbox is (E_SANDBOX) and never in tier T0.
 */
export function createBash(shells: ShellTable): Tool {
	const { limits } = shells;
	return defineTool({
		name: "bash",
		description: `Run a command in bash at the repository's root; no network. Ends after ${limits.defaultSeconds} s unless timeoutSeconds (at most ${limits.maxSeconds}).`,
		schema,
		effect: "execute",
		timeoutMs: (limits.maxSeconds + SLACK_SECONDS) * 1000,
		mend: mendBashNames,
		async run(input, signal): Promise<ToolOutput> {
			const command = shells.start(input.command);
			if (input.background === true) return startInBackground(command, shells);
			const seconds = Math.min(input.timeoutSeconds ?? limits.defaultSeconds, limits.maxSeconds);
			const timer = setTimeout(() => command.stop("timed out"), seconds * 1000);
			const cancel = (): void => command.stop("cancelled");
			signal.addEventListener("abort", cancel, { once: true });
			const end = await command.ended;
			clearTimeout(timer);
			signal.removeEventListener("abort", cancel);
			return describeCommand(command.output.render(), end);
		},
	});
}

export function describeCommand(text: string, end: Awaited<RunningCommand["ended"]>): ToolOutput {
	const explained = explainEnd(end, text);
	return {
		content: text.trim() === "" ? explained.note : `${text.replace(/\n+$/, "")}\n${explained.note}`,
		...(explained.isError ? { isError: true } : {}),
		...(explained.code === undefined ? {} : { code: explained.code }),
		data: {
			exitCode: end.exitCode,
			durationMs: Math.round(end.durationMs),
			...(end.stopped === undefined ? {} : { stopped: end.stopped }),
		},
	};
}

function startInBackground(command: RunningCommand, shells: ShellTable): ToolOutput {
	const name = shells.keep(command);
	if (name !== undefined)
		return { content: `Started as ${name}. Read it with bash_output, end it with kill_shell.`, data: { shell: name } };
	command.stop("killed");
	return { content: "Not started: too many commands run in the background. End one with kill_shell.", isError: true, code: "E_LIMIT" };
}

/** Models know `timeout` in milliseconds and `run_in_background`; a description is for people and not needed. */
function mendBashNames(input: unknown): unknown {
	if (typeof input !== "object" || input === null || Array.isArray(input)) return input;
	const { timeout, run_in_background: background, description: _description, ...rest } = input as Record<string, unknown>;
	return Object.fromEntries(
		Object.entries({
			...(typeof timeout === "number" ? { timeoutSeconds: Math.max(1, timeout / 1000) } : {}),
			...(background === undefined ? {} : { background }),
			...rest,
		}).filter(([, value]) => value !== null),
	);
}
