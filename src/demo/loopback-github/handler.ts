import { notFound } from "./answer.ts";
import type { OperationId } from "./contract-operations.ts";
import type { Answer, JsonObject, TokenRecord } from "./loopback-types.ts";
import { findPull, findRepository, type LoopbackState, type PullIssue, type RepositoryRecord } from "./loopback-state.ts";
import { refreshPull } from "./refresh-pull.ts";

/** Who asks: the token's record, or null for a request without a token. */
export type Viewer = TokenRecord | null;

/** A checked request on its way to the handler of its operation. */
export interface Call {
	readonly state: LoopbackState;
	readonly viewer: Viewer;
	readonly operation: OperationId;
	readonly parameters: Readonly<Record<string, string>>;
	readonly query: Readonly<Record<string, string>>;
	/** The JSON object of the body; empty when there was none. */
	readonly body: JsonObject;
	/** The body as it came, for the operations that also take an array. */
	readonly rawBody: unknown;
	/** Absolute URL without the query, for `Link` headers. */
	readonly url: string;
	/** `json`, `diff`, `patch` or `raw`, from the `accept` header. */
	readonly media: "json" | "diff" | "patch" | "raw";
}

export type Handler = (call: Call) => Promise<Answer>;

export type HandlerTable = Readonly<Partial<Record<OperationId, Handler>>>;

export function repositoryOf(call: Call): RepositoryRecord {
	return findRepository(call.state, `${call.parameters["owner"] ?? ""}/${call.parameters["repo"] ?? ""}`);
}

export function numberParameter(call: Call, name: string): number {
	const value = Number(call.parameters[name]);
	if (!Number.isInteger(value)) throw notFound();
	return value;
}

/** The pull request of the call, brought up to date with its branches. */
export async function pullOf(call: Call): Promise<{ readonly repository: RepositoryRecord; readonly issue: PullIssue }> {
	const repository = repositoryOf(call);
	const issue = findPull(repository, numberParameter(call, "pull_number"));
	await refreshPull(call.state, repository, issue);
	return { repository, issue };
}

/** The login behind the call; writes without a token never come this far. */
export function loginOf(call: Call): string {
	return call.viewer?.login ?? "ghost";
}
