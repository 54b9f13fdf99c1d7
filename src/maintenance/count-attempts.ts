import type { HostWorkflowRun } from "../seams.ts";

/**
 * How often this very job has been started on its commit, this time included: runs of the same workflow for the same
 * event and under the same title, each with the times it was started again. Undefined when this run is not in the list.
 */
export function countAttempts(
	runs: readonly HostWorkflowRun[],
	now: { readonly run: string; readonly attempt: number },
): number | undefined {
	const own = runs.find((run) => String(run.id) === now.run);
	if (own === undefined) return undefined;
	const earlier = runs.filter(
		(run) => run.id < own.id && run.workflow === own.workflow && run.event === own.event && run.title === own.title,
	);
	return earlier.reduce((sum, run) => sum + run.attempt, now.attempt);
}
