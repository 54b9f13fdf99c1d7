import type { Actor, Sha } from "../domain/ids.ts";
import type { Annotation, FileComment, ReviewComment } from "../domain/publication.ts";
import type { PullRequestFacts } from "../domain/trigger.ts";

/* What GitHub is asked and told. */

/** What GitHub is asked. Methods reject with the API's error unless said otherwise; all pages, always. */
export interface GitHostReader {
	pullRequest(number: number): Promise<PullRequestFacts>;
	/** The token's own identity, for believing markers (BR-37); null when it cannot be told. */
	viewer(): Promise<Actor | null>;
	/** `role_name` first, then `permission`; "none" on 404 and on every error (BR-31, A13). */
	permission(login: string): Promise<string>;
	defaultBranch(): Promise<{ readonly name: string; readonly sha: Sha }>;
	issueComments(number: number): Promise<readonly HostComment[]>;
	reviews(number: number): Promise<readonly HostReview[]>;
	reviewComments(number: number): Promise<readonly HostReviewComment[]>;
	/** The conversations of a pull request's reviews; REST does not tell whether one is resolved. */
	reviewThreads(number: number): Promise<readonly HostReviewThread[]>;
	/** Patches as the API gives them, the last resort when git has no merge base (BR-10, BR-11). */
	pullRequestFiles(number: number): Promise<readonly HostFile[]>;
	/** Comments on issues and pull requests of the whole repository that were written or edited since (ISO 8601). */
	commentsSince(since: string): Promise<readonly HostComment[]>;
	/** Pull requests that were touched since, open and closed; at most the 100 last ones. */
	pullRequestsSince(since: string): Promise<readonly HostPullRequest[]>;
	/** Pull requests from a branch of this repository, open and closed, the newest first. */
	pullRequestsOf(branch: string): Promise<readonly HostPullRequest[]>;
	/** Commit of a branch; undefined when there is no such branch. */
	branchHead(branch: string): Promise<Sha | undefined>;
	/** Commits that `head` has and `base` has not, oldest first, at most 250 of them. */
	commitsBetween(base: Sha, head: Sha): Promise<readonly HostCommit[]>;
}

/** A pull request as a job looks for its own. */
export interface HostPullRequest {
	readonly number: number;
	readonly url: string;
	readonly author: Actor;
	readonly state: "open" | "closed";
	readonly merged: boolean;
	readonly title: string;
	readonly body: string;
	readonly base: string;
	readonly head: Sha;
	readonly labels: readonly string[];
	/** ISO 8601. */
	readonly updatedAt: string;
}

export interface HostCommit {
	readonly sha: Sha;
	readonly message: string;
	readonly tree: Sha;
	readonly authorEmail: string;
	readonly committerEmail: string;
}

export interface HostComment {
	readonly id: number;
	readonly author: Actor;
	readonly body: string;
	readonly createdAt: string;
	readonly url: string;
}

export interface HostReview {
	readonly id: number;
	readonly author: Actor;
	readonly body: string;
	readonly commit: string | null;
	readonly url: string;
}

export interface HostReviewComment extends HostComment {
	readonly path: string;
	/** Null when later commits changed the line. */
	readonly line: number | null;
	/** First line of a range; null for a single line. */
	readonly startLine: number | null;
	/** Number of 👎 on it. */
	readonly dislikes: number;
	/** Lines and commit that the comment was made for; they stay when the code moves on. Null for a comment on a file. */
	readonly original: { readonly commit: Sha; readonly startLine: number; readonly endLine: number } | null;
	readonly reviewId: number | null;
	readonly inReplyTo: number | null;
}

export interface HostReviewThread {
	/** The node id that mutations want. */
	readonly id: string;
	readonly resolved: boolean;
	/** Null when it is open, or when its resolver is not known; a login of an app has no `[bot]` here. */
	readonly resolvedBy: { readonly login: string; readonly id: number } | null;
	/** Id of the comment that began it. */
	readonly comment: number;
}

export interface HostReaction {
	readonly id: number;
	readonly author: Actor;
	readonly content: string;
}

export interface HostFile {
	readonly path: string;
	readonly previousPath?: string;
	readonly status: string;
	readonly additions: number;
	readonly deletions: number;
	/** Absent for binary, very large and unchanged content (BR-10). */
	readonly patch?: string;
}

export interface HostWorkflowRun {
	readonly id: number;
	readonly workflow: number;
	readonly event: string;
	/** What its page shows: the workflow's `run-name`, or its name. */
	readonly title: string;
	/** From 1; each time it was started again counts. */
	readonly attempt: number;
}

/** What GitHub knows about runs and reactions. Methods reject with the API's error. */
export interface GitHostActivity {
	reactions(comment: { readonly id: number; readonly kind: "issue" | "review" }): Promise<readonly HostReaction[]>;
	/** Artifacts of a workflow run; needs `actions: read`. */
	artifacts(
		runId: number,
	): Promise<readonly { readonly id: number; readonly name: string; readonly bytes: number; readonly expired: boolean }[]>;
	/** The bytes of an artifact's zip file. */
	downloadArtifact(id: number): Promise<Buffer>;
	/** Jobs of a workflow run; needs `actions: read`. */
	jobsOf(runId: number): Promise<
		readonly {
			readonly id: number;
			readonly name: string;
			readonly conclusion: string;
			readonly failedSteps: readonly string[];
		}[]
	>;
	/** The log of a job as text. */
	jobLog(id: number): Promise<string>;
	/** Runs of all workflows on a commit; needs `actions: read`. */
	runsOn(commit: Sha): Promise<readonly HostWorkflowRun[]>;
	/** When the server first saw a commit, by its check suites; null when it cannot be told (BR-32). */
	commitSeenAt(commit: Sha): Promise<string | null>;
	/** Puts one file on a new branch and opens a pull request for it; "not permitted" is a result. */
	proposeFile(proposal: {
		readonly branch: string;
		readonly base: string;
		readonly from: Sha;
		readonly path: string;
		readonly content: string;
		readonly message: string;
		readonly title: string;
		readonly body: string;
	}): Promise<WriteResult<{ readonly number: number; readonly url: string; readonly existed: boolean }>>;
}

/** The answer of a write. `refused` is GitHub's no with its status; a broken connection or 5xx is `uncertain` (BR-45). */
export type WriteResult<T> =
	| { readonly ok: true; readonly value: T }
	| {
			readonly ok: false;
			readonly reason: "not-permitted" | "refused" | "limited" | "uncertain";
			readonly status: number;
			readonly message: string;
			/** For `limited`: how long GitHub asks to wait, when it says so (BR-44). */
			readonly retryAfterMs?: number;
	  };

/** What GitHub is told. Single requests without retries for what is not idempotent; the caller looks before it repeats. */
export interface GitHostWriter {
	createComment(number: number, body: string): Promise<WriteResult<{ readonly id: number; readonly url: string }>>;
	updateComment(id: number, body: string): Promise<WriteResult<{ readonly id: number; readonly url: string }>>;
	createReview(
		number: number,
		commit: Sha,
		body: string,
		comments: readonly ReviewComment[],
	): Promise<WriteResult<{ readonly id: number; readonly url: string }>>;
	createFileComment(number: number, commit: Sha, comment: FileComment): Promise<WriteResult<{ readonly id: number; readonly url: string }>>;
	createCheck(
		head: Sha,
		name: string,
		output: { readonly conclusion: string; readonly title: string; readonly summary: string; readonly detailsUrl?: string },
		annotations: readonly Annotation[],
	): Promise<WriteResult<{ readonly id: number; readonly url: string }>>;
	createPullRequest(pull: {
		readonly branch: string;
		readonly base: string;
		readonly title: string;
		readonly body: string;
		readonly draft: boolean;
	}): Promise<WriteResult<{ readonly id: number; readonly url: string }>>;
	/** `id` is the pull request's number. */
	updatePullRequest(
		number: number,
		change: { readonly title: string; readonly body: string },
	): Promise<WriteResult<{ readonly id: number; readonly url: string }>>;
	/** Labels that are not there are made by GitHub. */
	addLabels(number: number, labels: readonly string[]): Promise<WriteResult<{ readonly id: number }>>;
	/** Resolves conversations by their node ids; names those that are resolved now. */
	resolveThreads(threads: readonly string[]): Promise<WriteResult<{ readonly resolved: readonly string[] }>>;
	addReaction(
		comment: { readonly id: number; readonly kind: "issue" | "review" },
		content: "eyes" | "+1" | "-1" | "rocket" | "confused",
	): Promise<WriteResult<{ readonly id: number /** False when our account had set it before. */; readonly created?: boolean }>>;
	removeReaction(
		comment: { readonly id: number; readonly kind: "issue" | "review" },
		reactionId: number,
	): Promise<WriteResult<{ readonly id: number }>>;
}
