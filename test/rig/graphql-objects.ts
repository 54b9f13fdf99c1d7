import {
	type CommentRecord,
	ensureUser,
	fullNameOf,
	isPull,
	type LoopbackState,
	type PullIssue,
	type ReactionRecord,
	type RepositoryRecord,
	type ReviewCommentRecord,
} from "../../src/demo/loopback-github/loopback-state.ts";
import { nodeId } from "../../src/demo/loopback-github/render-repository.ts";

/** A GraphQL object: plain values and functions of the field's arguments. */
export type GraphQLObject = { readonly [field: string]: unknown };

interface PageArguments {
	readonly first?: number;
	readonly after?: string | null;
	readonly last?: number;
}

/** One page of a connection; cursors are offsets. GitHub wants `first` or `last`, at most 100. */
function connection<T>(items: readonly T[], { first, after, last }: PageArguments): GraphQLObject {
	if (first === undefined && last === undefined)
		throw new Error("You must provide a `first` or `last` value to properly paginate the connection.");
	const start = last === undefined ? Number(after ?? "0") : Math.max(items.length - last, 0);
	const end = Math.min(start + Math.min(first ?? last ?? 0, 100), items.length);
	const nodes = items.slice(start, end);
	return {
		nodes,
		edges: nodes.map((node, index) => ({ node, cursor: String(start + index + 1) })),
		totalCount: items.length,
		pageInfo: { hasNextPage: end < items.length, hasPreviousPage: start > 0, startCursor: String(start), endCursor: String(end) },
	};
}

const REACTION_NAMES: Readonly<Record<string, string>> = {
	"+1": "THUMBS_UP",
	"-1": "THUMBS_DOWN",
	laugh: "LAUGH",
	hooray: "HOORAY",
	confused: "CONFUSED",
	heart: "HEART",
	rocket: "ROCKET",
	eyes: "EYES",
};

export function actorObject(state: LoopbackState, login: string): GraphQLObject {
	const user = ensureUser(state, login);
	// GraphQL gives an app's login without the suffix that REST shows.
	return { __typename: user.type, login: user.login.replace(/\[bot\]$/, ""), url: `${state.serverUrl}/${user.login}`, databaseId: user.id };
}

function reactionGroups(reactions: readonly ReactionRecord[]): readonly GraphQLObject[] {
	return Object.entries(REACTION_NAMES).map(([content, name]) => {
		const own = reactions.filter((reaction) => reaction.content === content);
		return { content: name, users: () => ({ totalCount: own.length }), reactors: () => ({ totalCount: own.length }) };
	});
}

function commentFields(state: LoopbackState, comment: CommentRecord): GraphQLObject {
	return {
		databaseId: comment.id,
		fullDatabaseId: String(comment.id),
		author: actorObject(state, comment.author),
		body: comment.body,
		createdAt: comment.createdAt,
		updatedAt: comment.updatedAt,
		isMinimized: comment.minimized !== null,
		minimizedReason: comment.minimized,
		reactionGroups: reactionGroups(comment.reactions),
	};
}

export function issueCommentObject(state: LoopbackState, comment: CommentRecord): GraphQLObject {
	return { __typename: "IssueComment", id: nodeId("IC", comment.id), ...commentFields(state, comment) };
}

export function reviewCommentObject(state: LoopbackState, comment: ReviewCommentRecord): GraphQLObject {
	return {
		__typename: "PullRequestReviewComment",
		id: nodeId("PRRC", comment.id),
		...commentFields(state, comment),
		path: comment.path,
		line: comment.line,
		originalLine: comment.line,
		diffHunk: comment.diffHunk,
	};
}

/** A thread is a root comment with its replies. */
export function threadObject(state: LoopbackState, issue: PullIssue, root: ReviewCommentRecord): GraphQLObject {
	const resolver = issue.pull.resolved.get(root.id);
	const comments = issue.pull.reviewComments.filter((comment) => comment === root || comment.inReplyTo === root.id);
	return {
		__typename: "PullRequestReviewThread",
		id: nodeId("PRRT", root.id),
		isResolved: resolver !== undefined,
		isOutdated: root.commit !== issue.pull.head.sha,
		isCollapsed: resolver !== undefined,
		resolvedBy: resolver === undefined ? null : actorObject(state, resolver),
		path: root.path,
		line: root.line,
		startLine: root.startLine,
		diffSide: root.side ?? "RIGHT",
		subjectType: root.subjectType === "file" ? "FILE" : "LINE",
		comments: (page: PageArguments) =>
			connection(
				comments.map((comment) => reviewCommentObject(state, comment)),
				page,
			),
	};
}

function rootComments(issue: PullIssue): readonly ReviewCommentRecord[] {
	return issue.pull.reviewComments.filter((comment) => comment.inReplyTo === null);
}

function pullObject(state: LoopbackState, issue: PullIssue): GraphQLObject {
	return {
		__typename: "PullRequest",
		id: nodeId("PR", issue.id),
		number: issue.number,
		title: issue.title,
		body: issue.body ?? "",
		state: issue.pull.mergedAt === null ? issue.state.toUpperCase() : "MERGED",
		isDraft: issue.pull.draft,
		headRefOid: issue.pull.head.sha,
		headRefName: issue.pull.head.ref,
		baseRefName: issue.pull.base.ref,
		author: actorObject(state, issue.author),
		reviewThreads: (page: PageArguments) =>
			connection(
				rootComments(issue).map((root) => threadObject(state, issue, root)),
				page,
			),
		comments: (page: PageArguments) =>
			connection(
				issue.comments.map((comment) => issueCommentObject(state, comment)),
				page,
			),
	};
}

export function repositoryObject(state: LoopbackState, repository: RepositoryRecord): GraphQLObject {
	return {
		__typename: "Repository",
		id: nodeId("R", repository.id),
		name: repository.name,
		nameWithOwner: fullNameOf(repository),
		isPrivate: repository.private,
		owner: actorObject(state, repository.owner),
		pullRequest: ({ number }: { readonly number: number }) => {
			const issue = repository.issues.get(number);
			return issue !== undefined && isPull(issue) ? pullObject(state, issue) : null;
		},
	};
}
