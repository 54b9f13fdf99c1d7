import { expect, it } from "vitest";
import { CONTRACT_OPERATIONS } from "../../../src/demo/loopback-github/contract-operations.ts";
import { refusal, type Rig, startRig, TOKENS } from "./rig.ts";

async function tourIssues(rig: Rig): Promise<void> {
	const bot = rig.client();
	const at = { ...rig.repository, issue_number: rig.number };
	const { data: comment } = await bot.issues.createComment({ ...at, body: "hello" });
	const comment_id = comment.id;
	await bot.issues.updateComment({ ...rig.repository, comment_id, body: "hello again" });
	expect((await bot.issues.getComment({ ...rig.repository, comment_id })).data.body).toBe("hello again");
	await bot.issues.listComments(at);
	expect((await bot.issues.listCommentsForRepo({ ...rig.repository, since: "2000-01-01T00:00:00Z", sort: "updated" })).data).toHaveLength(
		1,
	);
	const { data: reaction } = await bot.reactions.createForIssueComment({ ...rig.repository, comment_id, content: "eyes" });
	expect((await bot.reactions.listForIssueComment({ ...rig.repository, comment_id })).data).toHaveLength(1);
	await bot.reactions.deleteForIssueComment({ ...rig.repository, comment_id, reaction_id: reaction.id });
	await bot.issues.deleteComment({ ...rig.repository, comment_id });
	await bot.issues.addLabels({ ...at, labels: ["one", "two"] });
	await bot.issues.removeLabel({ ...at, name: "one" });
	await bot.issues.setLabels({ ...at, labels: ["three"] });
	expect((await bot.issues.listLabelsOnIssue(at)).data.map((label) => label.name)).toEqual(["three"]);
	await bot.issues.createLabel({ ...rig.repository, name: "rookery", color: "00ff00" });
	await bot.issues.getLabel({ ...rig.repository, name: "rookery" });
	const { data: issue } = await bot.issues.create({ ...rig.repository, title: "Slow start", labels: ["bug"] });
	await bot.issues.update({ ...rig.repository, issue_number: issue.number, state: "closed" });
	expect((await bot.issues.get({ ...rig.repository, issue_number: issue.number })).data.pull_request).toBeUndefined();
	expect((await bot.issues.get(at)).data.pull_request).toBeDefined();
	await bot.issues.listForRepo({ ...rig.repository, state: "all" });
}

async function tourPulls(rig: Rig): Promise<void> {
	const bot = rig.client();
	const at = { ...rig.repository, pull_number: rig.number };
	const { data: pull } = await bot.pulls.get(at);
	await bot.pulls.list(rig.repository);
	await bot.pulls.listFiles(at);
	await bot.pulls.listCommits(at);
	await bot.pulls.update({ ...at, title: "Two lines and a file" });
	const { data: review } = await bot.pulls.createReview({
		...at,
		event: "COMMENT",
		body: "Read.",
		comments: [{ path: "a.txt", line: 2, side: "RIGHT", body: "why?" }],
	});
	await bot.pulls.listReviews(at);
	await bot.pulls.getReview({ ...at, review_id: review.id });
	await bot.pulls.updateReview({ ...at, review_id: review.id, body: "Read again." });
	const { data: own } = await bot.pulls.listCommentsForReview({ ...at, review_id: review.id });
	const comment_id = own[0]?.id ?? 0;
	await bot.pulls.createReplyForReviewComment({ ...at, comment_id, body: "because" });
	const { data: single } = await bot.pulls.createReviewComment({
		...at,
		commit_id: pull.head.sha,
		path: "a.txt",
		line: 15,
		body: "and this",
	});
	await bot.pulls.updateReviewComment({ ...rig.repository, comment_id, body: "why, really?" });
	await bot.pulls.getReviewComment({ ...rig.repository, comment_id });
	const { data: reaction } = await bot.reactions.createForPullRequestReviewComment({ ...rig.repository, comment_id, content: "+1" });
	await bot.reactions.listForPullRequestReviewComment({ ...rig.repository, comment_id });
	await bot.reactions.deleteForPullRequestComment({ ...rig.repository, comment_id, reaction_id: reaction.id });
	await bot.pulls.deleteReviewComment({ ...rig.repository, comment_id: single.id });
	expect((await bot.pulls.listReviewComments(at)).data).toHaveLength(2);
	await bot.repos.listPullRequestsAssociatedWithCommit({ ...rig.repository, commit_sha: pull.head.sha });
}

async function tourChecks(rig: Rig): Promise<void> {
	const bot = rig.client();
	const sha = rig.hub.pull(rig.number).head.sha;
	const { data: check } = await bot.checks.create({ ...rig.repository, name: "rookery", head_sha: sha, status: "in_progress" });
	const check_run_id = check.id;
	const annotations = [{ path: "a.txt", start_line: 2, end_line: 2, annotation_level: "warning" as const, message: "look" }];
	await bot.checks.update({ ...rig.repository, check_run_id, conclusion: "neutral", output: { title: "t", summary: "s", annotations } });
	await bot.checks.update({ ...rig.repository, check_run_id, output: { title: "t", summary: "s", annotations } });
	expect((await bot.checks.get({ ...rig.repository, check_run_id })).data.output.annotations_count).toBe(2);
	expect((await bot.checks.listAnnotations({ ...rig.repository, check_run_id })).data).toHaveLength(2);
	expect((await bot.checks.listForRef({ ...rig.repository, ref: "feature" })).data.total_count).toBe(1);
	expect((await bot.checks.listSuitesForRef({ ...rig.repository, ref: sha })).data.total_count).toBe(1);
	await bot.repos.createCommitStatus({ ...rig.repository, sha, state: "success", context: "ci" });
	await bot.repos.listCommitStatusesForRef({ ...rig.repository, ref: sha });
	expect((await bot.repos.getCombinedStatusForRef({ ...rig.repository, ref: sha })).data.state).toBe("success");
}

async function tourRepository(rig: Rig): Promise<void> {
	const bot = rig.client();
	const { repository, hub } = rig;
	await bot.repos.get(repository);
	await bot.repos.getCommit({ ...repository, ref: "feature" });
	await bot.repos.listCommits({ ...repository, sha: "feature" });
	await bot.repos.compareCommitsWithBasehead({ ...repository, basehead: "main...feature" });
	await bot.repos.listBranches(repository);
	await bot.repos.getBranch({ ...repository, branch: "feature" });
	await hub.protectBranch("acme/widgets", "release");
	await rig.client(TOKENS.admin).repos.getBranchProtection({ ...repository, branch: "release" });
	await bot.repos.getCollaboratorPermissionLevel({ ...repository, username: "ada" });
	await bot.repos.getContent({ ...repository, path: "a.txt" });
	await bot.repos.getContent({ ...repository, path: "" });
	await bot.repos.getContent({ ...repository, path: "src" });
	await bot.repos.createOrUpdateFileContents({ ...repository, path: "b.txt", message: "b", content: "Yg==", branch: "main" });
	await bot.repos.createDispatchEvent({ ...repository, event_type: "go" });
	await bot.actions.createWorkflowDispatch({ ...repository, workflow_id: "ci.yml", ref: "main" });
	await bot.rateLimit.get();
	await rig.client(TOKENS.ada).users.getAuthenticated();
	await bot.users.getByUsername({ username: "github-actions[bot]" });
	await rig.client(TOKENS.ada).apps.getAuthenticated();
}

async function tourGit(rig: Rig): Promise<void> {
	const bot = rig.client();
	const { repository } = rig;
	const { data: ref } = await bot.git.getRef({ ...repository, ref: "heads/main" });
	const { data: parent } = await bot.git.getCommit({ ...repository, commit_sha: ref.object.sha });
	const { data: blob } = await bot.git.createBlob({ ...repository, content: "c\n" });
	await bot.git.getBlob({ ...repository, file_sha: blob.sha });
	const tree = [{ path: "deep/c.txt", mode: "100644" as const, type: "blob" as const, sha: blob.sha }];
	const { data: made } = await bot.git.createTree({ ...repository, base_tree: parent.tree.sha, tree });
	await bot.git.getTree({ ...repository, tree_sha: made.sha, recursive: "1" });
	const { data: next } = await bot.git.createCommit({ ...repository, message: "c", tree: made.sha, parents: [parent.sha] });
	expect(next.verification.verified).toBe(true);
	await bot.git.createRef({ ...repository, ref: "refs/heads/rookery/c", sha: parent.sha });
	await bot.git.updateRef({ ...repository, ref: "heads/rookery/c", sha: next.sha });
	expect((await bot.git.listMatchingRefs({ ...repository, ref: "heads/rookery" })).data).toHaveLength(1);
	await bot.pulls.create({ ...repository, title: "c", head: "rookery/c", base: "main" });
	await bot.git.deleteRef({ ...repository, ref: "heads/rookery/c" });
}

async function tourActions(rig: Rig): Promise<void> {
	const bot = rig.client();
	const { repository, hub } = rig;
	const run_id = hub.addWorkflowRun({ headSha: hub.pull(rig.number).head.sha, headBranch: "feature" });
	const artifact_id = hub.addArtifact({ runId: run_id, name: "outbox", zip: Buffer.from("PK") });
	await bot.actions.listArtifactsForRepo({ ...repository, name: "outbox" });
	await bot.actions.listWorkflowRunArtifacts({ ...repository, run_id });
	await bot.actions.getArtifact({ ...repository, artifact_id });
	const { data } = await bot.actions.downloadArtifact({ ...repository, artifact_id, archive_format: "zip" });
	expect(Buffer.from(data as ArrayBuffer).toString()).toBe("PK");
	await bot.actions.getWorkflowRun({ ...repository, run_id });
	await bot.actions.listWorkflowRunsForRepo(repository);
	expect((await bot.actions.listJobsForWorkflowRun({ ...repository, run_id })).data.total_count).toBe(0);
	const job = {
		id: 4711,
		name: "test",
		conclusion: "failure",
		steps: [{ name: "Run npm test", conclusion: "failure" }],
		log: "1 failed\n",
	};
	const failed = hub.addWorkflowRun({ headSha: hub.pull(rig.number).head.sha, headBranch: "feature", conclusion: "failure", jobs: [job] });
	expect((await bot.actions.listJobsForWorkflowRun({ ...repository, run_id: failed })).data.jobs[0]?.steps?.[0]?.name).toBe("Run npm test");
	const log = await bot.actions.downloadJobLogsForWorkflowRun({ ...repository, job_id: 4711 });
	expect(log.data).toBe("1 failed\n");
}

it("answers every operation of the contract with what GitHub's description promises", async () => {
	await using rig = await startRig();
	await tourIssues(rig);
	await tourPulls(rig);
	await tourChecks(rig);
	await tourRepository(rig);
	await tourGit(rig);
	await tourActions(rig);
	expect(rig.hub.violations).toEqual([]);
	const called = new Set(rig.hub.requests.map((request) => request.operation));
	expect(CONTRACT_OPERATIONS.filter((id) => !called.has(id))).toEqual([]);
	expect(rig.hub.requests.filter((request) => request.status >= 400)).toEqual([]);
});

it("tells a missing thing from an existing one", async () => {
	await using rig = await startRig();
	const bot = rig.client();
	const { repository } = rig;
	const calls = [
		() => bot.pulls.get({ ...repository, pull_number: 99 }),
		() => bot.issues.getComment({ ...repository, comment_id: 1 }),
		() => bot.repos.getContent({ ...repository, path: "no/such.txt" }),
		() => bot.git.getRef({ ...repository, ref: "heads/none" }),
		() => bot.repos.get({ owner: "acme", repo: "none" }),
		() => bot.repos.getBranch({ ...repository, branch: "none" }),
		() => bot.users.getByUsername({ username: "nobody" }),
	];
	for (const call of calls) expect((await refusal(call())).status).toBe(404);
});
