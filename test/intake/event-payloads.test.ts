import { describe, expect, it } from "vitest";
import {
	findPayloadFaults,
	makeIssueCommentEvent,
	makePullRequestEvent,
	makeRepositoryDispatchEvent,
	makeReviewCommentEvent,
	makeUser,
	makeWorkflowDispatchEvent,
	makeWorkflowRunEvent,
	type Payload,
} from "../rig/event-payloads.ts";

const CASES: readonly [webhook: string, make: () => Promise<Payload>][] = [
	["pull-request-opened", () => makePullRequestEvent()],
	["pull-request-opened", () => makePullRequestEvent({ headRepository: "user-b/flock", author: makeUser("user-b") })],
	["pull-request-synchronize", () => makePullRequestEvent({ action: "synchronize" })],
	["pull-request-labeled", () => makePullRequestEvent({ action: "labeled", label: "rookery" })],
	["issue-comment-created", () => makeIssueCommentEvent({ body: "/review" })],
	["issue-comment-created", () => makeIssueCommentEvent({ body: "/review", onPullRequest: false, author: null })],
	["issue-comment-edited", () => makeIssueCommentEvent({ action: "edited", body: "/review", before: "review" })],
	["pull-request-review-comment-created", () => makeReviewCommentEvent({ body: "/explore x" })],
	["workflow-dispatch", () => makeWorkflowDispatchEvent({ pr: "12" })],
	["repository-dispatch-sample.collected", () => makeRepositoryDispatchEvent({ job: "tidy" })],
	["workflow-run-completed", () => makeWorkflowRunEvent({ conclusion: "failure" })],
];

describe("the payloads that tests make", () => {
	it.each(CASES)("%s fits GitHub's description (%#)", async (webhook, make) => {
		expect(await findPayloadFaults(webhook, await make())).toEqual([]);
	});

	it("a deleted fork and a deleted account differ from the description only where GitHub sends null", async () => {
		const faults = await findPayloadFaults("pull-request-opened", await makePullRequestEvent({ headRepository: null, author: null }));
		expect(faults.map((fault) => fault.split(" ")[0])).toEqual([
			"/pull_request/user",
			"/pull_request/head/repo",
			"/pull_request/head/user",
		]);
	});

	it("a payload with a wrong field is found", async () => {
		expect(await findPayloadFaults("issue-comment-created", { ...(await makeIssueCommentEvent({ body: "x" })), action: 3 })).not.toEqual(
			[],
		);
	});
});
