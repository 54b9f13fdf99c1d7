import type { OutboxHead } from "../domain/outbox.ts";
import type { PullRequestFacts } from "../domain/trigger.ts";
import { pinBase } from "../stages/outbox/check-outboxes.ts";
import { refuse } from "../stages/outbox/parse-outbox.ts";
import type { StartedRun } from "./review-job.ts";

/**
 * The pull request at the commits that were planned, or the reason why they are no longer worth any work. Throws a
 * UserError for a plan of another run or pull request, and for a base that the base branch never had.
 */
export async function pinCommits(
	started: StartedRun,
	pinned: Pick<OutboxHead, "run" | "pullRequest" | "base" | "head">,
	run: string,
): Promise<{ readonly pullRequest?: PullRequestFacts; readonly stale?: string }> {
	const now = started.pullRequest;
	if (pinned.run !== run) throw refuse(`plan: run: found ${pinned.run}, wanted ${run}`);
	if (pinned.pullRequest !== now.number) throw refuse(`plan: pullRequest: found ${pinned.pullRequest}, wanted ${now.number}`);
	if (pinned.head !== now.head.sha) {
		return {
			stale: `the head of #${now.number} is ${now.head.sha} now and was ${pinned.head} when it was planned; the newer commit has a review of its own`,
		};
	}
	return { pullRequest: await pinBase(pinned.base, now, started.run.seams.history) };
}
