import type { OperationId } from "./contract-operations.ts";

/** Anything that JSON can say, as handlers build it. */
export type JsonObject = { [key: string]: unknown };

/** One operation of `contract.json`; made by `scripts/build-contract.ts`. */
export interface ContractOperation {
	readonly id: OperationId;
	readonly method: string;
	/** Path template, for example `/repos/{owner}/{repo}/contents/{path}`. */
	readonly path: string;
	readonly parameters: JsonObject;
	readonly query: JsonObject;
	readonly body: JsonObject | null;
	readonly bodyRequired: boolean;
	/** Schema of the JSON answer by status; null when the status has no JSON body. */
	readonly responses: { readonly [status: string]: JsonObject | null };
}

export interface Contract {
	readonly source: string;
	readonly operations: readonly ContractOperation[];
	readonly schemas: JsonObject;
}

/** An HTTP answer before it goes on the wire: `body` is sent as JSON, `bytes` as they are. */
export interface Answer {
	readonly status: number;
	readonly headers?: Readonly<Record<string, string>>;
	readonly body?: unknown;
	readonly bytes?: Buffer;
}

/** GitHub's no: thrown by handlers, sent as an answer. */
export class HttpProblem extends Error {
	override readonly name = "HttpProblem";
	readonly answer: Answer;
	constructor(status: number, body: JsonObject, headers: Readonly<Record<string, string>> = {}) {
		super(String(body["message"] ?? status));
		this.answer = { status, body: { ...body, documentation_url: "https://docs.github.com/rest", status: String(status) }, headers };
	}
}

/** One request as it came in and what became of it. Git requests are recorded with `git/…` operations. */
export interface RequestRecord {
	readonly sequence: number;
	readonly method: string;
	readonly path: string;
	/** `pulls/get`, `git/receive-pack`, `graphql`, …; null when no operation of the contract fits. */
	readonly operation: string | null;
	readonly query: Readonly<Record<string, string>>;
	/** Lower-case names; the authorization's value is replaced by its scheme. */
	readonly headers: Readonly<Record<string, string>>;
	/** Parsed JSON, or undefined when there was no body or it was not JSON. */
	readonly body: unknown;
	/** Who the token belongs to; null without a valid token. */
	readonly login: string | null;
	/** 0 while the request is open and for connections that were cut. */
	status: number;
	/** Milliseconds from the first byte to the end of the answer. */
	durationMs: number;
	readonly startedAt: number;
}

/** A request or an answer that does not fit GitHub's description. */
export interface Violation {
	readonly kind: "request" | "response" | "route";
	readonly operation: string | null;
	readonly request: string;
	readonly message: string;
}

/** What a scripted fault does instead of, before or after the normal handling. */
export type FaultAction =
	| { readonly kind: "answer"; readonly status: number; readonly headers?: Readonly<Record<string, string>>; readonly body?: unknown }
	| { readonly kind: "secondary-limit"; readonly retryAfterSeconds?: number; readonly status?: 403 | 429 }
	| { readonly kind: "primary-limit"; readonly resetInSeconds: number }
	| { readonly kind: "html-502" }
	| { readonly kind: "slow"; readonly milliseconds: number }
	| { readonly kind: "cut" }
	/** The write happens, the answer is lost behind a proxy's 502 (BR-45). */
	| { readonly kind: "applied-then-502" }
	| { readonly kind: "applied-then-cut" }
	/** Runs before the normal handling, for example to move the head between two calls. */
	| { readonly kind: "hook"; readonly run: (request: RequestRecord) => Promise<void> };

/** The first fault that fits a request is used and counts down; one at zero is spent. */
export interface Fault {
	readonly method?: string;
	/** Tested against the path without its query. */
	readonly path: RegExp;
	/** How often it strikes; 1 when left out. */
	readonly times?: number;
	/** Fitting requests that pass before it strikes; 0 when left out. */
	readonly after?: number;
	readonly action: FaultAction;
}

export type ScopeAccess = "none" | "read" | "write";
export type TokenScope = "contents" | "pull-requests" | "issues" | "checks" | "statuses" | "actions" | "workflows" | "metadata";

/** The permissions of a token: one word for all, or scope by scope as in a workflow's `permissions`. */
export type TokenPermissions = "read" | "write" | "admin" | Readonly<Partial<Record<TokenScope, ScopeAccess>>>;

/** `workflow` is the job's own token: no `GET /user`, may not approve, may not change workflows. */
export type TokenKind = "personal" | "workflow" | "installation";

export interface TokenRecord {
	readonly login: string;
	readonly kind: TokenKind;
	readonly permissions: TokenPermissions;
}

/** Roles as `role_name` spells them; `permission` is the legacy word GitHub derives from it. */
export type RoleName = "admin" | "maintain" | "write" | "triage" | "read" | "none";
