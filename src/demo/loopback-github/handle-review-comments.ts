import { created, noContent, numberOf, ok, pageOf, requireBodyLength, textOf, validationFailed } from "./answer.ts";
import { type Anchor, checkAnchor, commentErrors } from "./check-anchor.ts";
import { type Call, type HandlerTable, loginOf, numberParameter, pullOf, repositoryOf } from "./handler.ts";
import { addReview, addReviewComment, readAnchorRequest } from "./handle-reviews.ts";
import { type Answer, HttpProblem } from "./loopback-types.ts";
import type { PullIssue, RepositoryRecord, ReviewCommentRecord } from "./loopback-state.ts";
import { isPullCommit, pullFiles, refreshPull } from "./refresh-pull.ts";
import { findReviewComment, renderReviewComment } from "./render-review.ts";

function refused(errors: readonly object[]): HttpProblem {
	return new HttpProblem(422, { message: "Validation Failed", errors });
}

function requireCommentBody(call: Call): string {
	const body = textOf(call.body, "body") ?? "";
	if (body.trim() === "") throw validationFailed("PullRequestReviewComment", "body", "missing_field");
	requireBodyLength("PullRequestReviewComment", body);
	return body;
}

/** A reply belongs to the root of its thread, also when it answers another reply, and shares the root's anchor. */
async function answerReply(call: Call, repository: RepositoryRecord, issue: PullIssue, id: number): Promise<Answer> {
	const target = issue.pull.reviewComments.find((comment) => comment.id === id);
	if (target === undefined) throw new HttpProblem(404, { message: "Not Found" });
	const root =
		target.inReplyTo === null ? target : (issue.pull.reviewComments.find((comment) => comment.id === target.inReplyTo) ?? target);
	const author = loginOf(call);
	const review = addReview(call.state, issue, { author, body: "", state: "COMMENTED", commit: root.commit });
	const { path, subjectType, line, side, startLine, startSide, diffHunk } = root;
	const anchor: Anchor = { path, subjectType, line, side, startLine, startSide, diffHunk };
	const reply = addReviewComment(call.state, issue, {
		author,
		body: requireCommentBody(call),
		commit: root.commit,
		reviewId: review.id,
		inReplyTo: root.id,
		anchor,
	});
	return created(await renderReviewComment(call.state, repository, issue, reply));
}

async function reviewCommentOf(call: Call): Promise<{
	readonly repository: RepositoryRecord;
	readonly issue: PullIssue;
	readonly comment: ReviewCommentRecord;
}> {
	const repository = repositoryOf(call);
	const { issue, comment } = findReviewComment(repository, numberParameter(call, "comment_id"));
	await refreshPull(call.state, repository, issue);
	return { repository, issue, comment };
}

export const REVIEW_COMMENT_HANDLERS: HandlerTable = {
	"pulls/create-review-comment": async (call) => {
		const { repository, issue } = await pullOf(call);
		const body = requireCommentBody(call);
		const replyTo = numberOf(call.body, "in_reply_to");
		if (replyTo !== undefined) return answerReply(call, repository, issue, replyTo);
		const commit = textOf(call.body, "commit_id") ?? "";
		if (!(await isPullCommit(repository, issue, commit))) {
			const field = "pull_request_review_thread.end_commit_oid";
			throw refused([
				{ resource: "PullRequestReviewComment", code: "custom", field, message: `${field} is not part of the pull request` },
				{ resource: "PullRequestReviewComment", code: "missing_field", field: "pull_request_review_thread.diff_hunk" },
			]);
		}
		const result = checkAnchor(await pullFiles(repository, issue, commit), readAnchorRequest(call.body));
		if (!result.ok) throw refused(commentErrors(result.problems));
		const author = loginOf(call);
		const review = addReview(call.state, issue, { author, body: "", state: "COMMENTED", commit });
		const comment = addReviewComment(call.state, issue, {
			author,
			body,
			commit,
			reviewId: review.id,
			inReplyTo: null,
			anchor: result.anchor,
		});
		return created(await renderReviewComment(call.state, repository, issue, comment));
	},
	"pulls/create-reply-for-review-comment": async (call) => {
		const { repository, issue } = await pullOf(call);
		requireCommentBody(call);
		return answerReply(call, repository, issue, numberParameter(call, "comment_id"));
	},
	"pulls/list-review-comments": async (call) => {
		const { repository, issue } = await pullOf(call);
		const pending = new Set(issue.pull.reviews.filter((review) => review.state === "PENDING").map((review) => review.id));
		const page = pageOf(
			issue.pull.reviewComments.filter((comment) => !pending.has(comment.reviewId)),
			call,
		);
		return ok(await Promise.all(page.items.map((comment) => renderReviewComment(call.state, repository, issue, comment))), page.headers);
	},
	"pulls/get-review-comment": async (call) => {
		const { repository, issue, comment } = await reviewCommentOf(call);
		return ok(await renderReviewComment(call.state, repository, issue, comment));
	},
	"pulls/update-review-comment": async (call) => {
		const { repository, issue, comment } = await reviewCommentOf(call);
		comment.body = requireCommentBody(call);
		comment.updatedAt = call.state.now();
		return ok(await renderReviewComment(call.state, repository, issue, comment));
	},
	"pulls/delete-review-comment": async (call) => {
		const { issue, comment } = await reviewCommentOf(call);
		issue.pull.reviewComments.splice(issue.pull.reviewComments.indexOf(comment), 1);
		return noContent();
	},
};
