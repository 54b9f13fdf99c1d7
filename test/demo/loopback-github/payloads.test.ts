import { createRequire } from "node:module";
import { readFileSync } from "node:fs";
import { Ajv } from "ajv";
import addFormatsModule from "ajv-formats";
import { describe, expect, it } from "vitest";
import { startRig } from "./rig.ts";

const addFormats = addFormatsModule as unknown as typeof addFormatsModule.default;

interface WebhookDescription {
	readonly webhooks: Record<string, { post: { requestBody: { content: Record<string, { schema: object }> } } }>;
	readonly components: { readonly schemas: object };
}

/** Rewrites what ajv does not take: `nullable` without a type. */
function plain(value: unknown): unknown {
	if (Array.isArray(value)) return value.map(plain);
	if (typeof value !== "object" || value === null) return value;
	const { nullable, discriminator, ...rest } = value as Record<string, unknown>;
	void discriminator;
	const copy = Object.fromEntries(Object.entries(rest).map(([key, item]) => [key, plain(item)]));
	return nullable === true ? { anyOf: [{ type: "null" }, copy] } : copy;
}

const folder = createRequire(import.meta.url)
	.resolve("@octokit/openapi-webhooks/package.json")
	.replace(/package\.json$/, "");
const description = JSON.parse(readFileSync(`${folder}generated/api.github.com.json`, "utf8")) as WebhookDescription;
const ajv = new Ajv({ strict: false, logger: false, inlineRefs: false });
addFormats(ajv);
ajv.addSchema({ $id: "webhooks", components: { schemas: plain(description.components.schemas) } } as never);

/** Problems of a payload by GitHub's webhook description; empty when it fits. */
function problems(webhook: string, payload: unknown): string[] {
	const schema = description.webhooks[webhook]?.post.requestBody.content["application/json"]?.schema;
	expect(schema, `no webhook ${webhook}`).toBeDefined();
	const text = JSON.stringify(plain(schema)).replaceAll('"#/components', '"webhooks#/components');
	const validate = ajv.compile(JSON.parse(text) as object);
	validate(JSON.parse(JSON.stringify(payload)));
	return (validate.errors ?? []).map((error) => `${error.instancePath} ${error.message ?? ""} ${JSON.stringify(error.params)}`);
}

describe("event payloads", () => {
	it("are really checked: a payload without its pull request or with a wrong state is refused", async () => {
		await using rig = await startRig();
		const payload = await rig.hub.pullRequestPayload(rig.number, "opened");
		const { pull_request, ...rest } = payload;
		expect(problems("pull-request-opened", rest)).not.toEqual([]);
		expect(problems("pull-request-opened", { ...rest, pull_request: { ...(pull_request as object), state: "ajar" } })).not.toEqual([]);
	});

	it.each(["opened", "synchronize", "reopened", "ready_for_review", "closed"])(
		"pull_request %s fits GitHub's description",
		async (action) => {
			await using rig = await startRig();
			const payload = await rig.hub.pullRequestPayload(rig.number, action, { sender: "ada" });
			expect(problems(`pull-request-${action.replaceAll("_", "-")}`, payload)).toEqual([]);
			expect(payload).toMatchObject({ action, number: rig.number, repository: { full_name: "acme/widgets" }, sender: { login: "ada" } });
		},
	);

	it("pull_request labeled carries the label", async () => {
		await using rig = await startRig();
		const payload = await rig.hub.pullRequestPayload(rig.number, "labeled", { label: "rookery" });
		expect(problems("pull-request-labeled", payload)).toEqual([]);
		expect(payload).toMatchObject({ label: { name: "rookery" } });
	});

	it("a fork's payload has another head repository", async () => {
		await using rig = await startRig();
		await rig.hub.createRepository({ owner: "eve", name: "widgets", forkOf: "acme/widgets" });
		const pull = { repository: "acme/widgets", title: "Fork", author: "eve", base: "main", head: "feature", headRepository: "eve/widgets" };
		const number = await rig.hub.openPullRequest(pull);
		const payload = await rig.hub.pullRequestPayload(number, "opened");
		expect(problems("pull-request-opened", payload)).toEqual([]);
		expect(payload).toMatchObject({
			pull_request: { head: { repo: { full_name: "eve/widgets", fork: true } }, base: { repo: { full_name: "acme/widgets" } } },
		});
		await rig.hub.deleteRepository("eve/widgets");
		expect(await rig.hub.pullRequestPayload(number, "reopened")).toMatchObject({ pull_request: { head: { repo: null } } });
	});

	it("BR-40 issue_comment has issue.pull_request on a pull request only", async () => {
		await using rig = await startRig();
		const issue = rig.hub.addIssue({ title: "slow start", author: "ada" });
		const onPull = rig.hub.commentPayload(rig.number, rig.hub.addComment(rig.number, { author: "ada", body: "/review" }));
		const onIssue = rig.hub.commentPayload(issue, rig.hub.addComment(issue, { author: "ada", body: "/explore" }));
		expect(problems("issue-comment-created", onPull)).toEqual([]);
		expect(problems("issue-comment-created", onIssue)).toEqual([]);
		expect(onPull).toMatchObject({
			comment: { body: "/review", user: { login: "ada" } },
			issue: { pull_request: { url: expect.stringContaining("/pulls/1") } },
		});
		expect(onIssue["issue"] as object).not.toHaveProperty("pull_request");
	});

	it("issues opened and pull_request_review_comment created fit", async () => {
		await using rig = await startRig();
		const issue = rig.hub.addIssue({ title: "slow start", body: "very", author: "ada" });
		expect(problems("issues-opened", rig.hub.issuePayload(issue, "opened"))).toEqual([]);
		const at = { ...rig.repository, pull_number: rig.number };
		await rig.client().pulls.createReview({ ...at, event: "COMMENT", comments: [{ path: "a.txt", line: 2, body: "x" }] });
		const id = rig.hub.reviewComments(rig.number)[0]?.id ?? 0;
		expect(problems("pull-request-review-comment-created", await rig.hub.reviewCommentPayload(id))).toEqual([]);
	});

	it("workflow_dispatch and repository_dispatch fit", async () => {
		await using rig = await startRig();
		const manual = rig.hub.workflowDispatchPayload({ inputs: { dry_run: "false" } });
		expect(problems("workflow-dispatch", manual)).toEqual([]);
		expect(manual).toMatchObject({ inputs: { dry_run: "false" }, ref: "refs/heads/main" });
		const called = rig.hub.repositoryDispatchPayload({ type: "nightly", payload: { job: "deps" } });
		expect(called).toMatchObject({ action: "nightly", client_payload: { job: "deps" }, sender: { login: "acme" } });
	});

	it("workflow_run names the run, and its artifacts can be found by it", async () => {
		await using rig = await startRig();
		const run_id = rig.hub.addWorkflowRun({ headSha: rig.hub.pull(rig.number).head.sha, headBranch: "feature", conclusion: "failure" });
		rig.hub.addArtifact({ runId: run_id, name: "outbox", zip: Buffer.from("PK") });
		const payload = await rig.hub.workflowRunPayload(run_id);
		expect(payload).toMatchObject({ action: "completed", workflow_run: { id: run_id, conclusion: "failure", head_branch: "feature" } });
		const { data } = await rig.client().actions.listWorkflowRunArtifacts({ ...rig.repository, run_id });
		expect(data.artifacts.map((artifact) => artifact.name)).toEqual(["outbox"]);
	});
});
