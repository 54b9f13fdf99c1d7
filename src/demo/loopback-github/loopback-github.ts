import type { FaultList } from "./apply-fault.ts";
import type { buildRepositoryDispatchPayload, buildWorkflowDispatchPayload, PayloadOptions } from "./event-payloads.ts";
import type { JsonObject, RequestRecord, RoleName, TokenKind, TokenPermissions, Violation } from "./loopback-types.ts";
import type {
	CheckRunRecord,
	CommentRecord,
	LoopbackState,
	PullRecord,
	ReactionRecord,
	ReviewCommentRecord,
	ReviewRecord,
	StatusRecord,
	WorkflowRunRecord,
} from "./loopback-state.ts";
import type { NewIssue, NewPull } from "./open-issue.ts";

export interface NewRepository {
	readonly owner: string;
	readonly name: string;
	/** Path of a work repository whose branches and tags are pushed into the new one. */
	readonly from?: string;
	readonly private?: boolean;
	readonly defaultBranch?: string;
	/** `owner/name` of the parent: branches and tags are copied from it first. */
	readonly forkOf?: string;
}

interface NewToken {
	readonly login: string;
	readonly type?: "User" | "Bot";
	readonly permissions: TokenPermissions;
	/** `workflow` for the login `github-actions[bot]`, else `personal`, when left out. */
	readonly kind?: TokenKind;
}

export interface CreatedRepository {
	readonly bare: string;
	readonly cloneUrl: string;
}

/** What a rig arranges, as GitHub's users and settings pages would. */
export interface LoopbackSetUp {
	createRepository(repository: NewRepository): Promise<CreatedRepository>;
	/** Takes the head repository away from its pull requests, as when a fork is deleted (R30). */
	deleteRepository(repository: string): Promise<void>;
	addUser(login: string, options?: { readonly id?: number; readonly type?: "User" | "Bot" | "Organization"; readonly name?: string }): void;
	addToken(token: string, options: NewToken): void;
	setPermission(repository: string, login: string, role: RoleName): void;
	/** Pushes and API writes to the branch are refused with GH006 from now on. */
	protectBranch(repository: string, branch: string): Promise<void>;
	openPullRequest(pull: NewPull & { readonly repository: string }): Promise<number>;
	addIssue(issue: NewIssue & { readonly repository?: string }): number;
	/** Gives the comment's id. */
	addComment(number: number, comment: { readonly author: string; readonly body: string }, repository?: string): number;
	closePullRequest(number: number, options?: { readonly merged?: boolean }, repository?: string): void;
	addWorkflowRun(run: Partial<WorkflowRunRecord> & { readonly headSha: string; readonly headBranch: string }, repository?: string): number;
	addArtifact(artifact: { readonly runId: number; readonly name: string; readonly zip: Buffer }, repository?: string): number;
}

/** What a rig reads back without going through HTTP. */
export interface LoopbackReadings {
	pullRequestPayload(number: number, action: string, options?: PayloadOptions, repository?: string): Promise<JsonObject>;
	commentPayload(number: number, commentId: number, action?: string, repository?: string): JsonObject;
	reviewCommentPayload(commentId: number, action?: string, repository?: string): Promise<JsonObject>;
	issuePayload(number: number, action: string, repository?: string): JsonObject;
	workflowRunPayload(runId: number, action?: string, repository?: string): Promise<JsonObject>;
	workflowDispatchPayload(options: Parameters<typeof buildWorkflowDispatchPayload>[2], repository?: string): JsonObject;
	repositoryDispatchPayload(options: Parameters<typeof buildRepositoryDispatchPayload>[2], repository?: string): JsonObject;
	comments(number: number, repository?: string): readonly CommentRecord[];
	reviews(number: number, repository?: string): readonly ReviewRecord[];
	reviewComments(number: number, repository?: string): readonly ReviewCommentRecord[];
	pull(number: number, repository?: string): PullRecord;
	labels(number: number, repository?: string): readonly string[];
	/** Check runs of a commit. */
	checks(sha: string, repository?: string): readonly CheckRunRecord[];
	statuses(sha: string, repository?: string): readonly StatusRecord[];
	/** Reactions of an issue comment or review comment. */
	reactions(commentId: number, repository?: string): readonly ReactionRecord[];
	/** `refs/heads/main` → SHA, of the bare repository as it is now. */
	refs(repository?: string): Promise<Readonly<Record<string, string>>>;
}

/**
 * A GitHub on 127.0.0.1: REST, GraphQL and git on one port. Methods that name an issue, pull request or commit take
 * the repository last; without it the first repository that was made is meant.
 */
export interface LoopbackGitHub extends LoopbackSetUp, LoopbackReadings {
	/** REST base, without a slash at its end: goes to `GITHUB_API_URL`. */
	readonly url: string;
	readonly serverUrl: string;
	readonly graphqlUrl: string;
	readonly state: LoopbackState;
	readonly faults: FaultList;
	/** Every request, in order. Count what was never called here. */
	readonly requests: readonly RequestRecord[];
	/** What did not fit GitHub's description; a test asserts that it is empty. */
	readonly violations: Violation[];
	/** Ends the listener and all its sockets, and removes the temporary repositories. Safe to call twice. */
	close(): Promise<void>;
	[Symbol.asyncDispose](): Promise<void>;
}
