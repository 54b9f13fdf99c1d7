import type { ReasonCode } from "../domain/errors.ts";
import type { Sha } from "../domain/ids.ts";
import type { TeamPolicy } from "../domain/team-policy.ts";
import { createPathRules } from "../guard/path-rules.ts";
import type { CommandRunner, WorkspaceChanges, WorkspaceProvider } from "../seams.ts";
import { openCommandRunner } from "./open-command-runner.ts";
import type { RunSandbox } from "./run-sandbox.ts";

/** What a job's work leaves behind. */
export type MadeChange =
	| { readonly kind: "made"; readonly changes: WorkspaceChanges | undefined; readonly report: string; readonly costUsd: number | null }
	/** It cannot be done here: no model, for example. */
	| { readonly kind: "left"; readonly reason: string; readonly code?: ReasonCode; readonly costUsd: number | null }
	| { readonly kind: "failed"; readonly reason: string; readonly costUsd: number | null };

export interface CommandsInput {
	readonly commands: readonly string[];
	/** Commit that they work on, and the paths it has. */
	readonly head: Sha;
	readonly headFiles: readonly string[];
	readonly session: string;
	readonly workspaces: WorkspaceProvider;
	readonly sandbox: RunSandbox;
	/** Runs the commands where some hosts can be reached; absent: in the sandbox, without a network. */
	readonly openNetworkRunner?: (tree: {
		readonly root: string;
		readonly hiddenPaths: readonly string[];
	}) => Promise<CommandRunner & AsyncDisposable>;
	readonly policy: Pick<TeamPolicy, "denyPaths" | "protectedPaths">;
	readonly dependencies: readonly string[];
	readonly signal: AbortSignal;
	readonly onProblem: (text: string) => void;
}

const COMMAND_TIMEOUT_MS = 600_000;
const SAID_CHARS = 400;

/**
 * Runs a job's commands one after the other in a tree of their own behind the sandbox's walls, and takes what they have
 * changed. A tool that goes over all files may touch protected ones, too: those are left out of the change later (BR-50). A command that ends with another code than 0 ends the job: half of a list is no change anybody asked for.
 * Rejects for a tree that cannot be made or read, and for a run that was cancelled.
 */
export async function changeByCommands(input: CommandsInput): Promise<MadeChange> {
	const { commands, head, headFiles, policy, dependencies, signal, onProblem } = input;
	const paths = createPathRules(policy);
	await using workspace = await input.workspaces.open({ kind: "own", session: input.session });
	{
		const hiddenPaths = headFiles.filter((path) => paths.hiddenBy(path) !== undefined);
		await using runner =
			(await input.openNetworkRunner?.({ root: workspace.root, hiddenPaths })) ??
			openCommandRunner(input.sandbox, {
				...{ root: workspace.root, head, mergeBase: head, writable: true, denyPaths: policy.denyPaths, dependencies, onProblem },
				hiddenPaths: async () => hiddenPaths,
				...(workspace.git === undefined ? {} : { git: workspace.git }),
			});
		for (const command of commands) {
			const run = await runner.run(command, { timeoutMs: COMMAND_TIMEOUT_MS, signal });
			signal.throwIfAborted();
			if (run.exitCode !== 0) {
				return { kind: "failed", reason: `the command ${JSON.stringify(command)} ${describeEnd(run)}`, costUsd: 0 };
			}
		}
	}
	return { kind: "made", changes: await workspace.readChanges?.(), report: "", costUsd: 0 };
}

function describeEnd(run: { readonly exitCode: number | null; readonly note: string; readonly output: string }): string {
	const how = run.exitCode === null ? `did not end by itself (${run.note})` : `ended with exit code ${run.exitCode}`;
	const said = run.output.trim().slice(-SAID_CHARS).replace(/\s+/g, " ").toWellFormed();
	return said === "" ? how : `${how}: ${said}`;
}
