import type { PullRequestFacts, PullRequestTrigger } from "../domain/trigger.ts";

export type PullRequestCheck =
	| { readonly review: true; readonly pullRequest: PullRequestFacts; readonly notes: readonly string[] }
	| { readonly review: false; readonly reason: string };

/**
 * Whether the pull request is still worth a review, by what the API says now: a payload is as old as its event, and
 * a re-run keeps the first one (BR-41). The head that is reviewed is the present one.
 * @param options.asked somebody asked for this very review, so drafts and closed ones are reviewed, too
 */
export function checkPullRequest(
	trigger: PullRequestTrigger,
	now: PullRequestFacts,
	options: { readonly drafts: boolean; readonly auto: boolean; readonly asked: boolean },
): PullRequestCheck {
	if (!options.asked) {
		if (now.merged) return { review: false, reason: `pull request #${now.number} is merged` };
		if (now.state === "closed") return { review: false, reason: `pull request #${now.number} is closed` };
		if (now.draft && !options.drafts) {
			return { review: false, reason: `pull request #${now.number} is a draft; review.drafts in the settings turns reviews of drafts on` };
		}
		if (!options.auto) return { review: false, reason: "automatic reviews are off (review.auto); /review starts one" };
	}
	const notes: string[] = [];
	if (now.head.sha !== trigger.pullRequest.head.sha) {
		const attempt = trigger.attempt > 1 ? ` (attempt ${trigger.attempt} of the run)` : "";
		notes.push(
			`The head moved from ${trigger.pullRequest.head.sha} to ${now.head.sha} since the event${attempt}; the present head is reviewed.`,
		);
	}
	return { review: true, pullRequest: now, notes };
}
