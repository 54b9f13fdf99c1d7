import type { JsonObject } from "./loopback-types.ts";
import {
	associationOf,
	type CommentRecord,
	type IssueRecord,
	type LabelRecord,
	type LoopbackState,
	type ReactionRecord,
	type RepositoryRecord,
} from "./loopback-state.ts";
import { nodeId, renderUser, repositoryPage, repositoryUrl } from "./render-repository.ts";

const REACTION_CONTENTS = ["+1", "-1", "laugh", "hooray", "confused", "heart", "rocket", "eyes"] as const;

export function renderReaction(state: LoopbackState, reaction: ReactionRecord): JsonObject {
	return {
		id: reaction.id,
		node_id: nodeId("REA", reaction.id),
		user: renderUser(state, reaction.login),
		content: reaction.content,
		created_at: reaction.createdAt,
	};
}

export function renderReactionCounts(url: string, reactions: readonly ReactionRecord[]): JsonObject {
	const counts = REACTION_CONTENTS.map(
		(content) => [content, reactions.filter((reaction) => reaction.content === content).length] as const,
	);
	return { url: `${url}/reactions`, total_count: reactions.length, ...Object.fromEntries(counts) };
}

export function renderLabel(state: LoopbackState, repository: RepositoryRecord, label: LabelRecord): JsonObject {
	return {
		id: label.id,
		node_id: nodeId("LA", label.id),
		url: `${repositoryUrl(state, repository)}/labels/${encodeURIComponent(label.name)}`,
		name: label.name,
		color: label.color,
		default: false,
		description: label.description,
	};
}

/** The label of a name; one is made when there is none, as GitHub does when an issue gets a new label. */
export function ensureLabel(state: LoopbackState, repository: RepositoryRecord, name: string): LabelRecord {
	const known = repository.labels.get(name.toLowerCase());
	if (known !== undefined) return known;
	const label: LabelRecord = { id: state.nextId(), name, color: "ededed", description: null };
	repository.labels.set(name.toLowerCase(), label);
	return label;
}

export function renderLabels(state: LoopbackState, repository: RepositoryRecord, names: readonly string[]): JsonObject[] {
	return names.map((name) => renderLabel(state, repository, ensureLabel(state, repository, name)));
}

export function issuePage(state: LoopbackState, repository: RepositoryRecord, issue: IssueRecord): string {
	return `${repositoryPage(state, repository)}/${issue.pull === undefined ? "issues" : "pull"}/${issue.number}`;
}

export function renderIssueComment(
	state: LoopbackState,
	repository: RepositoryRecord,
	issue: IssueRecord,
	comment: CommentRecord,
): JsonObject {
	const api = repositoryUrl(state, repository);
	const url = `${api}/issues/comments/${comment.id}`;
	return {
		url,
		html_url: `${issuePage(state, repository, issue)}#issuecomment-${comment.id}`,
		issue_url: `${api}/issues/${issue.number}`,
		id: comment.id,
		node_id: nodeId("IC", comment.id),
		user: renderUser(state, comment.author),
		created_at: comment.createdAt,
		updated_at: comment.updatedAt,
		author_association: associationOf(repository, comment.author),
		body: comment.body,
		reactions: renderReactionCounts(url, comment.reactions),
		performed_via_github_app: null,
	};
}

/** An issue; one that is a pull request carries `pull_request`, by which clients tell them apart (BR-40). */
export function renderIssue(state: LoopbackState, repository: RepositoryRecord, issue: IssueRecord): JsonObject {
	const api = repositoryUrl(state, repository);
	const url = `${api}/issues/${issue.number}`;
	const page = issuePage(state, repository, issue);
	const pull = issue.pull;
	return {
		url,
		repository_url: api,
		labels_url: `${url}/labels{/name}`,
		comments_url: `${url}/comments`,
		events_url: `${url}/events`,
		html_url: page,
		id: issue.id,
		node_id: nodeId(pull === undefined ? "I" : "PR", issue.id),
		number: issue.number,
		title: issue.title,
		user: renderUser(state, issue.author),
		labels: renderLabels(state, repository, issue.labels),
		state: issue.state,
		locked: false,
		assignee: issue.assignees[0] === undefined ? null : renderUser(state, issue.assignees[0]),
		assignees: issue.assignees.map((login) => renderUser(state, login)),
		milestone: null,
		comments: issue.comments.length,
		created_at: issue.createdAt,
		updated_at: issue.updatedAt,
		closed_at: issue.closedAt,
		author_association: associationOf(repository, issue.author),
		active_lock_reason: null,
		body: issue.body,
		closed_by: null,
		reactions: renderReactionCounts(url, []),
		timeline_url: `${url}/timeline`,
		performed_via_github_app: null,
		state_reason: issue.state === "closed" && pull === undefined ? "completed" : null,
		...(pull === undefined
			? {}
			: {
					draft: pull.draft,
					pull_request: {
						url: `${api}/pulls/${issue.number}`,
						html_url: page,
						diff_url: `${page}.diff`,
						patch_url: `${page}.patch`,
						merged_at: pull.mergedAt,
					},
				}),
	};
}
