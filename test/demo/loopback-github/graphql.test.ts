import { describe, expect, it } from "vitest";
import { createGraphQLHandler } from "../../rig/graphql.ts";
import { git, type Rig, startRig, TOKENS } from "./rig.ts";

const graphql = createGraphQLHandler();

const THREADS = `query ($owner: String!, $name: String!, $number: Int!) {
	repository(owner: $owner, name: $name) {
		pullRequest(number: $number) {
			id
			reviewThreads(first: 100) {
				pageInfo { hasNextPage endCursor }
				nodes {
					id isResolved isOutdated path line
					comments(first: 10) { nodes { databaseId body author { login } reactionGroups { content users { totalCount } } } }
				}
			}
		}
	}
}`;

interface Threads {
	readonly repository: {
		readonly pullRequest: {
			readonly id: string;
			readonly reviewThreads: {
				readonly nodes: readonly {
					readonly id: string;
					readonly isResolved: boolean;
					readonly path: string;
					readonly line: number;
					readonly comments: {
						readonly nodes: readonly {
							readonly databaseId: number;
							readonly body: string;
							readonly reactionGroups: readonly { readonly content: string; readonly users: { readonly totalCount: number } }[];
						}[];
					};
				}[];
			};
		};
	};
}

async function readThreads(rig: Rig): Promise<Threads["repository"]["pullRequest"]> {
	const data = await rig.client().graphql<Threads>(THREADS, { owner: "acme", name: "widgets", number: rig.number });
	return data.repository.pullRequest;
}

/** Messages and types of a refused query. */
async function graphqlErrors(call: Promise<unknown>): Promise<readonly { readonly type?: string; readonly message: string }[]> {
	return call.then(
		() => {
			throw new Error("the query was expected to fail");
		},
		(error: { errors?: readonly { type?: string; message: string }[] }) => error.errors ?? [],
	);
}

async function withThread(rig: Rig): Promise<void> {
	const comments = [{ path: "a.txt", line: 2, body: "root" }];
	await rig.client().pulls.createReview({ ...rig.repository, pull_number: rig.number, event: "COMMENT", comments });
}

const COMMIT = `mutation ($input: CreateCommitOnBranchInput!) { createCommitOnBranch(input: $input) { commit { oid url } } }`;

describe("graphql", () => {
	it("lists review threads with comments and reactions", async () => {
		await using rig = await startRig({ graphql });
		await withThread(rig);
		const id = rig.hub.reviewComments(rig.number)[0]?.id ?? 0;
		await rig.client(TOKENS.ada).reactions.createForPullRequestReviewComment({ ...rig.repository, comment_id: id, content: "-1" });
		const [thread] = (await readThreads(rig)).reviewThreads.nodes;
		expect(thread).toMatchObject({ isResolved: false, path: "a.txt", line: 2 });
		const [comment] = thread?.comments.nodes ?? [];
		expect(comment).toMatchObject({ databaseId: id, body: "root", author: { login: "github-actions" } });
		expect(comment?.reactionGroups.find((group) => group.content === "THUMBS_DOWN")?.users.totalCount).toBe(1);
	});

	it("resolves and unresolves a thread, with a write token only", async () => {
		await using rig = await startRig({ graphql });
		await withThread(rig);
		const threadId = (await readThreads(rig)).reviewThreads.nodes[0]?.id;
		const resolve = `mutation ($threadId: ID!) { resolveReviewThread(input: { threadId: $threadId }) { thread { isResolved resolvedBy { login } } } }`;
		expect(await graphqlErrors(rig.client(TOKENS.reader).graphql(resolve, { threadId }))).toMatchObject([{ type: "FORBIDDEN" }]);
		expect(await rig.client().graphql(resolve, { threadId })).toMatchObject({ resolveReviewThread: { thread: { isResolved: true } } });
		expect((await readThreads(rig)).reviewThreads.nodes[0]?.isResolved).toBe(true);
		await rig.client().graphql(resolve.replaceAll("resolveReviewThread", "unresolveReviewThread"), { threadId });
		expect(rig.hub.pull(rig.number).resolved.size).toBe(0);
		expect(await graphqlErrors(rig.client().graphql(resolve, { threadId: "PRRT_none" }))).toMatchObject([{ type: "NOT_FOUND" }]);
	});

	it("minimizes a comment by its REST node id", async () => {
		await using rig = await startRig({ graphql });
		const { data } = await rig.client().issues.createComment({ ...rig.repository, issue_number: rig.number, body: "old" });
		const query = `mutation ($id: ID!) { minimizeComment(input: { subjectId: $id, classifier: OUTDATED }) { minimizedComment { isMinimized minimizedReason } } }`;
		expect(await rig.client().graphql(query, { id: data.node_id })).toEqual({
			minimizeComment: { minimizedComment: { isMinimized: true, minimizedReason: "outdated" } },
		});
		expect(rig.hub.comments(rig.number)[0]?.minimized).toBe("outdated");
	});

	it("makes a verified commit on a branch and checks the expected head", async () => {
		await using rig = await startRig({ graphql });
		const expectedHeadOid = rig.hub.pull(rig.number).head.sha;
		const input = {
			branch: { repositoryNameWithOwner: "acme/widgets", branchName: "feature" },
			message: { headline: "Fix", body: "Why" },
			fileChanges: {
				additions: [{ path: "fix.txt", contents: Buffer.from("fixed\n").toString("base64") }],
				deletions: [{ path: "src/keep.ts" }],
			},
			expectedHeadOid,
		};
		const made = await rig.client().graphql<{ createCommitOnBranch: { commit: { oid: string } } }>(COMMIT, { input });
		const { oid } = made.createCommitOnBranch.commit;
		expect(await git(rig.bare, "show", "--name-status", "--format=%s/%b", oid)).toMatch(/^Fix\/Why\s+A\tfix.txt\nD\tsrc\/keep.ts$/);
		expect((await rig.client().pulls.get({ ...rig.repository, pull_number: rig.number })).data.head.sha).toBe(oid);
		expect((await rig.client().repos.getCommit({ ...rig.repository, ref: oid })).data.commit.verification?.verified).toBe(true);
		expect(await graphqlErrors(rig.client().graphql(COMMIT, { input }))).toMatchObject([{ type: "STALE_DATA" }]);
		const workflow = { ...input, expectedHeadOid: oid, fileChanges: { additions: [{ path: ".github/workflows/x.yml", contents: "" }] } };
		expect(await graphqlErrors(rig.client().graphql(COMMIT, { input: workflow }))).toMatchObject([{ type: "FORBIDDEN" }]);
	});

	it("adds a thread, and silently none outside the diff", async () => {
		await using rig = await startRig({ graphql });
		const pullRequestId = (await readThreads(rig)).id;
		const query = `mutation ($input: AddPullRequestReviewThreadInput!) { addPullRequestReviewThread(input: $input) { thread { id line } } }`;
		const add = async (line: number) =>
			rig.client().graphql(query, { input: { pullRequestId, path: "a.txt", body: "x", line, side: "RIGHT" } });
		expect(await add(15)).toMatchObject({ addPullRequestReviewThread: { thread: { line: 15 } } });
		expect(await add(10)).toEqual({ addPullRequestReviewThread: { thread: null } });
		expect(rig.hub.reviewComments(rig.number)).toHaveLength(1);
	});

	it("refuses an unknown field with GitHub's schema, and is a 404 without a handler", async () => {
		await using rig = await startRig({ graphql });
		const errors = await graphqlErrors(rig.client().graphql(`{ viewer { logon } }`));
		expect(errors[0]?.message).toContain("logon");
		expect(rig.hub.requests.at(-1)).toMatchObject({ operation: "graphql", status: 200 });
		await using bare = await startRig();
		await expect(bare.client().graphql(`{ viewer { login } }`)).rejects.toMatchObject({ status: 404 });
	});
});
