import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { commit, git, refusal, type Rig, startRig, TOKENS } from "./rig.ts";

const OUTSIDE = "Pull request review thread line must be part of the diff and Pull request review thread diff hunk can't be blank";

describe("anchors of reviews", () => {
	let rig: Rig;
	beforeAll(async () => {
		rig = await startRig();
	});
	afterAll(async () => rig[Symbol.asyncDispose]());

	const review = async (comment: object) =>
		rig.client().pulls.createReview({
			...rig.repository,
			pull_number: rig.number,
			event: "COMMENT",
			body: "b",
			comments: [{ path: "a.txt", body: "c", ...comment }],
		});

	const accepted: readonly (readonly [string, object])[] = [
		["an added line on the right", { line: 2, side: "RIGHT" }],
		["a deleted line on the left", { line: 2, side: "LEFT" }],
		["a context line on the right", { line: 5, side: "RIGHT" }],
		["a context line on the left", { line: 5, side: "LEFT" }],
		["a range inside one hunk", { start_line: 13, start_side: "RIGHT", line: 16, side: "RIGHT" }],
		["a range from the old side to the new side", { start_line: 15, start_side: "LEFT", line: 15, side: "RIGHT" }],
		["a removed file's line on the left", { path: "old.txt", line: 1, side: "LEFT" }],
		["the old position form", { position: 3 }],
	];
	it.each(accepted)("accepts %s", async (_name, comment) => {
		const { status } = await review(comment);
		expect(status).toBe(200);
	});

	const rejected: readonly (readonly [string, object, string])[] = [
		["a line outside every hunk", { line: 10, side: "RIGHT" }, OUTSIDE],
		["line 0", { line: 0, side: "RIGHT" }, OUTSIDE],
		["no line at all", {}, OUTSIDE],
		["a line of the new file on the left", { path: "src/new.ts", line: 1, side: "LEFT" }, OUTSIDE],
		[
			"a file that is not in the diff",
			{ path: "src/keep.ts", line: 1 },
			"Pull request review thread path is invalid and Pull request review thread diff hunk can't be blank",
		],
		[
			"another spelling of the path",
			{ path: "./a.txt", line: 2 },
			"Pull request review thread path is invalid and Pull request review thread diff hunk can't be blank",
		],
		[
			"a range over two hunks",
			{ start_line: 2, line: 15 },
			"Pull request review thread start line must be part of the same hunk as the line.",
		],
		["a start equal to the end", { start_line: 15, line: 15 }, "Pull request review thread start line must precede the end line."],
		[
			"a range with both ends outside",
			{ start_line: 9, line: 10 },
			"Pull request review thread line must be part of the diff, Pull request review thread start line must be part of the same hunk as the line., and Pull request review thread diff hunk can't be blank",
		],
	];
	it.each(rejected)("refuses %s with GitHub's words", async (_name, comment, text) => {
		const before = rig.hub.reviews(rig.number).length;
		expect(await refusal(review(comment))).toMatchObject({ status: 422, message: "Unprocessable Entity", errors: [text] });
		expect(rig.hub.reviews(rig.number)).toHaveLength(before);
	});

	it("BR-14 refuses the whole review for one bad anchor and keeps nothing of it", async () => {
		const before = rig.hub.reviewComments(rig.number).length;
		const comments = [
			{ path: "a.txt", line: 2, body: "good" },
			{ path: "a.txt", line: 10, body: "bad" },
		];
		const at = { ...rig.repository, pull_number: rig.number };
		expect(await refusal(rig.client().pulls.createReview({ ...at, event: "COMMENT", comments }))).toMatchObject({
			status: 422,
			errors: [OUTSIDE],
		});
		expect(rig.hub.reviewComments(rig.number)).toHaveLength(before);
	});

	it("answers a refused single comment with error objects", async () => {
		const commit_id = rig.hub.pull(rig.number).head.sha;
		const at = { ...rig.repository, pull_number: rig.number, commit_id, body: "x" };
		expect(await refusal(rig.client().pulls.createReviewComment({ ...at, path: "a.txt", line: 10, side: "RIGHT" }))).toMatchObject({
			status: 422,
			message: "Validation Failed",
			errors: [
				{
					resource: "PullRequestReviewComment",
					code: "custom",
					field: "pull_request_review_thread.line",
					message: "pull_request_review_thread.line must be part of the diff",
				},
				{ resource: "PullRequestReviewComment", code: "missing_field", field: "pull_request_review_thread.diff_hunk" },
			],
		});
		const file = await rig.client().pulls.createReviewComment({ ...at, path: "src/new.ts", subject_type: "file" });
		expect(file.data).toMatchObject({ subject_type: "file", line: null, path: "src/new.ts" });
	});
});

describe("reviews", () => {
	it("refuses what GitHub refuses about events and bodies", async () => {
		await using rig = await startRig();
		const at = { ...rig.repository, pull_number: rig.number };
		const ada = rig.client(TOKENS.ada);
		const bot = rig.client();
		const cases = [
			[() => ada.pulls.createReview({ ...at, event: "APPROVE" }), "Review Can not approve your own pull request"],
			[
				() => ada.pulls.createReview({ ...at, event: "REQUEST_CHANGES", body: "no" }),
				"Review Can not request changes on your own pull request",
			],
			[() => bot.pulls.createReview({ ...at, event: "APPROVE" }), "GitHub Actions is not permitted to approve pull requests."],
			[() => bot.pulls.createReview({ ...at, event: "REQUEST_CHANGES" }), "Review body can't be blank"],
			[() => bot.pulls.createReview({ ...at, event: "COMMENT" }), "Review body can't be blank"],
			[
				() => bot.pulls.createReview({ ...at, event: "COMMENT", body: "b", commit_id: "1".repeat(40) }),
				"Start commit oid is not part of the pull request",
			],
		] as const;
		for (const [call, text] of cases) expect(await refusal(call())).toMatchObject({ status: 422, errors: [text] });
		expect(rig.hub.reviews(rig.number)).toEqual([]);
		const { data } = await rig.client(TOKENS.admin).pulls.createReview({ ...at, event: "APPROVE" });
		expect(data.state).toBe("APPROVED");
	});

	it("keeps a review without event pending, hidden from others and only once", async () => {
		await using rig = await startRig();
		const at = { ...rig.repository, pull_number: rig.number };
		const { data } = await rig.client().pulls.createReview({ ...at, comments: [{ path: "a.txt", line: 2, body: "draft" }] });
		expect(data.state).toBe("PENDING");
		expect((await rig.client(TOKENS.ada).pulls.listReviews(at)).data).toEqual([]);
		expect((await rig.client(TOKENS.ada).pulls.listReviewComments(at)).data).toEqual([]);
		expect(await refusal(rig.client().pulls.createReview(at))).toMatchObject({
			errors: ["User can only have one pending review per pull request"],
		});
	});

	it("BR-43 refuses bodies above 65,536 characters everywhere", async () => {
		await using rig = await startRig();
		const at = { ...rig.repository, pull_number: rig.number };
		const bot = rig.client();
		const body = "x".repeat(65_537);
		const commit_id = rig.hub.pull(rig.number).head.sha;
		const { data: comment } = await bot.issues.createComment({ ...rig.repository, issue_number: rig.number, body: "x".repeat(65_536) });
		const calls = [
			() => bot.issues.createComment({ ...rig.repository, issue_number: rig.number, body }),
			() => bot.issues.updateComment({ ...rig.repository, comment_id: comment.id, body }),
			() => bot.pulls.createReview({ ...at, event: "COMMENT", body }),
			() => bot.pulls.createReview({ ...at, event: "COMMENT", comments: [{ path: "a.txt", line: 2, body }] }),
			() => bot.pulls.createReviewComment({ ...at, commit_id, path: "a.txt", line: 2, body }),
			() => bot.pulls.update({ ...at, body }),
		];
		for (const call of calls) expect(await refusal(call())).toMatchObject({ status: 422, message: "Validation Failed" });
		expect(rig.hub.comments(rig.number)).toHaveLength(1);
	});

	it("gives the hunk up to the commented line, and threads replies under their root", async () => {
		await using rig = await startRig();
		const at = { ...rig.repository, pull_number: rig.number };
		await rig.client().pulls.createReview({ ...at, event: "COMMENT", comments: [{ path: "a.txt", line: 2, body: "root" }] });
		const root = rig.hub.reviewComments(rig.number)[0];
		expect(root?.diffHunk).toBe("@@ -1,5 +1,5 @@\n line 1\n-line 2\n+line 2 changed");
		const reply = await rig.client(TOKENS.ada).pulls.createReplyForReviewComment({ ...at, comment_id: root?.id ?? 0, body: "reply" });
		const second = await rig.client().pulls.createReplyForReviewComment({ ...at, comment_id: reply.data.id, body: "second" });
		expect([reply.data.in_reply_to_id, second.data.in_reply_to_id]).toEqual([root?.id, root?.id]);
		expect(second.data).toMatchObject({ path: "a.txt", line: 2 });
	});

	it("BR-20 moves comments with later commits and marks those whose line changed as outdated", async () => {
		await using rig = await startRig();
		const at = { ...rig.repository, pull_number: rig.number };
		const reviewed = rig.hub.pull(rig.number).head.sha;
		await git(rig.work, "switch", "--quiet", "feature");
		const text = (await git(rig.work, "show", "HEAD:a.txt")).split("\n");
		await commit(rig.work, "Move on", { "a.txt": `top\n${text.map((line) => (line === "line 2 changed" ? "again" : line)).join("\n")}\n` });
		await git(rig.work, "push", "--quiet", rig.bare, "feature");
		const comments = [
			{ path: "a.txt", line: 2, body: "changed since" },
			{ path: "a.txt", line: 15, body: "moved since" },
		];
		const { data: review } = await rig.client().pulls.createReview({ ...at, commit_id: reviewed, event: "COMMENT", comments });
		expect(review.commit_id).toBe(reviewed);
		const { data } = await rig.client().pulls.listReviewComments(at);
		expect(data.map(({ line, original_line, position }) => ({ line, original_line, outdated: position === null }))).toEqual([
			{ line: null, original_line: 2, outdated: true },
			{ line: 16, original_line: 15, outdated: false },
		]);
		expect(rig.hub.violations).toEqual([]);
	});

	it("BR-20 refuses a commit that a force push took out of the pull request", async () => {
		await using rig = await startRig();
		const at = { ...rig.repository, pull_number: rig.number };
		const reviewed = rig.hub.pull(rig.number).head.sha;
		await git(rig.work, "switch", "--quiet", "feature");
		await git(rig.work, "commit", "--quiet", "--amend", "--message", "Other");
		await git(rig.work, "push", "--quiet", "--force", rig.bare, "feature");
		const comments = [{ path: "a.txt", line: 2, body: "x" }];
		expect(await refusal(rig.client().pulls.createReview({ ...at, commit_id: reviewed, event: "COMMENT", comments }))).toMatchObject({
			status: 422,
			errors: ["Start commit oid is not part of the pull request"],
		});
	});

	it("makes the same reaction of the same user once", async () => {
		await using rig = await startRig();
		const comment_id = rig.hub.addComment(rig.number, { author: "ada", body: "/review" });
		const at = { ...rig.repository, comment_id, content: "eyes" as const };
		const [first, second] = [
			await rig.client().reactions.createForIssueComment(at),
			await rig.client().reactions.createForIssueComment(at),
		];
		expect([first.status, second.status, second.data.id]).toEqual([201, 200, first.data.id]);
		expect(rig.hub.reactions(comment_id)).toHaveLength(1);
	});
});
