import { describe, expect, it } from "vitest";
import { UserError } from "../../src/domain/errors.ts";
import { GHOST } from "../../src/domain/ids.ts";
import { checkPullRequest } from "../../src/intake/check-pull-request.ts";
import type { EventFacts } from "../../src/intake/event-facts.ts";
import { completeReview, parseEvent, parseEventText } from "../../src/intake/parse-event.ts";
import type { PullRequestTrigger } from "../../src/domain/trigger.ts";
import {
	BASE_SHA,
	HEAD_SHA,
	loadExample,
	makeIssueCommentEvent,
	makePullRequestEvent,
	makeRepositoryDispatchEvent,
	makeReviewCommentEvent,
	makeScheduleEvent,
	makeUser,
	makeWorkflowDispatchEvent,
	makeWorkflowRunEvent,
	REPOSITORY,
} from "../rig/event-payloads.ts";

const SHA = "3".repeat(40);
const repository = { owner: "octo-org", name: "flock" };
const facts: EventFacts = {
	repository,
	sha: SHA,
	ref: "refs/heads/main",
	actor: "user-old",
	attempt: 1,
	names: { commands: ["explore", "review", "fix"], handle: "rookery" },
	allowedBots: [],
};
const userA = { login: "user-a", id: 1001, type: "User" };

async function pullRequest(options: Parameters<typeof makePullRequestEvent>[0] = {}, more: Partial<EventFacts> = {}) {
	return parseEvent({ name: "pull_request", payload: await makePullRequestEvent(options) }, { ...facts, ...more });
}

async function comment(options: Parameters<typeof makeIssueCommentEvent>[0], more: Partial<EventFacts> = {}) {
	return parseEvent({ name: "issue_comment", payload: await makeIssueCommentEvent(options) }, { ...facts, ...more });
}

describe("parseEvent", () => {
	it("S-001 pull_request gives a pull request trigger with base, head, author and fork", async () => {
		expect(await pullRequest()).toEqual({
			kind: "pull-request",
			event: "pull_request",
			repository,
			actor: userA,
			action: "opened",
			attempt: 1,
			pullRequest: {
				number: 12,
				title: "Add the retry budget",
				body: "See the tests.",
				author: userA,
				state: "open",
				merged: false,
				draft: false,
				base: { ref: "main", sha: BASE_SHA, repository: REPOSITORY },
				head: { ref: "retry-budget", sha: HEAD_SHA, repository: REPOSITORY },
				fork: false,
				labels: [],
				changedFiles: 1,
			},
		});
	});

	it("S-001 pull_request_target of a fork", async () => {
		const payload = await makePullRequestEvent({ headRepository: "user-b/flock", author: makeUser("user-b", "User", 2) });
		expect(parseEvent({ name: "pull_request_target", payload }, facts)).toMatchObject({
			kind: "pull-request",
			event: "pull_request_target",
			pullRequest: { fork: true, head: { repository: "user-b/flock" }, author: { login: "user-b" } },
		});
	});

	it("S-001 issue_comment on a pull request gives the command", async () => {
		expect(await comment({ body: "/review please" })).toMatchObject({
			kind: "command",
			number: 12,
			isPullRequest: true,
			actor: userA,
			comment: { id: 77, kind: "issue", author: userA, body: "/review please" },
			commands: [{ name: "review", text: "please" }],
		});
	});

	it("S-001 schedule and workflow_dispatch give a job on the ref of the environment", async () => {
		const expected = { kind: "maintain", repository, job: "tidy", ref: "refs/heads/main", sha: SHA };
		expect(parseEvent({ name: "schedule", payload: makeScheduleEvent() }, { ...facts, job: "tidy" })).toMatchObject(expected);
		expect(parseEvent({ name: "workflow_dispatch", payload: await makeWorkflowDispatchEvent({ job: "tidy" }) }, facts)).toMatchObject(
			expected,
		);
	});

	it.each(["pull_request_review", "star", "page_build", "constructor", "__proto__", ""])(
		"S-001 the unlisted event %j is a skip that names it",
		async (name) => {
			const payload = name === "star" ? await loadExample("star", "created") : {};
			const trigger = parseEvent({ name, payload }, facts);
			expect(trigger).toMatchObject({ kind: "skip", event: name });
			expect(trigger).toHaveProperty("reason", expect.stringContaining(name === "" ? "without a name" : name));
		},
	);

	it("S-003 opened, reopened, ready_for_review and synchronize start a review; other actions do not", async () => {
		for (const action of ["opened", "reopened", "ready_for_review", "synchronize"])
			expect(await pullRequest({ action })).toMatchObject({ kind: "pull-request", action });
		for (const action of ["closed", "converted_to_draft", "edited"])
			expect(await pullRequest({ action })).toMatchObject({ kind: "skip", reason: expect.stringContaining(action) });
	});

	it("S-003 a draft is skipped unless configured, or asked for", async () => {
		const trigger = (await pullRequest({ draft: true })) as PullRequestTrigger;
		const check = (drafts: boolean, asked: boolean) => checkPullRequest(trigger, trigger.pullRequest, { drafts, asked, auto: true });
		expect(check(false, false)).toMatchObject({ review: false, reason: expect.stringContaining("draft") });
		expect(check(true, false)).toMatchObject({ review: true, notes: [] });
		expect(check(false, true)).toMatchObject({ review: true });
		expect(checkPullRequest(trigger, trigger.pullRequest, { drafts: true, asked: false, auto: false })).toMatchObject({ review: false });
	});

	it("labels start a review only when the settings name them", async () => {
		expect(await pullRequest({ action: "labeled", label: "Rookery" })).toMatchObject({ kind: "skip" });
		expect(await pullRequest({ action: "labeled", label: "Rookery" }, { reviewLabels: ["rookery"] })).toMatchObject({
			kind: "pull-request",
			action: "labeled",
		});
	});

	it("BR-26 our own and other bots' comments start nothing, allow-listed ones do, and we never", async () => {
		const self = makeUser("rookery-app[bot]", "Bot", 9);
		const ownActor = { login: "rookery-app[bot]", id: 9, type: "Bot" as const };
		const body = "Only members may use this. Try:\n/explore <question>";
		expect(await comment({ body, author: self })).toMatchObject({ kind: "skip", reason: expect.stringContaining("allowed-bots") });
		expect(await comment({ body, author: self }, { allowedBots: ["Rookery-App"] })).toMatchObject({ kind: "command" });
		expect(await comment({ body, author: self }, { allowedBots: ["rookery-app"], self: ownActor })).toMatchObject({ kind: "skip" });
		expect(await comment({ body, sender: self })).toMatchObject({ kind: "skip" });
	});

	it("BR-28 title and first post are never read; an edit runs only what is new", async () => {
		expect(await comment({ action: "edited", body: "/explore cold start (typo fixed)", before: "/explore cold start" })).toMatchObject({
			kind: "skip",
		});
		expect(await comment({ action: "edited", body: "/explore cold start", before: "cold start" })).toMatchObject({ kind: "command" });
		const payload = await makeIssueCommentEvent({ body: "thanks" });
		payload["issue"] = { ...(payload["issue"] as object), title: "/explore in the title", body: "/explore in the body" };
		expect(parseEvent({ name: "issue_comment", payload }, facts)).toMatchObject({ kind: "skip" });
		expect(await comment({ action: "deleted", body: "/explore" })).toMatchObject({ kind: "skip" });
	});

	it("BR-30 a deleted account is the ghost", async () => {
		expect(await pullRequest({ author: null, sender: makeUser("user-c") })).toMatchObject({ pullRequest: { author: GHOST } });
		const payload = { ...(await makeIssueCommentEvent({ body: "/explore x", author: null })), sender: null };
		expect(parseEvent({ name: "issue_comment", payload }, { ...facts, actor: "" })).toMatchObject({
			kind: "command",
			actor: GHOST,
			comment: { author: GHOST },
		});
	});

	it("BR-33 a deleted fork has no repository and counts as a fork", async () => {
		expect(await pullRequest({ headRepository: null, headRef: "main" })).toMatchObject({
			pullRequest: { fork: true, head: { ref: "main", sha: HEAD_SHA, repository: null } },
		});
	});

	it("BR-39 a schedule has no payload to read: everything comes from the environment, and there is no review", () => {
		const payload = { schedule: "0 5 * * 1" };
		expect(parseEvent({ name: "schedule", payload }, { ...facts, job: "tidy" })).toEqual({
			kind: "maintain",
			event: "schedule",
			repository,
			actor: { login: "user-old", id: 0, type: "Unknown" },
			job: "tidy",
			ref: "refs/heads/main",
			sha: SHA,
		});
		expect(parseEvent({ name: "schedule", payload }, facts)).toMatchObject({ kind: "maintain", schedule: "0 5 * * 1" });
		expect(parseEvent({ name: "schedule", payload }, facts)).not.toHaveProperty("job");
		expect(parseEvent({ name: "schedule", payload: {} }, facts)).toMatchObject({ kind: "skip", reason: expect.stringContaining("job") });
		expect(() => parseEvent({ name: "schedule", payload }, { ...facts, job: "tidy", sha: "main" })).toThrow(/GITHUB_SHA: found "main"/);
	});

	it("BR-40 a comment on a plain issue has no pull request, and pull_request is not read", async () => {
		expect(await comment({ body: "/review", onPullRequest: false, number: 41 })).toMatchObject({
			kind: "command",
			isPullRequest: false,
			number: 41,
		});
		const minimal = {
			action: "created",
			issue: { number: 41, title: "slow start", state: "open" },
			comment: { id: 9, body: "/review", user: { login: "user-a", id: 1, type: "User" } },
		};
		expect(parseEvent({ name: "issue_comment", payload: minimal }, facts)).toMatchObject({ kind: "command", isPullRequest: false });
	});

	it("a comment in the diff is a command on its pull request", async () => {
		const payload = await makeReviewCommentEvent({ body: "/explore x", number: 5 });
		expect(parseEvent({ name: "pull_request_review_comment", payload }, facts)).toMatchObject({
			kind: "command",
			number: 5,
			isPullRequest: true,
			comment: { id: 78, kind: "review" },
		});
	});

	it("BR-41 the pull request is judged by what it is now, and the present head is reviewed", async () => {
		const trigger = (await pullRequest({ action: "synchronize" }, { attempt: 3 })) as PullRequestTrigger;
		expect(trigger.attempt).toBe(3);
		const options = { drafts: false, auto: true, asked: false };
		const now = { ...trigger.pullRequest, head: { ...trigger.pullRequest.head, sha: "b".repeat(40) } };
		expect(checkPullRequest(trigger, { ...now, state: "closed", merged: true }, options)).toEqual({
			review: false,
			reason: "pull request #12 is merged",
		});
		expect(checkPullRequest(trigger, { ...now, state: "closed" }, options)).toMatchObject({ review: false });
		expect(checkPullRequest(trigger, { ...now, state: "closed" }, { ...options, asked: true })).toMatchObject({ review: true });
		const check = checkPullRequest(trigger, now, options);
		expect(check).toMatchObject({ review: true, pullRequest: { head: { sha: "b".repeat(40) } } });
		expect(check).toHaveProperty("notes", [expect.stringContaining(`${HEAD_SHA} to ${"b".repeat(40)}`)]);
	});

	it("BR-42 merge_group parses nothing out of its ref", () => {
		const payload = {
			action: "checks_requested",
			merge_group: { head_sha: "a", base_sha: "b", head_ref: "refs/heads/gh-readonly-queue/main/pr-7-abc" },
		};
		expect(parseEvent({ name: "merge_group", payload }, facts)).toMatchObject({
			kind: "skip",
			reason: expect.stringContaining("required checks pass"),
		});
	});

	it("BR-42 numbers of a dispatch are read strictly", async () => {
		const dispatch = async (inputs: Record<string, unknown>) =>
			parseEvent({ name: "workflow_dispatch", payload: await makeWorkflowDispatchEvent(inputs) }, facts);
		await expect(dispatch({ dry_run: "false", pr: "12abc", agent: "" })).rejects.toThrow(
			/inputs\.pr: found "12abc", wanted a pull request's number/,
		);
		for (const pr of ["0", "-1", "1.5", "1e3", "0x10"]) await expect(dispatch({ pr })).rejects.toThrow(UserError);
		expect(await dispatch({ pr: " 12 " })).toMatchObject({ kind: "review-by-number", number: 12, actor: userA });
		expect(await dispatch({})).toMatchObject({ kind: "skip" });
		await expect(dispatch({ pr: "12", job: "tidy" })).rejects.toThrow(/wanted one of them/);
		await expect(dispatch({ pr: { x: 1 } })).rejects.toThrow(/wanted a text/);
	});

	it("a dispatched review becomes a pull request trigger with the API's facts", async () => {
		const parsed = parseEvent({ name: "repository_dispatch", payload: await makeRepositoryDispatchEvent({ pr: 12 }) }, facts);
		if (parsed.kind !== "review-by-number") throw new Error(parsed.kind);
		const known = ((await pullRequest()) as PullRequestTrigger).pullRequest;
		expect(completeReview(parsed, known)).toMatchObject({ kind: "pull-request", action: "requested", pullRequest: known });
	});

	it("A12 a ref with a line end and a workflow command is refused", async () => {
		const payload = await makeWorkflowDispatchEvent({ job: "tidy", ref: "main\n::add-mask::x" });
		expect(() => parseEvent({ name: "workflow_dispatch", payload }, facts)).toThrow(
			expect.objectContaining({ code: "E_REF", message: expect.not.stringContaining("\n") }),
		);
	});

	it("workflow_run starts a job when the other workflow failed, for who started that one", async () => {
		const payload = await makeWorkflowRunEvent({ conclusion: "failure", actor: makeUser("user-r", "User", 5) });
		expect(parseEvent({ name: "workflow_run", payload }, { ...facts, job: "mend" })).toMatchObject({
			kind: "maintain",
			job: "mend",
			actor: { login: "user-r" },
		});
		expect(parseEvent({ name: "workflow_run", payload }, facts)).toMatchObject({ kind: "skip" });
		const green = await makeWorkflowRunEvent({ conclusion: "success" });
		expect(parseEvent({ name: "workflow_run", payload: green }, { ...facts, job: "mend" })).toMatchObject({
			kind: "skip",
			reason: expect.stringContaining("success"),
		});
	});

	it("X-15 what happens on a branch of ours starts no job: neither a push nor a workflow that fails there", async () => {
		const payload = await makeWorkflowRunEvent({ conclusion: "failure" });
		const run = { ...(payload["workflow_run"] as object), head_branch: "rookery/format" };
		const skip = { kind: "skip", code: "E_LOOP" };
		expect(parseEvent({ name: "workflow_run", payload: { ...payload, workflow_run: run } }, { ...facts, job: "mend" })).toMatchObject(skip);
		const push = await loadExample("push");
		const ours = { ...facts, job: "tidy", ref: "refs/heads/rookery/format" };
		expect(parseEvent({ name: "push", payload: { ...push, deleted: false } }, ours)).toMatchObject(skip);
	});

	it("a push starts a named job only, and nothing when it deletes", async () => {
		const payload = await loadExample("push");
		expect(parseEvent({ name: "push", payload: { ...payload, deleted: false } }, { ...facts, job: "tidy" })).toMatchObject({
			kind: "maintain",
		});
		expect(parseEvent({ name: "push", payload: { ...payload, deleted: true } }, { ...facts, job: "tidy" })).toMatchObject({ kind: "skip" });
		expect(parseEvent({ name: "push", payload }, facts)).toMatchObject({ kind: "skip" });
	});

	it("a payload that is not GitHub's, and a broken event file, are errors of the user that name the place", async () => {
		const payload = await makePullRequestEvent();
		payload["pull_request"] = { ...(payload["pull_request"] as object), head: { ref: "x", sha: "abc", repo: null } };
		expect(() => parseEvent({ name: "pull_request", payload }, facts)).toThrow(/^event pull_request: pull_request\.head\.sha: /);
		expect(() => parseEvent({ name: "issue_comment", payload: null }, facts)).toThrow(UserError);
		expect(() => parseEventText("{", "event.json")).toThrow(/^event file event\.json: not valid JSON/);
		expect(() => parseEventText("[]", "event.json")).toThrow(/wanted a JSON object/);
		expect(parseEventText('\uFEFF{"a":1}', "event.json")).toEqual({ a: 1 });
	});
});
