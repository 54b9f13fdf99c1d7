import type { RestEndpointMethodTypes } from "@octokit/rest";
import { GHOST, type Actor, isSha } from "../../domain/ids.ts";
import type { PullRequestFacts, PullRequestSide } from "../../domain/trigger.ts";
import type { HostComment, HostCommit, HostFile, HostPullRequest, HostReview, HostReviewComment } from "../../seams.ts";

type Data<M extends { response: { data: unknown } }> = M["response"]["data"];
type PullData = Data<RestEndpointMethodTypes["pulls"]["get"]>;
type IssueCommentData = Data<RestEndpointMethodTypes["issues"]["listComments"]>[number];
type ReviewData = Data<RestEndpointMethodTypes["pulls"]["listReviews"]>[number];
type ReviewCommentData = Data<RestEndpointMethodTypes["pulls"]["listReviewComments"]>[number];
type PullListData = Data<RestEndpointMethodTypes["pulls"]["list"]>[number];
type CommitData = Data<RestEndpointMethodTypes["repos"]["compareCommitsWithBasehead"]>["commits"][number];
type FileData = Data<RestEndpointMethodTypes["pulls"]["listFiles"]>[number];

interface UserLike {
	readonly login: string;
	readonly id: number;
	readonly type?: string;
}

const ACTOR_TYPES: readonly Actor["type"][] = ["User", "Bot", "Organization", "Mannequin"];

/** Null is a deleted account: shown as the ghost, never anybody with rights (BR-30). */
export function toActor(user: UserLike | null | undefined): Actor {
	if (user === null || user === undefined) return GHOST;
	return { login: user.login, id: user.id, type: ACTOR_TYPES.find((type) => type === user.type) ?? "Unknown" };
}

export function toPullRequestFacts(pull: PullData): PullRequestFacts {
	const base = toSide(pull.base);
	const head = toSide(pull.head);
	return {
		number: pull.number,
		title: pull.title,
		body: pull.body ?? "",
		author: toActor(pull.user),
		state: pull.state === "closed" ? "closed" : "open",
		merged: pull.merged,
		draft: pull.draft ?? false,
		base,
		head,
		fork: head.repository === null || head.repository !== base.repository,
		labels: pull.labels.map((label) => label.name),
		changedFiles: pull.changed_files,
	};
}

/** The repository is null when a fork was deleted (R30), whatever the types say. */
function toSide(side: {
	readonly ref: string;
	readonly sha: string;
	readonly repo: { readonly full_name: string } | null;
}): PullRequestSide {
	return { ref: side.ref, sha: side.sha, repository: side.repo?.full_name ?? null };
}

export function toHostComment(comment: IssueCommentData): HostComment {
	return {
		id: comment.id,
		author: toActor(comment.user),
		body: comment.body ?? "",
		createdAt: comment.created_at,
		url: comment.html_url,
	};
}

export function toHostReview(review: ReviewData): HostReview {
	return { id: review.id, author: toActor(review.user), body: review.body, commit: review.commit_id, url: review.html_url };
}

export function toHostReviewComment(comment: ReviewCommentData): HostReviewComment {
	return {
		id: comment.id,
		author: toActor(comment.user),
		body: comment.body,
		createdAt: comment.created_at,
		url: comment.html_url,
		path: comment.path,
		line: comment.line ?? null,
		startLine: comment.start_line ?? null,
		dislikes: comment.reactions?.["-1"] ?? 0,
		original: toOriginal(comment),
		reviewId: comment.pull_request_review_id,
		inReplyTo: comment.in_reply_to_id ?? null,
	};
}

function toOriginal(comment: ReviewCommentData): HostReviewComment["original"] {
	const { original_commit_id: commit, original_line: endLine, original_start_line: startLine } = comment;
	if (!isSha(commit) || typeof endLine !== "number") return null;
	return { commit, startLine: startLine ?? endLine, endLine };
}

export function toHostFile(file: FileData): HostFile {
	return {
		path: file.filename,
		...(file.previous_filename === undefined ? {} : { previousPath: file.previous_filename }),
		status: file.status,
		additions: file.additions,
		deletions: file.deletions,
		...(file.patch === undefined ? {} : { patch: file.patch }),
	};
}

export function toHostPullRequest(pull: PullListData): HostPullRequest {
	return {
		number: pull.number,
		url: pull.html_url,
		author: toActor(pull.user),
		state: pull.state === "closed" ? "closed" : "open",
		merged: pull.merged_at !== null,
		title: pull.title,
		body: pull.body ?? "",
		base: pull.base.ref,
		head: pull.head.sha,
		labels: pull.labels.map((label) => label.name),
		updatedAt: pull.updated_at,
	};
}

export function toHostCommit({ sha, commit }: CommitData): HostCommit {
	const { message, author, committer, tree } = commit;
	return { sha, tree: tree.sha, message, authorEmail: author?.email ?? "", committerEmail: committer?.email ?? "" };
}
