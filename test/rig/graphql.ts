import type { GraphQLSchema } from "graphql";
import { checkAnchor } from "../../src/demo/loopback-github/check-anchor.ts";
import { scopeAccess } from "../../src/demo/loopback-github/authorize-call.ts";
import { GITHUB_COMMITTER, identityOf } from "../../src/demo/loopback-github/handle-git-data.ts";
import type { GraphQLHandler, GraphQLRequest } from "../../src/demo/loopback-github/handle-request.ts";
import { addReview, addReviewComment } from "../../src/demo/loopback-github/handle-reviews.ts";
import type { TokenScope } from "../../src/demo/loopback-github/loopback-types.ts";
import {
	type CommentRecord,
	isPull,
	type LoopbackState,
	type PullIssue,
	type RepositoryRecord,
	type ReviewCommentRecord,
	repositoryKey,
} from "../../src/demo/loopback-github/loopback-state.ts";
import { readBranch } from "../../src/demo/loopback-github/read-commits.ts";
import { pullFiles, refreshPull } from "../../src/demo/loopback-github/refresh-pull.ts";
import { nodeId } from "../../src/demo/loopback-github/render-repository.ts";
import {
	moveRef,
	touchesWorkflows,
	type TreeChange,
	writeBlob,
	writeCommit,
	writeTree,
} from "../../src/demo/loopback-github/write-commit.ts";
import {
	actorObject,
	type GraphQLObject,
	issueCommentObject,
	repositoryObject,
	reviewCommentObject,
	threadObject,
} from "./graphql-objects.ts";

/** GitHub's kind of error, shown as `type` beside the message. */
class TypedError extends Error {
	readonly type: string;
	constructor(type: string, message: string) {
		super(message);
		this.type = type;
	}
}

interface Placed<T> {
	readonly repository: RepositoryRecord;
	readonly issue: PullIssue;
	readonly comment: T;
}

function pullsOf(state: LoopbackState): readonly { readonly repository: RepositoryRecord; readonly issue: PullIssue }[] {
	return [...state.repositories.values()].flatMap((repository) =>
		[...repository.issues.values()].filter(isPull).map((issue) => ({ repository, issue })),
	);
}

function noNode(id: string): TypedError {
	return new TypedError("NOT_FOUND", `Could not resolve to a node with the global id of '${id}'`);
}

function findThread(state: LoopbackState, id: string): Placed<ReviewCommentRecord> {
	for (const { repository, issue } of pullsOf(state)) {
		const comment = issue.pull.reviewComments.find((candidate) => nodeId("PRRT", candidate.id) === id);
		if (comment !== undefined) return { repository, issue, comment };
	}
	throw noNode(id);
}

function findMinimizable(state: LoopbackState, id: string): { readonly comment: CommentRecord; readonly object: () => GraphQLObject } {
	for (const repository of state.repositories.values()) {
		for (const issue of repository.issues.values()) {
			const comment = issue.comments.find((candidate) => nodeId("IC", candidate.id) === id);
			if (comment !== undefined) return { comment, object: () => issueCommentObject(state, comment) };
			const own = issue.pull?.reviewComments.find((candidate) => nodeId("PRRC", candidate.id) === id);
			if (own !== undefined) return { comment: own, object: () => reviewCommentObject(state, own) };
		}
	}
	throw noNode(id);
}

function requireScope({ viewer }: GraphQLRequest, scope: TokenScope): string {
	if (viewer === null || scopeAccess(viewer.permissions, scope) !== "write") {
		throw new TypedError("FORBIDDEN", "Resource not accessible by integration");
	}
	return viewer.login;
}

interface CommitInput {
	readonly branch: { readonly repositoryNameWithOwner?: string; readonly branchName?: string };
	readonly message: { readonly headline: string; readonly body?: string };
	readonly fileChanges?: {
		readonly additions?: readonly { readonly path: string; readonly contents: string }[];
		readonly deletions?: readonly { readonly path: string }[];
	};
	readonly expectedHeadOid: string;
}

async function createCommit(request: GraphQLRequest, input: CommitInput): Promise<GraphQLObject> {
	const { state, viewer } = request;
	const login = requireScope(request, "contents");
	const repository = state.repositories.get(repositoryKey(input.branch.repositoryNameWithOwner ?? ""));
	const branch = input.branch.branchName ?? "";
	if (repository === undefined) throw new TypedError("NOT_FOUND", "Could not resolve to a Repository");
	const additions = input.fileChanges?.additions ?? [];
	const deletions = input.fileChanges?.deletions ?? [];
	const paths = [...additions, ...deletions].map((change) => change.path);
	if (touchesWorkflows(paths) && (viewer === null || scopeAccess(viewer.permissions, "workflows") !== "write")) {
		throw new TypedError("FORBIDDEN", "Resource not accessible by integration");
	}
	return state.withLock(repository, async () => {
		const head = await readBranch(repository.bare, branch);
		if (head === undefined) throw new TypedError("NOT_FOUND", `No ref found for ${branch}`);
		if (head !== input.expectedHeadOid) {
			throw new TypedError("STALE_DATA", `Expected branch to point to "${input.expectedHeadOid}" but it did not. Pull and try again.`);
		}
		if (repository.protectedBranches.has(branch)) {
			throw new TypedError("BRANCH_PROTECTION_RULE_VIOLATION", "Changes must be made through a pull request.");
		}
		const written = additions.map(async ({ path, contents }): Promise<TreeChange> => {
			return { path, mode: "100644", sha: await writeBlob(repository.bare, Buffer.from(contents, "base64")) };
		});
		const removed = deletions.map(({ path }): TreeChange => ({ path, mode: "000000", sha: null }));
		const tree = await writeTree(repository.bare, head, [...removed, ...(await Promise.all(written))]);
		const message = input.message.body === undefined ? input.message.headline : `${input.message.headline}\n\n${input.message.body}`;
		const author = identityOf(state, login);
		const oid = await writeCommit(repository.bare, { tree, parents: [head], message, author, committer: GITHUB_COMMITTER });
		await moveRef(repository.bare, `refs/heads/${branch}`, oid, head);
		repository.signedCommits.add(oid);
		const url = `${state.serverUrl}/${repository.owner}/${repository.name}/commit/${oid}`;
		return { commit: { __typename: "Commit", id: nodeId("C", repository.id, oid), oid, url }, ref: { name: branch } };
	});
}

interface ThreadInput {
	readonly pullRequestId: string;
	readonly path: string;
	readonly body: string;
	readonly line?: number;
	readonly side?: "LEFT" | "RIGHT";
	readonly startLine?: number;
	readonly startSide?: "LEFT" | "RIGHT";
	readonly subjectType?: "LINE" | "FILE";
}

/** Outside the diff GitHub takes the mutation without a word and gives no thread. */
async function addThread(request: GraphQLRequest, input: ThreadInput): Promise<GraphQLObject> {
	const { state } = request;
	const author = requireScope(request, "pull-requests");
	const found = pullsOf(state).find(({ issue }) => nodeId("PR", issue.id) === input.pullRequestId);
	if (found === undefined) throw noNode(input.pullRequestId);
	const { repository, issue } = found;
	await refreshPull(state, repository, issue);
	const result = checkAnchor(await pullFiles(repository, issue), {
		path: input.path,
		subjectType: input.subjectType === "FILE" ? "file" : "line",
		line: input.line,
		side: input.side,
		startLine: input.startLine,
		startSide: input.startSide,
		position: undefined,
	});
	if (!result.ok) return { thread: null };
	const commit = issue.pull.head.sha;
	const review = addReview(state, issue, { author, body: "", state: "COMMENTED", commit });
	const comment = addReviewComment(state, issue, {
		author,
		body: input.body,
		commit,
		reviewId: review.id,
		inReplyTo: null,
		anchor: result.anchor,
	});
	return { thread: threadObject(state, issue, comment) };
}

/** One function a root field, for queries and mutations alike. */
function rootValue(request: GraphQLRequest): GraphQLObject {
	const { state, viewer } = request;
	const setResolved = ({ input }: { readonly input: { readonly threadId: string } }, resolved: boolean): GraphQLObject => {
		const login = requireScope(request, "contents");
		const { issue, comment } = findThread(state, input.threadId);
		if (resolved) issue.pull.resolved.set(comment.id, login);
		else issue.pull.resolved.delete(comment.id);
		return { thread: threadObject(state, issue, comment) };
	};
	const setMinimized = (subjectId: string, reason: string | null): GraphQLObject => {
		requireScope(request, "issues");
		const { comment, object } = findMinimizable(state, subjectId);
		comment.minimized = reason;
		return object();
	};
	return {
		viewer: () => actorObject(state, viewer?.login ?? "ghost"),
		repository: async ({ owner, name }: { readonly owner: string; readonly name: string }) => {
			const repository = state.repositories.get(repositoryKey(`${owner}/${name}`));
			if (repository === undefined)
				throw new TypedError("NOT_FOUND", `Could not resolve to a Repository with the name '${owner}/${name}'.`);
			for (const issue of [...repository.issues.values()].filter(isPull)) await refreshPull(state, repository, issue);
			return repositoryObject(state, repository);
		},
		resolveReviewThread: (input: { readonly input: { readonly threadId: string } }) => setResolved(input, true),
		unresolveReviewThread: (input: { readonly input: { readonly threadId: string } }) => setResolved(input, false),
		minimizeComment: ({ input }: { readonly input: { readonly subjectId: string; readonly classifier: string } }) => ({
			minimizedComment: setMinimized(input.subjectId, input.classifier.toLowerCase()),
		}),
		unminimizeComment: ({ input }: { readonly input: { readonly subjectId: string } }) => ({
			unminimizedComment: setMinimized(input.subjectId, null),
		}),
		createCommitOnBranch: ({ input }: { readonly input: CommitInput }) => createCommit(request, input),
		addPullRequestReviewThread: ({ input }: { readonly input: ThreadInput }) => addThread(request, input),
	};
}

/**
 * A handler for `startLoopbackGitHub({ graphql })` that runs queries against GitHub's own schema. The schema takes
 * about half a second to build, so it is loaded at the first query; one handler may serve many loopbacks.
 */
export function createGraphQLHandler(): GraphQLHandler {
	let loading: Promise<{ readonly schema: GraphQLSchema; readonly run: typeof import("graphql").graphql }> | undefined;
	const load = async () => {
		const [{ buildSchema, graphql }, published] = await Promise.all([import("graphql"), import("@octokit/graphql-schema")]);
		// The published text repeats two fields, which only an unchecked build accepts.
		return { schema: buildSchema(published.schema.idl, { assumeValid: true, assumeValidSDL: true }), run: graphql };
	};
	return async (request) => {
		loading ??= load();
		const { schema, run } = await loading;
		const result = await run({
			schema,
			source: request.query,
			rootValue: rootValue(request),
			variableValues: request.variables,
			operationName: request.operationName ?? null,
		});
		if (result.errors === undefined) return { data: result.data };
		const errors = result.errors.map((error) => {
			const type = error.originalError instanceof TypedError ? { type: error.originalError.type } : {};
			return { ...type, ...error.toJSON() };
		});
		return { ...(result.data === undefined ? {} : { data: result.data }), errors };
	};
}
