import { findLanguage } from "../agents/experts/table.ts";
import type { LanguageProfile } from "../agents/experts/language-profile.ts";
import type { CheckRun } from "../domain/patch.ts";
import type { RunChecks } from "../fix/prove-patch.ts";
import type { Clock, WorkspaceProvider } from "../seams.ts";
import type { RunSandbox } from "./run-sandbox.ts";

/** Longest time of one check; a suite that needs more is for the repository's own CI. */
const CHECK_TIMEOUT_MS = 600_000;
const OUTPUT_CHARS = 4_000;

/** The test command of each language that a change touches, in the order of the table. Each runs once. */
export function listChecks(
	profiles: readonly LanguageProfile[],
	changed: readonly string[],
	headFiles: ReadonlySet<string>,
): readonly string[] {
	const touched = new Set(changed.map((path) => findLanguage(path, profiles)?.profile.id));
	const commands = profiles.filter((profile) => touched.has(profile.id)).map((profile) => profile.testCommand(headFiles));
	return [...new Set(commands.filter((command) => command !== undefined))];
}

export interface ChecksInput {
	readonly commands: readonly string[];
	/** Trees of the commit that the patch is for. */
	readonly workspaces: WorkspaceProvider;
	readonly sandbox: Pick<RunSandbox, "commandRunner">;
	/** Names of the setting `sandbox.dependencies`. */
	readonly dependencies: readonly string[];
	readonly clock: Pick<Clock, "now">;
	readonly signal: AbortSignal;
	readonly redact: (text: string) => string;
}

/** The checks before and after a patch, each in a fresh tree behind the sandbox's walls: what one run leaves, the other does not see. */
export function prepareChecks(input: ChecksInput, patch: Buffer): { readonly before: RunChecks; readonly after: RunChecks } {
	return { before: () => runIn(input, "check-before"), after: () => runIn(input, "check-after", patch) };
}

async function runIn(input: ChecksInput, session: string, patch?: Buffer): Promise<readonly CheckRun[]> {
	if (input.commands.length === 0) return [];
	await using workspace = await input.workspaces.open({ kind: "own", session, ...(patch === undefined ? {} : { patch }) });
	const run = input.sandbox.commandRunner(workspace, { dependencies: input.dependencies });
	const runs: CheckRun[] = [];
	for (const command of input.commands) {
		input.signal.throwIfAborted();
		const startedAt = input.clock.now();
		const exit = await run({ command, input: "", folder: workspace.root, timeoutMs: CHECK_TIMEOUT_MS }, input.signal);
		input.signal.throwIfAborted();
		runs.push({ command, ...readExit(exit, input.redact), durationMs: Math.max(0, input.clock.now() - startedAt) });
	}
	return runs;
}

type Exit = Awaited<ReturnType<ReturnType<RunSandbox["commandRunner"]>>>;

function readExit(exit: Exit, redact: (text: string) => string): Pick<CheckRun, "outcome" | "output"> {
	if (exit.kind === "timed-out") return { outcome: "timed-out", output: `did not end within ${exit.seconds} s` };
	if (exit.kind === "failed") return { outcome: "not-installed", output: `could not be started: ${redact(exit.reason)}` };
	const output = redact(tail(`${exit.stdout}\n${exit.stderr}`.trim()));
	// 126 and 127 are the shell's own: there is no such program, or it cannot be run.
	if (exit.code === 127 || exit.code === 126) return { outcome: "not-installed", output: `is not installed here (${lastLine(output)})` };
	return { outcome: exit.code === 0 ? "passed" : "failed", output };
}

function tail(text: string): string {
	return text.length <= OUTPUT_CHARS ? text : `…${text.slice(-OUTPUT_CHARS).toWellFormed()}`;
}

function lastLine(text: string): string {
	return text.split("\n").at(-1)?.trim() ?? "";
}
