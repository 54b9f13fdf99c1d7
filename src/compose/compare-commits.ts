import { changeSetFromHost } from "../context/change-set-from-host.ts";
import { resolveRunContext } from "../context/resolve-run-context.ts";
import { UserError } from "../domain/errors.ts";
import type { RunContext } from "../domain/run-context.ts";
import type { PullRequestFacts } from "../domain/trigger.ts";
import type { GitHostReader } from "../seams.ts";
import type { PipelineSeams } from "../stages/pipeline-seams.ts";
import type { OpenedRun } from "./open-run.ts";

export interface ComparedCommits {
	readonly commits: Pick<RunContext, "base" | "head" | "mergeBase" | "notes">;
	/** Replaces git's diff where there is none. */
	readonly overrides: Partial<Pick<PipelineSeams, "loadChangeSet" | "reader">>;
}

/**
 * The three commits of a pull request. Where the clone has no merge base even after it was completed, the API's own
 * three-dot diff is used; a two-dot diff never is (BR-46). Throws a UserError when neither can be had.
 */
export async function compareCommits(run: OpenedRun, pullRequest: PullRequestFacts, reader: GitHostReader): Promise<ComparedCommits> {
	const comparison = await resolveRunContext(run.seams.history, { kind: "pull-request", pullRequest });
	if (comparison.ok) return { commits: comparison, overrides: {} };
	if (comparison.kind !== "no-merge-base") {
		throw new UserError(`${comparison.reason}; ${comparison.advice}`, comparison.code === undefined ? {} : { code: comparison.code });
	}
	const { base, head } = { base: pullRequest.base.sha, head: pullRequest.head.sha };
	const files = await reader.pullRequestFiles(pullRequest.number);
	const told = changeSetFromHost(files, { base, head }, pullRequest.changedFiles);
	const patches = new Map(told.patches.map((patch) => [patch.path, patch]));
	const notes = [
		...comparison.notes,
		`${comparison.reason}; the diff comes from GitHub's API instead.`,
		...(told.note === undefined ? [] : [told.note]),
	];
	return {
		commits: { base, head, mergeBase: base, notes },
		overrides: {
			loadChangeSet: async () => told.changeSet,
			reader: {
				...run.seams.reader,
				patches: async (_mergeBase, _head, changed) => changed.flatMap((file) => patches.get(file.path) ?? []),
			},
		},
	};
}
