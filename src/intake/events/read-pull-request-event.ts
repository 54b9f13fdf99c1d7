import type { ParsedEvent } from "../event-facts.ts";
import type { EventFacts } from "../event-facts.ts";
import { pullRequestEventSchema, readPayload, senderOf, toPullRequestFacts } from "../event-payload.ts";

const REVIEWED_ACTIONS: readonly string[] = ["opened", "reopened", "ready_for_review", "synchronize"];

/** `pull_request` and `pull_request_target`: the same payload, other secrets. */
export function readPullRequestEvent(event: string, payload: unknown, facts: EventFacts): ParsedEvent {
	const { action, pull_request: pull, label, sender } = readPayload(event, pullRequestEventSchema, payload);
	if (action === "labeled") {
		const name = label?.name ?? "";
		if (!(facts.reviewLabels ?? []).some((wanted) => wanted.toLowerCase() === name.toLowerCase())) {
			return {
				kind: "skip",
				event,
				reason: `the label ${JSON.stringify(name)} starts no review; review.labels in the settings names those that do`,
			};
		}
	} else if (!REVIEWED_ACTIONS.includes(action)) {
		return { kind: "skip", event, reason: `nothing to do when a pull request is ${action}` };
	}
	return {
		kind: "pull-request",
		event,
		repository: facts.repository,
		actor: senderOf(sender, facts),
		action,
		pullRequest: toPullRequestFacts(pull),
		attempt: facts.attempt,
	};
}
