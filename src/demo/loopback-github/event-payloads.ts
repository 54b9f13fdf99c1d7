import type { JsonObject } from "./loopback-types.ts";
import { findPull, fullNameOf, type IssueRecord, isPull, type LoopbackState, type RepositoryRecord } from "./loopback-state.ts";
import { refreshPull } from "./refresh-pull.ts";
import { renderWorkflowRun } from "./handle-actions.ts";
import { findIssueComment } from "./handle-issues.ts";
import { renderIssue, renderIssueComment, renderLabel, ensureLabel } from "./render-issue.ts";
import { renderPull } from "./render-pull.ts";
import { renderRepository, renderUser } from "./render-repository.ts";
import { findReviewComment, renderReviewComment } from "./render-review.ts";

/** What every event about a repository carries. */
function frame(state: LoopbackState, repository: RepositoryRecord, sender: string): JsonObject {
	return {
		repository: { ...renderRepository(state, repository), custom_properties: {} },
		sender: renderUser(state, sender),
	};
}

const MERGE_SETTINGS: JsonObject = {
	allow_squash_merge: true,
	allow_merge_commit: true,
	allow_rebase_merge: true,
	allow_auto_merge: false,
	delete_branch_on_merge: false,
	allow_update_branch: false,
	use_squash_pr_title_as_default: false,
	squash_merge_commit_message: "COMMIT_MESSAGES",
	squash_merge_commit_title: "COMMIT_OR_PR_TITLE",
	merge_commit_message: "PR_TITLE",
	merge_commit_title: "MERGE_MESSAGE",
};

/** In events the repositories of both sides also show their merge settings. */
function withMergeSettings(pull: JsonObject): JsonObject {
	const side = (name: "head" | "base"): JsonObject => {
		const value = pull[name] as JsonObject;
		return value["repo"] === null ? value : { ...value, repo: { ...(value["repo"] as JsonObject), ...MERGE_SETTINGS } };
	};
	return { ...pull, head: side("head"), base: side("base") };
}

export interface PayloadOptions {
	/** Who did it; the author when left out. */
	readonly sender?: string;
	/** The head before the push, for `synchronize`. */
	readonly before?: string;
	/** The label, for `labeled` and `unlabeled`. */
	readonly label?: string;
}

/** The payload of `pull_request` and `pull_request_target`. */
export async function buildPullRequestPayload(
	state: LoopbackState,
	repository: RepositoryRecord,
	number: number,
	action: string,
	options: PayloadOptions = {},
): Promise<JsonObject> {
	const issue = findPull(repository, number);
	await refreshPull(state, repository, issue);
	const pull = withMergeSettings(await renderPull(state, repository, issue));
	return {
		action,
		number,
		pull_request: pull,
		...(action === "synchronize" ? { before: options.before ?? "0".repeat(40), after: issue.pull.head.sha } : {}),
		...(options.label === undefined ? {} : { label: renderLabel(state, repository, ensureLabel(state, repository, options.label)) }),
		...frame(state, repository, options.sender ?? issue.author),
	};
}

/** The payload of `issue_comment`; `issue.pull_request` is there for pull requests only (BR-40). */
export function buildIssueCommentPayload(
	state: LoopbackState,
	repository: RepositoryRecord,
	commentId: number,
	action: string,
): JsonObject {
	const { issue, comment } = findIssueComment(repository, commentId);
	return {
		action,
		...(action === "edited" ? { changes: { body: { from: comment.body } } } : {}),
		issue: renderIssue(state, repository, issue),
		comment: renderIssueComment(state, repository, issue, comment),
		...frame(state, repository, comment.author),
	};
}

/** The payload of `pull_request_review_comment`. */
export async function buildReviewCommentPayload(
	state: LoopbackState,
	repository: RepositoryRecord,
	commentId: number,
	action: string,
): Promise<JsonObject> {
	const { issue, comment } = findReviewComment(repository, commentId);
	const pull = withMergeSettings(await renderPull(state, repository, issue));
	return {
		action,
		comment: await renderReviewComment(state, repository, issue, comment),
		pull_request: pull,
		...frame(state, repository, comment.author),
	};
}

/** The payload of `issues`. */
export function buildIssuePayload(state: LoopbackState, repository: RepositoryRecord, issue: IssueRecord, action: string): JsonObject {
	return { action, issue: renderIssue(state, repository, issue), ...frame(state, repository, issue.author) };
}

/** The payload of `workflow_run`, as the privileged half of a fork flow gets it. */
export async function buildWorkflowRunPayload(
	state: LoopbackState,
	repository: RepositoryRecord,
	runId: number,
	action: string,
): Promise<JsonObject> {
	const run = repository.workflowRuns.find((candidate) => candidate.id === runId);
	if (run === undefined) throw new Error(`no workflow run ${runId} in ${fullNameOf(repository)}`);
	return {
		action,
		workflow_run: await renderWorkflowRun(state, repository, run),
		workflow: { id: 1, name: run.name, path: run.path, state: "active" },
		...frame(state, repository, run.actor),
	};
}

/** The payload of `workflow_dispatch`; inputs are strings, whatever the workflow calls them (BR-42). */
export function buildWorkflowDispatchPayload(
	state: LoopbackState,
	repository: RepositoryRecord,
	options: {
		readonly inputs?: Readonly<Record<string, string>>;
		readonly ref?: string;
		readonly workflow?: string;
		readonly sender?: string;
	},
): JsonObject {
	return {
		inputs: options.inputs ?? null,
		ref: options.ref ?? `refs/heads/${repository.defaultBranch}`,
		workflow: options.workflow ?? ".github/workflows/rookery.yml",
		...frame(state, repository, options.sender ?? repository.owner),
	};
}

/** The payload of `repository_dispatch`. */
export function buildRepositoryDispatchPayload(
	state: LoopbackState,
	repository: RepositoryRecord,
	options: { readonly type: string; readonly payload?: JsonObject; readonly sender?: string },
): JsonObject {
	return {
		action: options.type,
		branch: repository.defaultBranch,
		client_payload: options.payload ?? {},
		...frame(state, repository, options.sender ?? repository.owner),
	};
}

/** Makes every pull request of a repository read its branches again, as after a push. */
export async function refreshAllPulls(state: LoopbackState, repository: RepositoryRecord): Promise<void> {
	for (const other of state.repositories.values()) {
		for (const issue of other.issues.values()) {
			if (isPull(issue) && (other === repository || issue.pull.head.repository === fullNameOf(repository).toLowerCase())) {
				await refreshPull(state, other, issue);
			}
		}
	}
}
