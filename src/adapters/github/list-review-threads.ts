import type { Octokit } from "@octokit/rest";
import * as z from "zod";
import type { HostReviewThread } from "../../seams.ts";

/** Review comments have outgrown 32 bits, so their ids come as text. */
const QUERY = `query ($owner: String!, $name: String!, $number: Int!, $after: String) {
	repository(owner: $owner, name: $name) {
		pullRequest(number: $number) {
			reviewThreads(first: 100, after: $after) {
				nodes { id isResolved resolvedBy { login databaseId } comments(first: 1) { nodes { fullDatabaseId } } }
				pageInfo { hasNextPage endCursor }
			}
		}
	}
}`;

const answerSchema = z.object({
	repository: z.object({
		pullRequest: z.object({
			reviewThreads: z.object({
				nodes: z.array(
					z.object({
						id: z.string(),
						isResolved: z.boolean(),
						resolvedBy: z.object({ login: z.string(), databaseId: z.number().nullable() }).nullable(),
						comments: z.object({ nodes: z.array(z.object({ fullDatabaseId: z.union([z.string(), z.number()]) })) }),
					}),
				),
				pageInfo: z.object({ hasNextPage: z.boolean(), endCursor: z.string().nullable() }),
			}),
		}),
	}),
});

/** All conversations of a pull request, through GraphQL. Rejects when GitHub refuses or answers something else. */
export async function listReviewThreads(
	octokit: Octokit,
	pull: { readonly owner: string; readonly name: string; readonly number: number },
): Promise<readonly HostReviewThread[]> {
	const threads: HostReviewThread[] = [];
	let after: string | null = null;
	do {
		const answer: unknown = await octokit.graphql(QUERY, { ...pull, after });
		const { reviewThreads }: z.output<typeof answerSchema>["repository"]["pullRequest"] = answerSchema.parse(answer).repository.pullRequest;
		for (const node of reviewThreads.nodes) {
			const [root] = node.comments.nodes;
			if (root === undefined) continue;
			const by = node.resolvedBy;
			threads.push({
				id: node.id,
				resolved: node.isResolved,
				resolvedBy: by === null ? null : { login: by.login, id: by.databaseId ?? 0 },
				comment: Number(root.fullDatabaseId),
			});
		}
		after = reviewThreads.pageInfo.hasNextPage ? reviewThreads.pageInfo.endCursor : null;
	} while (after !== null);
	return threads;
}
