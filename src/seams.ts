import type { ChangedFile, FilePatch } from "./domain/change-set.ts";
import type { ReasonCode } from "./domain/errors.ts";
import type { Actor, Sha } from "./domain/ids.ts";
import type { JournalEntry, JournalEvent } from "./domain/journal-entry.ts";
import type { ModelReply, ModelRequest, ToolSpec } from "./domain/model-message.ts";
import type { CommitRequest, PatchedTree, PushOutcome } from "./domain/patch.ts";
import type { Annotation, FileComment, ReviewComment } from "./domain/publication.ts";
import type { PullRequestFacts } from "./domain/trigger.ts";
import type { Usage } from "./domain/usage.ts";

/*
 * Every interface to the outside, with its failure contract. Adapters implement these; the pure middle
 * only knows the types. Expected failure is a value, misuse is a throw (principle 5 of the style guide).
 */

/** A model provider, the offline analyst or a replay. */
export interface ModelClient {
	/** `anthropic`, `offline`, `replay`, …: shown in the report. */
	readonly provider: string;
	/**
	 * One finished model call. Never rejects for a provider failure: the reply's stop says `error` or
	 * `aborted`, `failure` says why, and `usage` holds what was billed all the same.
	 */
	complete(request: ModelRequest, signal: AbortSignal): Promise<ModelReply>;
}

/** Time, so that limits can be tested without waiting. `now` is milliseconds since the epoch. */
export interface Clock {
	now(): number;
	/** Resolves after `ms`, or at once when the signal aborts; never rejects. */
	sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/** Append-only record of a session. An append is durable (written to the file) before it resolves. */
export interface Journal {
	readonly path: string;
	/** Rejects only when the record cannot be written; the run then ends with `E_AUDIT`. */
	append(event: JournalEvent): Promise<JournalEntry>;
	/** Waits for everything appended so far. Safe to call twice. */
	close(): Promise<void>;
}

/** Opens one journal a session below the run's folder. */
export interface JournalStore {
	readonly folder: string;
	open(session: string): Journal;
}

/** The files of a commit, of this repository or another one. */
export interface CommitReader {
	/** Text of a file at a commit; undefined when it does not exist there. Rejects when the objects cannot be read (BR-12). */
	readFile(commit: Sha, path: string): Promise<Buffer | undefined>;
	/** Paths below a prefix at a commit, in byte order, with mode and blob id. Never follows links. */
	listFiles(commit: Sha, prefix?: string): Promise<readonly { readonly path: string; readonly mode: string; readonly blob: Sha }[]>;
}

/** The repository's objects, read through git and never through a checkout. */
export interface RepositoryReader extends CommitReader {
	/** Patches of the given files, in the order given. */
	patches(mergeBase: Sha, head: Sha, files: readonly ChangedFile[]): Promise<readonly FilePatch[]>;
	/** Paths that each of the last commits up to this one changed, newest first, merges left out; what a shallow clone has. */
	changedTogether?(commit: Sha): Promise<readonly (readonly string[])[]>;
}

/** How an attempt to get more history from the remote ended. Failure is an answer: the caller has another way. */
export type FetchOutcome = { readonly ok: true } | { readonly ok: false; readonly reason: string };

/** The commits of the repository, and the remote that can complete them. Rejects only when git itself fails. */
export interface GitHistory {
	commitExists(commit: Sha): Promise<boolean>;
	/** Full id of the commit that a branch, `origin/branch`, tag, `HEAD` or id names here; undefined when nothing does. */
	resolve(revision: string): Promise<Sha | undefined>;
	/** Best common ancestor among the commits that are here; null when there is none. */
	mergeBase(first: Sha, second: Sha): Promise<Sha | null>;
	isShallow(): Promise<boolean>;
	/** Gets the head of a pull request by its own ref, which exists for forks too, and checks that the wanted commit came (BR-33). */
	fetchPullHead(number: number, expected: Sha): Promise<FetchOutcome>;
	fetchCommit(commit: Sha): Promise<FetchOutcome>;
	/** Moves the border of a shallow clone this many commits further back behind the given commits. */
	deepen(tips: readonly Sha[], by: number): Promise<FetchOutcome>;
	unshallow(tips: readonly Sha[]): Promise<FetchOutcome>;
	/** Files of the working tree that differ from its commit, new ones included; 0 without a working tree. */
	countUncommitted(): Promise<number>;
}

/** One working copy of the head; disposed by scope. */
export interface Workspace {
	/** Absolute path at which tools work. */
	readonly root: string;
	readonly head: Sha;
	/** shared: read by several children at once; own: one writer. */
	readonly kind: "shared" | "own";
	/** The folder of the tree that stands for the folder of the run: `root` and the working directory's path (S-188). */
	readonly folder?: string;
	/** Where git keeps this tree, for read-only views of the history. */
	readonly git?: { readonly gitDirectory: string; readonly commonDirectory: string };
	/**
	 * What differs from `head` in an own tree, new files included; undefined for a clean one. Copied and linked files do
	 * not count. Rejects with what git said, and with `E_WORKTREE` when the tree's git file was replaced (A41).
	 */
	readChanges?(): Promise<WorkspaceChanges | undefined>;
	/** Unlocks an own tree and leaves it in place; disposing it then removes nothing (S-195). */
	keep?(): Promise<void>;
	[Symbol.asyncDispose](): Promise<void>;
}

/** Work that a child leaves behind, as `git apply` takes it (S-193). */
export interface WorkspaceChanges {
	readonly files: readonly string[];
	readonly patch: Buffer;
	/** True when the tree's HEAD is not `head` any more. */
	readonly moved: boolean;
}

/** Makes workspaces outside the checkout. Rejects with a UserError (`E_WORKTREE`) that says what to do. */
export interface WorkspaceProvider {
	open(options: {
		readonly kind: "shared" | "own";
		readonly session: string;
		/** Earlier work of this session, to go on from (S-196); only for an own tree. */
		readonly patch?: Buffer;
	}): Promise<Workspace>;
}

/** Applies patches to commits in the object store alone. */
export interface PatchTrees {
	/**
	 * The tree of a commit with a patch applied. A patch that does not fit is an answer; `empty` is one that changes
	 * nothing (BR-52). Rejects only when git itself fails.
	 */
	apply(
		base: Sha,
		patch: Buffer,
	): Promise<
		| { readonly kind: "applied"; readonly change: PatchedTree }
		| { readonly kind: "empty" }
		| { readonly kind: "misfit"; readonly reason: string }
	>;
	/**
	 * Several patches for the same commit as one, applied in their order; those that do not fit behind the earlier ones are
	 * named and left out. An empty buffer when nothing is left.
	 */
	combine(
		base: Sha,
		patches: readonly Buffer[],
	): Promise<{ readonly patch: Buffer; readonly misfits: readonly { readonly index: number; readonly reason: string }[] }>;
	/** The patch that gives files of a commit another content; modes stay. Rejects for what is no plain file there. */
	edit(base: Sha, files: readonly { readonly path: string; readonly content: Buffer }[]): Promise<Buffer>;
	/** Bytes of a blob; undefined when it is not there. */
	readBlob(blob: Sha): Promise<Buffer | undefined>;
}

/**
 * Makes one commit and moves one branch to it, never by force and never without knowing where the branch was. Every
 * no of the other side is an answer; it rejects only when git cannot be started.
 */
export interface CommitPusher {
	/** `git`, `ssh` or `api`, for the report. */
	readonly way: "git" | "ssh" | "api";
	push(request: CommitRequest): Promise<PushOutcome>;
	/** Where a branch is now; null for none. Rejects when that cannot be told. */
	readBranch(branch: string): Promise<Sha | null>;
}

/** What a tool says back to the model. Errors are results; a tool throws only on misuse. */
export interface ToolOutput {
	readonly content: string;
	readonly isError?: true;
	/** Reason code of a refusal, counted in the report. */
	readonly code?: ReasonCode;
	/** Repository paths whose content was shown; feeds the coverage ledger. */
	readonly filesRead?: readonly string[];
	/** Machine form for the engine (for example the parsed report of `submit_report`); never sent to the model. */
	readonly data?: unknown;
}

/** What a tool can at most do; the scheduler and the policy decide by it (D-18). */
export type ToolEffect = "none" | "read" | "execute" | "write" | "network" | "delegate";

/** A tool as the engine sees it: what the model is told, and how to run a call whose input already fits the schema. */
export interface Tool {
	readonly spec: ToolSpec;
	readonly effect: ToolEffect;
	readonly timeoutMs: number;
	/** Checks and normalises raw input; the error text goes to the model as an error result. */
	parse(input: unknown): { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly error: string };
	/** `call.id` is the id of this very call, also when several run at the same time (S-146). */
	run(input: unknown, signal: AbortSignal, call?: { readonly id: string }): Promise<ToolOutput>;
}

/** How a command in a tree ended. Everything it printed is the word of programs of that tree: data, never a reason to trust. */
export interface CommandRun {
	/** Null when it did not end by itself or could not be started. */
	readonly exitCode: number | null;
	/** Why it was ended from outside: `timed out`, `cancelled`, `killed` or the name of a limit. */
	readonly stopped?: string;
	/** Why it could not be started at all: no sandbox, a folder that is not there. */
	readonly startError?: string;
	/** The first 4 MiB of its standard output, for machine formats. */
	readonly stdout: string;
	/** Beginning and end of both streams, without escape sequences, for people. */
	readonly output: string;
	/** Says how it ended in words, with the wall it ran into, if any (E_NET, E_LIMIT). */
	readonly note: string;
	readonly code?: ReasonCode;
	readonly durationMs: number;
}

/** Runs command lines in one tree, behind the walls of the run's sandbox. */
export interface CommandRunner {
	/**
	 * Never rejects: what could not be run says so in its `startError`.
	 * @param options.folder relative to the tree; its top when absent
	 */
	run(
		command: string,
		options: { readonly timeoutMs: number; readonly folder?: string; readonly signal?: AbortSignal | undefined },
	): Promise<CommandRun>;
}

/** A program that puts walls around one command line, given as its last argument. */
export interface CommandWalls {
	readonly program: readonly string[];
	/** All that the program and the command see. */
	readonly environment: Readonly<Record<string, string>>;
}

/** Runs the tool calls of one child, in process or inside the sandbox. */
export interface ToolWorker {
	readonly tools: readonly Tool[];
	[Symbol.asyncDispose](): Promise<void>;
}

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

/** Where files of a run end up: a folder on disk that the workflow uploads. */
export interface ArtifactStore {
	readonly folder: string;
	/** Writes one file and gives its absolute path. Rejects when the disk says no. */
	write(name: string, content: string | Buffer): Promise<string>;
}

/** Lines for the job's log or the terminal. Implementations escape workflow commands (BR-38, A83). */
export interface Log {
	info(text: string): void;
	/** One notice; at most ten of a kind a step are kept by the runner. */
	notice(text: string): void;
	warning(text: string): void;
	error(text: string): void;
	/** Lines that belong together. */
	group(title: string, lines: readonly string[]): void;
}

/** Names a secret so that it is masked in logs and redacted in everything written (S-134). */
export interface Secrets {
	add(value: string): void;
	redact(text: string): string;
}

/** Takes the power from text of a model or of a pull request before it is published (SECURITY.md 7.8). */
export interface OutgoingCleaner {
	/** Markdown of any length: code stays as it is (but for secrets), everything that acts is made inert. Clean once. */
	clean(text: string): string;
	/** The same for a title or a table cell: one line. */
	cleanLine(text: string): string;
	/** Only takes secrets out, for code, paths and machine forms. */
	redact(text: string): string;
	/** What was taken out so far: texts with a secret (E_SECRET), links and images (E_LINK), mentions. */
	tally(): { readonly secrets: number; readonly links: number; readonly mentions: number };
}

/** What somebody wants done by an agent: one bounded, self-contained objective (S-051, S-058). */
export interface DelegateRequest {
	readonly objective: string;
	/** The profile to use; the runner chooses when absent. */
	readonly agent?: string;
	/** What the agent must know and cannot find out for itself. */
	readonly context?: string;
}

/** `ok` and `report` are all a runner must give; the rest is for those that know more. */
export interface DelegateResult {
	/** True when the objective is met (D-43). */
	readonly ok: boolean;
	readonly report: string;
	/** The profile that really ran. */
	readonly agent?: string;
	readonly usage?: Usage;
	/** Null when the model has no known price. */
	readonly costUsd?: number | null;
	/** Paths of files that were left behind: journal, patch. */
	readonly artifacts?: readonly string[];
}

/** The public seam for delegation: whoever has one can carry out the `task` tool (S-051, DESIGN.md 5). */
export interface DelegateRunner {
	/** Names for the tool's description (S-054). */
	listAgents?(): readonly string[] | Promise<readonly string[]>;
	/** May reject; the tool turns that into a result. The signal means: stop now (S-055). */
	run(request: DelegateRequest, signal?: AbortSignal): Promise<DelegateResult>;
}
