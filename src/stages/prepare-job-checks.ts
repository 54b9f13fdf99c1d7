import { runCheck } from "../checks/run-checks.ts";
import type { CheckOutcome, CheckResult, LanguageChecks } from "../domain/checks.ts";
import type { RunChecks } from "../fix/prove-patch.ts";
import { createPathRules } from "../guard/path-rules.ts";
import { openCommandRunner } from "./open-command-runner.ts";
import type { ChecksInput } from "./prepare-checks.ts";

/** Commands that somebody wrote down to prove a change by, instead of the tests of its languages. */
export interface JobChecksInput extends Omit<ChecksInput, "planned"> {
	readonly commands: readonly string[];
}

const WORST: readonly CheckOutcome[] = ["failed", "timed out", "not installed", "not run", "passed"];

/** The named commands before and after a patch, each time in a fresh tree. They count as tests: red is red. */
export function prepareJobChecks(input: JobChecksInput, patch: Buffer): { readonly before: RunChecks; readonly after: RunChecks } {
	return { before: () => runIn(input, "check-before"), after: () => runIn(input, "check-after", patch) };
}

async function runIn(input: JobChecksInput, session: string, patch?: Buffer): Promise<readonly LanguageChecks[]> {
	const { commands, head, headFiles, policy, dependencies, signal, onProblem } = input;
	if (commands.length === 0) return [];
	await using workspace = await input.workspaces.open({ kind: "own", session, ...(patch === undefined ? {} : { patch }) });
	const paths = createPathRules(policy);
	await using runner = openCommandRunner(input.sandbox, {
		...{ root: workspace.root, head, mergeBase: head, writable: true, denyPaths: policy.denyPaths, dependencies, onProblem },
		hiddenPaths: async () => headFiles.filter((path) => paths.hiddenBy(path) !== undefined),
		...(workspace.git === undefined ? {} : { git: workspace.git }),
	});
	const folder = { path: "", files: new Set(headFiles) };
	const results: CheckResult[] = [];
	for (const command of commands) {
		results.push(await runCheck("tests", command, folder, runner, { signal, timeoutSeconds: CHECK_SECONDS }));
		signal.throwIfAborted();
	}
	const outcome = WORST.find((each) => results.some((result) => result.outcome === each)) ?? "not run";
	return [{ language: "job", folder: "", outcome, results }];
}

const CHECK_SECONDS = 600;
