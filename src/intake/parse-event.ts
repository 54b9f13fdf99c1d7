import { errorText, UserError } from "../domain/errors.ts";
import type { PullRequestFacts, PullRequestTrigger } from "../domain/trigger.ts";
import type { DispatchedReview, EventFacts, EventReader, ParsedEvent } from "./event-facts.ts";
import { readCommentEvent } from "./events/read-comment-event.ts";
import { readDispatchEvent, readPushEvent, readScheduleEvent, readWorkflowRunEvent } from "./events/read-dispatch-event.ts";
import { readPullRequestEvent } from "./events/read-pull-request-event.ts";

/** One line an event. What is not here is a clean skip with the event's name (S-001, BR-42). */
const EVENT_READERS: Readonly<Record<string, EventReader>> = {
	pull_request: readPullRequestEvent,
	pull_request_target: readPullRequestEvent,
	issue_comment: readCommentEvent,
	pull_request_review_comment: readCommentEvent,
	workflow_dispatch: readDispatchEvent,
	repository_dispatch: readDispatchEvent,
	schedule: readScheduleEvent,
	workflow_run: readWorkflowRunEvent,
	push: readPushEvent,
	// The queue's ref holds a number, but nobody promises its form (BR-42).
	merge_group: (event) => ({
		kind: "skip",
		event,
		reason: "each pull request of a merge queue was reviewed on its own; required checks pass",
	}),
};

/**
 * Why we run. An event or action nobody foresaw is a skip with a reason, never an error; a payload that is not
 * what GitHub sends for its event throws a UserError.
 */
export function parseEvent(event: { readonly name: string; readonly payload: unknown }, facts: EventFacts): ParsedEvent {
	const reader = Object.hasOwn(EVENT_READERS, event.name) ? EVENT_READERS[event.name] : undefined;
	if (reader === undefined) {
		const name = event.name === "" ? "without a name" : JSON.stringify(event.name.slice(0, 60));
		return { kind: "skip", event: event.name, reason: `the event ${name} starts nothing` };
	}
	return reader(event.name, event.payload, facts);
}

/** The event file's text as data. Throws a UserError when it is no JSON object. */
export function parseEventText(text: string, file: string): unknown {
	let payload: unknown;
	try {
		payload = JSON.parse(text.startsWith("\uFEFF") ? text.slice(1) : text);
	} catch (error) {
		throw new UserError(`event file ${file}: not valid JSON: ${errorText(error).slice(0, 120)}`, { cause: error });
	}
	if (typeof payload !== "object" || payload === null || Array.isArray(payload)) {
		throw new UserError(`event file ${file}: found ${JSON.stringify(payload).slice(0, 60)}, wanted a JSON object`);
	}
	return payload;
}

/** A review asked for by number, with what the API says of the pull request. */
export function completeReview(review: DispatchedReview, pullRequest: PullRequestFacts): PullRequestTrigger {
	return {
		kind: "pull-request",
		event: review.event,
		repository: review.repository,
		actor: review.actor,
		action: "requested",
		pullRequest,
		attempt: review.attempt,
	};
}
