import { HttpProblem, type JsonObject, type RoleName, type TokenRecord } from "./loopback-types.ts";

export interface UserRecord {
	readonly login: string;
	readonly id: number;
	readonly type: "User" | "Bot" | "Organization";
	readonly name: string;
}

export interface LabelRecord {
	readonly id: number;
	readonly name: string;
	readonly color: string;
	readonly description: string | null;
}

export interface ReactionRecord {
	readonly id: number;
	readonly login: string;
	readonly content: string;
	readonly createdAt: string;
}

export interface CommentRecord {
	readonly id: number;
	readonly author: string;
	body: string;
	readonly createdAt: string;
	updatedAt: string;
	/** Set by GraphQL's `minimizeComment`. */
	minimized: string | null;
	readonly reactions: ReactionRecord[];
}

/** A review comment; its anchor is as it was when it was made (`commit`). */
export interface ReviewCommentRecord extends CommentRecord {
	readonly reviewId: number;
	readonly inReplyTo: number | null;
	readonly path: string;
	readonly commit: string;
	readonly subjectType: "line" | "file";
	readonly line: number | null;
	readonly side: "LEFT" | "RIGHT" | null;
	readonly startLine: number | null;
	readonly startSide: "LEFT" | "RIGHT" | null;
	readonly diffHunk: string;
}

export interface ReviewRecord {
	readonly id: number;
	readonly author: string;
	body: string;
	readonly state: "APPROVED" | "CHANGES_REQUESTED" | "COMMENTED" | "PENDING";
	readonly commit: string;
	readonly submittedAt: string;
}

/** The test merge of one pair of commits; `commit` is null on a conflict. */
export interface TestMerge {
	readonly head: string;
	readonly base: string;
	readonly commit: string | null;
	readonly mergeable: boolean | null;
}

export interface PullRecord {
	readonly base: { ref: string; sha: string };
	/** `repository` is a key of `state.repositories`; null once the head repository was deleted. */
	readonly head: { readonly ref: string; sha: string; repository: string | null; readonly owner: string };
	draft: boolean;
	mergedAt: string | null;
	readonly reviews: ReviewRecord[];
	readonly reviewComments: ReviewCommentRecord[];
	/** Ids of root comments whose thread is resolved, with who did it. */
	readonly resolved: Map<number, string>;
	merge: TestMerge | undefined;
}

/** An issue; a pull request is an issue with `pull`. */
export interface IssueRecord {
	readonly id: number;
	readonly number: number;
	readonly author: string;
	title: string;
	body: string | null;
	state: "open" | "closed";
	readonly createdAt: string;
	updatedAt: string;
	closedAt: string | null;
	labels: string[];
	assignees: string[];
	readonly comments: CommentRecord[];
	readonly pull?: PullRecord;
}

export interface PullIssue extends IssueRecord {
	readonly pull: PullRecord;
}

export interface CheckRunRecord {
	readonly id: number;
	readonly suiteId: number;
	readonly headSha: string;
	name: string;
	status: string;
	conclusion: string | null;
	startedAt: string;
	completedAt: string | null;
	detailsUrl: string | null;
	externalId: string | null;
	output: { title: string | null; summary: string | null; text: string | null };
	readonly annotations: JsonObject[];
}

export interface StatusRecord {
	readonly id: number;
	readonly sha: string;
	readonly state: string;
	readonly context: string;
	readonly description: string | null;
	readonly targetUrl: string | null;
	readonly creator: string;
	readonly createdAt: string;
}

export interface ArtifactRecord {
	readonly id: number;
	readonly runId: number;
	readonly name: string;
	readonly zip: Buffer;
	readonly createdAt: string;
}

export interface WorkflowRunRecord {
	readonly id: number;
	readonly name: string;
	readonly path: string;
	readonly event: string;
	readonly status: string;
	readonly conclusion: string | null;
	readonly headBranch: string;
	readonly headSha: string;
	readonly headRepository: string;
	readonly actor: string;
	readonly createdAt: string;
	/** What the page shows: `run-name` of the workflow; its name when left out. */
	readonly title?: string;
	readonly attempt?: number;
	readonly jobs?: readonly WorkflowJobRecord[];
}

/** One job of a workflow run, with its log as GitHub serves it. */
export interface WorkflowJobRecord {
	readonly id: number;
	readonly name: string;
	readonly conclusion: string;
	readonly steps: readonly { readonly name: string; readonly conclusion: string }[];
	readonly log: string;
}

export interface RepositoryRecord {
	readonly id: number;
	readonly owner: string;
	readonly name: string;
	readonly private: boolean;
	readonly defaultBranch: string;
	/** Path of the bare repository: the one source of every git fact. */
	readonly bare: string;
	readonly parent: string | null;
	readonly createdAt: string;
	readonly roles: Map<string, RoleName>;
	readonly labels: Map<string, LabelRecord>;
	readonly issues: Map<number, IssueRecord>;
	readonly checks: CheckRunRecord[];
	readonly suites: Map<string, number>;
	readonly statuses: StatusRecord[];
	readonly artifacts: ArtifactRecord[];
	readonly workflowRuns: WorkflowRunRecord[];
	readonly dispatches: JsonObject[];
	/** Commits made through the API without an own author: GitHub signs these. */
	readonly signedCommits: Set<string>;
	readonly protectedBranches: Set<string>;
}

export interface LoopbackState {
	apiUrl: string;
	serverUrl: string;
	readonly users: Map<string, UserRecord>;
	readonly tokens: Map<string, TokenRecord>;
	/** By lower-case `owner/name`; GitHub ignores case there. */
	readonly repositories: Map<string, RepositoryRecord>;
	nextId(): number;
	/** Whole seconds, as GitHub writes times. */
	now(): string;
	/** One git write at a time for each repository. */
	withLock<T>(repository: RepositoryRecord, work: () => Promise<T>): Promise<T>;
}

export const WORKFLOW_BOT: UserRecord = { login: "github-actions[bot]", id: 41898282, type: "Bot", name: "github-actions" };

export function createLoopbackState(): LoopbackState {
	let lastId = 2_000_000_000;
	const locks = new Map<string, Promise<unknown>>();
	return {
		apiUrl: "",
		serverUrl: "",
		users: new Map([[WORKFLOW_BOT.login, WORKFLOW_BOT]]),
		tokens: new Map(),
		repositories: new Map(),
		nextId: () => {
			lastId += 1;
			return lastId;
		},
		now: () => new Date().toISOString().replace(/\.\d+Z$/, "Z"),
		withLock(repository, work) {
			const before = locks.get(repository.bare) ?? Promise.resolve();
			const result = before.then(work, work);
			locks.set(
				repository.bare,
				result.then(
					() => undefined,
					() => undefined,
				),
			);
			return result;
		},
	};
}

export function repositoryKey(fullName: string): string {
	return fullName.toLowerCase();
}

export function fullNameOf(repository: RepositoryRecord): string {
	return `${repository.owner}/${repository.name}`;
}

export function findRepository(state: LoopbackState, fullName: string): RepositoryRecord {
	const repository = state.repositories.get(repositoryKey(fullName));
	if (repository === undefined) throw new HttpProblem(404, { message: "Not Found" });
	return repository;
}

export function findIssue(repository: RepositoryRecord, number: number): IssueRecord {
	const issue = repository.issues.get(number);
	if (issue === undefined) throw new HttpProblem(404, { message: "Not Found" });
	return issue;
}

export function isPull(issue: IssueRecord): issue is PullIssue {
	return issue.pull !== undefined;
}

export function findPull(repository: RepositoryRecord, number: number): PullIssue {
	const issue = findIssue(repository, number);
	if (!isPull(issue)) throw new HttpProblem(404, { message: "Not Found" });
	return issue;
}

/** A user by login; unknown logins become users on the fly, so that a rig need not list everybody. */
export function ensureUser(state: LoopbackState, login: string): UserRecord {
	const known = state.users.get(login);
	if (known !== undefined) return known;
	const type = login.endsWith("[bot]") ? "Bot" : "User";
	const user: UserRecord = { login, id: state.nextId(), type, name: login };
	state.users.set(login, user);
	return user;
}

/** `role_name` of a user in a repository: set roles first, the owner is admin, everybody reads what is public. */
export function roleOf(repository: RepositoryRecord, login: string): RoleName {
	const role = repository.roles.get(login.toLowerCase());
	if (role !== undefined) return role;
	if (login.toLowerCase() === repository.owner.toLowerCase()) return "admin";
	return repository.private ? "none" : "read";
}

/** `author_association` of a user; a label for people, never a permission (BR-31). */
export function associationOf(repository: RepositoryRecord, login: string): string {
	if (login.toLowerCase() === repository.owner.toLowerCase()) return "OWNER";
	return repository.roles.has(login.toLowerCase()) ? "COLLABORATOR" : "NONE";
}

/** The named repository, or the first that was made. Misuse throws. */
export function pickRepository(state: LoopbackState, fullName: string | undefined): RepositoryRecord {
	const repository = fullName === undefined ? state.repositories.values().next().value : state.repositories.get(repositoryKey(fullName));
	if (repository === undefined) throw new Error(`the loopback has no repository ${fullName ?? "yet"}`);
	return repository;
}
