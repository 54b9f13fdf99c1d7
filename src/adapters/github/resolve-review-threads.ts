import type { Octokit } from "@octokit/rest";
import type { WriteResult } from "../../seams.ts";
import { mapWriteError } from "./map-write-error.ts";

/** What an error of Octokit's GraphQL client carries beside its message. */
interface GraphQLFailure {
	readonly data?: Readonly<Record<string, unknown>> | null;
	readonly errors?: readonly { readonly type?: string; readonly message?: string }[];
}

/**
 * Resolves conversations in one request, one field each, and names those that are resolved now. Resolving twice is the
 * same as once. GraphQL says "not permitted" with status 200, so its error types decide.
 */
export async function resolveReviewThreads(
	octokit: Octokit,
	threads: readonly string[],
	now: number,
): Promise<WriteResult<{ readonly resolved: readonly string[] }>> {
	const variables = Object.fromEntries(threads.map((thread, index) => [`t${index}`, thread]));
	const names = Object.keys(variables);
	const fields = names.map((name) => `${name}: resolveReviewThread(input: { threadId: $${name} }) { thread { isResolved } }`);
	const query = `mutation (${names.map((name) => `$${name}: ID!`).join(", ")}) {\n${fields.join("\n")}\n}`;
	const resolvedIn = (data: Readonly<Record<string, unknown>> | null | undefined): readonly string[] =>
		threads.filter((_thread, index) => (data?.[`t${index}`] ?? null) !== null);
	try {
		const data = await octokit.graphql<Readonly<Record<string, unknown>>>(query, { ...variables, request: { retries: 0 } });
		return { ok: true, value: { resolved: resolvedIn(data) } };
	} catch (error) {
		const failure = readFailure(error);
		if (failure === undefined) return mapWriteError(error, now);
		const resolved = resolvedIn(failure.data);
		if (resolved.length > 0) return { ok: true, value: { resolved } };
		const [first] = failure.errors ?? [];
		const reason = first?.type === "FORBIDDEN" || first?.type === "INSUFFICIENT_SCOPES" ? "not-permitted" : "refused";
		return { ok: false, reason, status: 200, message: first?.message?.split("\n", 1)[0] ?? "GraphQL error" };
	}
}

function readFailure(error: unknown): GraphQLFailure | undefined {
	return error instanceof Error && error.name === "GraphqlResponseError" ? (error as unknown as GraphQLFailure) : undefined;
}
