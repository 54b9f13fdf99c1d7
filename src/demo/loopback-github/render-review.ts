import { notFound } from "./answer.ts";
import type { JsonObject } from "./loopback-types.ts";
import {
	associationOf,
	isPull,
	type LoopbackState,
	type PullIssue,
	type RepositoryRecord,
	type ReviewCommentRecord,
	type ReviewRecord,
} from "./loopback-state.ts";
import { askGit } from "./git-command.ts";
import { mapLine } from "./read-diff.ts";
import { issuePage, renderReactionCounts } from "./render-issue.ts";
import { nodeId, renderUser, repositoryUrl } from "./render-repository.ts";

export function findReviewComment(
	repository: RepositoryRecord,
	id: number,
): { readonly issue: PullIssue; readonly comment: ReviewCommentRecord } {
	for (const issue of repository.issues.values()) {
		if (!isPull(issue)) continue;
		const comment = issue.pull.reviewComments.find((candidate) => candidate.id === id);
		if (comment !== undefined) return { issue, comment };
	}
	throw notFound();
}

export function renderReview(state: LoopbackState, repository: RepositoryRecord, issue: PullIssue, review: ReviewRecord): JsonObject {
	const page = `${issuePage(state, repository, issue)}#pullrequestreview-${review.id}`;
	const pullUrl = `${repositoryUrl(state, repository)}/pulls/${issue.number}`;
	return {
		id: review.id,
		node_id: nodeId("PRR", review.id),
		user: renderUser(state, review.author),
		body: review.body,
		state: review.state,
		html_url: page,
		pull_request_url: pullUrl,
		author_association: associationOf(repository, review.author),
		_links: { html: { href: page }, pull_request: { href: pullUrl } },
		...(review.state === "PENDING" ? {} : { submitted_at: review.submittedAt }),
		commit_id: review.commit,
	};
}

/**
 * The line a comment stands at now. It moves with later commits; null means outdated: its line was changed.
 * Lines of the old side stay, as the base does.
 */
async function presentLine(
	repository: RepositoryRecord,
	issue: PullIssue,
	comment: ReviewCommentRecord,
	line: number | null,
): Promise<number | null> {
	if (line === null || comment.commit === issue.pull.head.sha) return line;
	if (comment.side === "LEFT") return line;
	// After a force push the old commit may be no ancestor, but its objects are still there.
	if ((await askGit(repository.bare, ["cat-file", "-e", `${comment.commit}^{commit}`])) === undefined) return null;
	return (await mapLine(repository.bare, comment.commit, issue.pull.head.sha, comment.path, line)) ?? null;
}

/** How far below the hunk's header the comment's last line is: GitHub's old `position`, per hunk. */
function positionOf(comment: ReviewCommentRecord): number {
	return Math.max(comment.diffHunk.split("\n").length - 1, 1);
}

export async function renderReviewComment(
	state: LoopbackState,
	repository: RepositoryRecord,
	issue: PullIssue,
	comment: ReviewCommentRecord,
): Promise<JsonObject> {
	const api = repositoryUrl(state, repository);
	const url = `${api}/pulls/comments/${comment.id}`;
	const page = `${issuePage(state, repository, issue)}#discussion_r${comment.id}`;
	const pullUrl = `${api}/pulls/${issue.number}`;
	const line = await presentLine(repository, issue, comment, comment.line);
	const outdated = comment.subjectType === "line" && line === null;
	return {
		id: comment.id,
		node_id: nodeId("PRRC", comment.id),
		url,
		pull_request_review_id: comment.reviewId,
		diff_hunk: comment.diffHunk,
		path: comment.path,
		position: outdated ? null : positionOf(comment),
		original_position: positionOf(comment),
		commit_id: outdated ? comment.commit : issue.pull.head.sha,
		original_commit_id: comment.commit,
		user: renderUser(state, comment.author),
		body: comment.body,
		created_at: comment.createdAt,
		updated_at: comment.updatedAt,
		html_url: page,
		pull_request_url: pullUrl,
		author_association: associationOf(repository, comment.author),
		_links: { self: { href: url }, html: { href: page }, pull_request: { href: pullUrl } },
		reactions: renderReactionCounts(url, comment.reactions),
		start_line: comment.startLine === null ? null : await presentLine(repository, issue, comment, comment.startLine),
		original_start_line: comment.startLine,
		start_side: comment.startSide,
		line,
		original_line: comment.line,
		side: comment.side ?? "RIGHT",
		subject_type: comment.subjectType,
		...(comment.inReplyTo === null ? {} : { in_reply_to_id: comment.inReplyTo }),
	};
}
