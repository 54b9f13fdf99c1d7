import {
	buildIssueCommentPayload,
	buildIssuePayload,
	buildPullRequestPayload,
	buildRepositoryDispatchPayload,
	buildReviewCommentPayload,
	buildWorkflowDispatchPayload,
	buildWorkflowRunPayload,
} from "./event-payloads.ts";
import { runGit } from "./git-command.ts";
import { findIssueComment } from "./handle-issues.ts";
import type { LoopbackReadings } from "./loopback-github.ts";
import { findIssue, findPull, type LoopbackState, pickRepository } from "./loopback-state.ts";
import { findReviewComment } from "./render-review.ts";

/** Everything a rig reads back, without going through HTTP. */
export function createReadings(state: LoopbackState): LoopbackReadings {
	return {
		async pullRequestPayload(number, action, options, repository) {
			return buildPullRequestPayload(state, pickRepository(state, repository), number, action, options);
		},
		commentPayload(number, commentId, action = "created", repository) {
			const record = pickRepository(state, repository);
			if (findIssueComment(record, commentId).issue.number !== number) throw new Error(`comment ${commentId} is not on #${number}`);
			return buildIssueCommentPayload(state, record, commentId, action);
		},
		async reviewCommentPayload(commentId, action = "created", repository) {
			return buildReviewCommentPayload(state, pickRepository(state, repository), commentId, action);
		},
		issuePayload(number, action, repository) {
			const record = pickRepository(state, repository);
			return buildIssuePayload(state, record, findIssue(record, number), action);
		},
		async workflowRunPayload(runId, action = "completed", repository) {
			return buildWorkflowRunPayload(state, pickRepository(state, repository), runId, action);
		},
		workflowDispatchPayload: (options, repository) => buildWorkflowDispatchPayload(state, pickRepository(state, repository), options),
		repositoryDispatchPayload: (options, repository) => buildRepositoryDispatchPayload(state, pickRepository(state, repository), options),
		comments: (number, repository) => findIssue(pickRepository(state, repository), number).comments,
		labels: (number, repository) => findIssue(pickRepository(state, repository), number).labels,
		pull: (number, repository) => findPull(pickRepository(state, repository), number).pull,
		reviews: (number, repository) => findPull(pickRepository(state, repository), number).pull.reviews,
		reviewComments: (number, repository) => findPull(pickRepository(state, repository), number).pull.reviewComments,
		checks: (sha, repository) => pickRepository(state, repository).checks.filter((check) => check.headSha === sha),
		statuses: (sha, repository) => pickRepository(state, repository).statuses.filter((status) => status.sha === sha),
		reactions(commentId, repository) {
			const record = pickRepository(state, repository);
			const onIssue = [...record.issues.values()].flatMap((issue) => issue.comments).find((comment) => comment.id === commentId);
			return (onIssue ?? findReviewComment(record, commentId).comment).reactions;
		},
		async refs(repository) {
			const lines = await runGit(pickRepository(state, repository).bare, ["for-each-ref", "--format=%(objectname) %(refname)"]);
			const pairs = lines.split("\n").filter((line) => line !== "");
			return Object.fromEntries(pairs.map((line) => [line.slice(41), line.slice(0, 40)]));
		},
	};
}
