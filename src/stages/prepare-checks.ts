import type { LanguageProfile } from "../agents/experts/language-profile.ts";
import { findLanguage } from "../agents/experts/table.ts";
import { type CheckFolder, findCheckFolders } from "../checks/find-check-folders.ts";
import { runChecks, type RunChecksOptions } from "../checks/run-checks.ts";
import type { LanguageChecks } from "../domain/checks.ts";
import type { Sha } from "../domain/ids.ts";
import type { TeamPolicy } from "../domain/team-policy.ts";
import type { RunChecks } from "../fix/prove-patch.ts";
import { findDenial } from "../guard/denied-command.ts";
import { createPathRules } from "../guard/path-rules.ts";
import type { WorkspaceProvider } from "../seams.ts";
import { openCommandRunner } from "./open-command-runner.ts";
import type { RunSandbox } from "./run-sandbox.ts";

/** A language and a folder whose checks cover something that a patch changes. */
export interface PlannedCheck {
	readonly profile: LanguageProfile;
	readonly folder: CheckFolder;
}

/** The checks that cover changed files, by language in the order of the table; each folder once. What the policy denies is left out. */
export function planChecks(
	profiles: readonly LanguageProfile[],
	changed: readonly string[],
	headFiles: readonly string[],
	policy: Pick<TeamPolicy, "denyCommands">,
): readonly PlannedCheck[] {
	return profiles
		.map((profile) => withoutDenied(profile, policy))
		.flatMap((profile) => {
			const own = changed.filter((path) => findLanguage(path, profiles)?.profile.id === profile.id);
			return own.length === 0 ? [] : findCheckFolders(profile, headFiles, own).map((folder) => ({ profile, folder }));
		});
}

function withoutDenied(profile: LanguageProfile, { denyCommands }: Pick<TeamPolicy, "denyCommands">): LanguageProfile {
	if (denyCommands.length === 0) return profile;
	const isDenied = (command: string): boolean => findDenial(command, { denyCommands }) !== undefined;
	return {
		...profile,
		checkCommands: profile.checkCommands.filter(({ command }) => !isDenied(command)),
		testCommand: (files) => {
			const command = profile.testCommand(files);
			return command === undefined || isDenied(command) ? undefined : command;
		},
	};
}

export interface ChecksInput {
	readonly planned: readonly PlannedCheck[];
	readonly head: Sha;
	/** Paths of the tree at the head. */
	readonly headFiles: readonly string[];
	/** Trees of the head. */
	readonly workspaces: WorkspaceProvider;
	readonly sandbox: RunSandbox;
	readonly policy: Pick<TeamPolicy, "denyPaths" | "protectedPaths">;
	/** Names of the setting `sandbox.dependencies`. */
	readonly dependencies: readonly string[];
	readonly signal: AbortSignal;
	readonly onProblem: (text: string) => void;
	/** Begins the names of the trees. Default `check`. */
	readonly session?: string;
	readonly only?: RunChecksOptions["only"];
	readonly timeoutSeconds?: number;
}

/**
 * The checks before and after a patch, each in a fresh tree behind the sandbox's walls: what one run leaves, the other
 * does not see. Reject only for a tree that cannot be made and for a run that was cancelled.
 */
export function prepareChecks(input: ChecksInput, patch: Buffer): { readonly before: RunChecks; readonly after: RunChecks } {
	return { before: () => runIn(input, "before"), after: () => runIn(input, "after", patch) };
}

async function runIn(input: ChecksInput, when: string, patch?: Buffer): Promise<readonly LanguageChecks[]> {
	const { planned, head, headFiles, policy, dependencies, signal, onProblem, only, timeoutSeconds } = input;
	const session = `${input.session ?? "check"}-${when}`;
	if (planned.length === 0) return [];
	await using workspace = await input.workspaces.open({ kind: "own", session, ...(patch === undefined ? {} : { patch }) });
	const paths = createPathRules(policy);
	await using runner = openCommandRunner(input.sandbox, {
		...{ root: workspace.root, head, mergeBase: head, writable: true, denyPaths: policy.denyPaths, dependencies, onProblem },
		hiddenPaths: async () => headFiles.filter((path) => paths.hiddenBy(path) !== undefined),
		...(workspace.git === undefined ? {} : { git: workspace.git }),
	});
	const results: LanguageChecks[] = [];
	for (const { profile, folder } of planned) {
		results.push(
			await runChecks(profile, folder, runner, {
				signal,
				...(only === undefined ? {} : { only }),
				...(timeoutSeconds === undefined ? {} : { timeoutSeconds }),
			}),
		);
		signal.throwIfAborted();
	}
	return results;
}
