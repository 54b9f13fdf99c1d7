import type { Octokit } from "@octokit/rest";
import type { RepositoryRef } from "../../domain/ids.ts";
import type { Annotation, ReviewComment } from "../../domain/publication.ts";
import type { GitHostWriter, WriteResult } from "../../seams.ts";
import { resolveReviewThreads } from "./resolve-review-threads.ts";
import { mapWriteError } from "./map-write-error.ts";

/** The retry plugin repeats POSTs on 500 unless told otherwise, and a comment would stand there twice (BR-45). */
const request = { retries: 0 };

type Written = { readonly id: number; readonly url: string };

/** Writes to one repository: single requests, every refusal a value. */
export function createGitHubWriter(octokit: Octokit, repository: RepositoryRef, now: () => number): GitHostWriter {
	const target = { owner: repository.owner, repo: repository.name, request };
	const attempt = async <T>(write: () => Promise<T>): Promise<WriteResult<T>> => {
		try {
			return { ok: true, value: await write() };
		} catch (error) {
			return mapWriteError(error, now());
		}
	};
	return {
		createComment: (issue_number, body) =>
			attempt(async () => toWritten((await octokit.rest.issues.createComment({ ...target, issue_number, body })).data)),
		updateComment: (comment_id, body) =>
			attempt(async () => toWritten((await octokit.rest.issues.updateComment({ ...target, comment_id, body })).data)),
		createReview: (pull_number, commit_id, body, comments) =>
			attempt(async () => {
				const review = { ...target, pull_number, commit_id, body, event: "COMMENT" as const, comments: comments.map(toReviewComment) };
				return toWritten((await octokit.rest.pulls.createReview(review)).data);
			}),
		createFileComment: (pull_number, commit_id, { path, body }) =>
			attempt(async () => {
				const comment = { ...target, pull_number, commit_id, path, body, subject_type: "file" as const };
				return toWritten((await octokit.rest.pulls.createReviewComment(comment)).data);
			}),
		createCheck: (head_sha, name, { conclusion, title, summary, detailsUrl }, annotations) =>
			attempt(async () => {
				const { data } = await octokit.rest.checks.create({
					...target,
					head_sha,
					name,
					status: "completed",
					conclusion: conclusion as "success" | "neutral" | "failure" | "skipped",
					...(detailsUrl === undefined ? {} : { details_url: detailsUrl }),
					output: { title, summary, annotations: annotations.map(toCheckAnnotation) },
				});
				return { id: data.id, url: data.html_url ?? data.url };
			}),
		createPullRequest: ({ branch: head, base, title, body, draft }) =>
			attempt(async () => {
				const { data } = await octokit.rest.pulls.create({ ...target, head, base, title, body, draft });
				return { id: data.number, url: data.html_url };
			}),
		updatePullRequest: (pull_number, { title, body }) =>
			attempt(async () => {
				const { data } = await octokit.rest.pulls.update({ ...target, pull_number, title, body });
				return { id: data.number, url: data.html_url };
			}),
		addLabels: (issue_number, labels) =>
			attempt(async () => {
				await octokit.rest.issues.addLabels({ ...target, issue_number, labels: [...labels] });
				return { id: issue_number };
			}),
		resolveThreads: (threads) => resolveReviewThreads(octokit, threads, now()),
		addReaction: ({ id: comment_id, kind }, content) =>
			attempt(async () => {
				const api = octokit.rest.reactions;
				const create = kind === "issue" ? api.createForIssueComment : api.createForPullRequestReviewComment;
				const { data, status } = await create({ ...target, comment_id, content });
				return { id: data.id, created: status === 201 };
			}),
		removeReaction: ({ id: comment_id, kind }, reaction_id) =>
			attempt(async () => {
				const api = octokit.rest.reactions;
				const remove = kind === "issue" ? api.deleteForIssueComment : api.deleteForPullRequestComment;
				await remove({ ...target, comment_id, reaction_id });
				return { id: reaction_id };
			}),
	};
}

function toWritten(data: { readonly id: number; readonly html_url: string }): Written {
	return { id: data.id, url: data.html_url };
}

/** A start line is only sent for a range, or GitHub says "start line must precede the end line". */
function toReviewComment(comment: ReviewComment) {
	const { path, side, line, startLine, startSide, body } = comment;
	const range = startLine !== undefined && startLine < line ? { start_line: startLine, start_side: startSide ?? side } : {};
	return { path, side, line, ...range, body };
}

function toCheckAnnotation(annotation: Annotation) {
	return {
		path: annotation.path,
		start_line: annotation.startLine,
		end_line: annotation.endLine,
		annotation_level: annotation.level,
		title: annotation.title,
		message: annotation.message,
	};
}
