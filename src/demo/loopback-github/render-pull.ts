import type { JsonObject } from "./loopback-types.ts";
import { associationOf, type LoopbackState, type PullIssue, type RepositoryRecord } from "./loopback-state.ts";
import { runGit } from "./git-command.ts";
import { issuePage, renderLabels } from "./render-issue.ts";
import { nodeId, renderRepository, renderUser, repositoryUrl } from "./render-repository.ts";
import { pullFiles, pullMergeBase, refreshTestMerge } from "./refresh-pull.ts";

function renderSide(state: LoopbackState, owner: string, ref: string, sha: string, repository: RepositoryRecord | undefined): JsonObject {
	return {
		label: `${owner}:${ref}`,
		ref,
		sha,
		user: renderUser(state, owner),
		repo: repository === undefined ? null : renderRepository(state, repository),
	};
}

function renderLinks(url: string, page: string, issueUrl: string, statusesUrl: string): JsonObject {
	const links: Record<string, string> = {
		self: url,
		html: page,
		issue: issueUrl,
		comments: `${issueUrl}/comments`,
		review_comments: `${url}/comments`,
		review_comment: `${url.replace(/\/\d+$/, "")}/comments{/number}`,
		commits: `${url}/commits`,
		statuses: statusesUrl,
	};
	return Object.fromEntries(Object.entries(links).map(([key, href]) => [key, { href }]));
}

/** A pull request as lists give it, without what git has to count. */
export function renderPullSimple(state: LoopbackState, repository: RepositoryRecord, issue: PullIssue): JsonObject {
	const { pull } = issue;
	const api = repositoryUrl(state, repository);
	const url = `${api}/pulls/${issue.number}`;
	const issueUrl = `${api}/issues/${issue.number}`;
	const page = issuePage(state, repository, issue);
	const statusesUrl = `${api}/statuses/${pull.head.sha}`;
	const headRepository = pull.head.repository === null ? undefined : state.repositories.get(pull.head.repository);
	return {
		url,
		id: issue.id,
		node_id: nodeId("PR", issue.id),
		html_url: page,
		diff_url: `${page}.diff`,
		patch_url: `${page}.patch`,
		issue_url: issueUrl,
		number: issue.number,
		state: issue.state,
		locked: false,
		title: issue.title,
		user: renderUser(state, issue.author),
		body: issue.body,
		created_at: issue.createdAt,
		updated_at: issue.updatedAt,
		closed_at: issue.closedAt,
		merged_at: pull.mergedAt,
		merge_commit_sha: pull.merge?.commit ?? null,
		assignee: issue.assignees[0] === undefined ? null : renderUser(state, issue.assignees[0]),
		assignees: issue.assignees.map((login) => renderUser(state, login)),
		requested_reviewers: [],
		requested_teams: [],
		labels: renderLabels(state, repository, issue.labels),
		milestone: null,
		draft: pull.draft,
		commits_url: `${url}/commits`,
		review_comments_url: `${url}/comments`,
		review_comment_url: `${api}/pulls/comments{/number}`,
		comments_url: `${issueUrl}/comments`,
		statuses_url: statusesUrl,
		head: renderSide(state, pull.head.owner, pull.head.ref, pull.head.sha, headRepository),
		base: renderSide(state, repository.owner, pull.base.ref, pull.base.sha, repository),
		_links: renderLinks(url, page, issueUrl, statusesUrl),
		author_association: associationOf(repository, issue.author),
		auto_merge: null,
		active_lock_reason: null,
	};
}

function mergeableState(draft: boolean, mergeable: boolean | null): string {
	if (mergeable === null) return "unknown";
	if (!mergeable) return "dirty";
	return draft ? "draft" : "clean";
}

/** A single pull request with everything counted by git: `additions`, `changed_files`, `commits`, `mergeable`. */
export async function renderPull(state: LoopbackState, repository: RepositoryRecord, issue: PullIssue): Promise<JsonObject> {
	const { mergeable } = await refreshTestMerge(state, repository, issue);
	const files = await pullFiles(repository, issue);
	const mergeBase = await pullMergeBase(repository, issue);
	const commits = Number(await runGit(repository.bare, ["rev-list", "--count", `${mergeBase}..${issue.pull.head.sha}`]));
	const merged = issue.pull.mergedAt !== null;
	return {
		...renderPullSimple(state, repository, issue),
		merged,
		mergeable,
		rebaseable: mergeable,
		mergeable_state: mergeableState(issue.pull.draft, mergeable),
		merged_by: null,
		comments: issue.comments.length,
		review_comments: issue.pull.reviewComments.length,
		maintainer_can_modify: issue.pull.head.repository !== null && issue.pull.head.owner !== repository.owner,
		commits,
		additions: files.reduce((sum, file) => sum + file.additions, 0),
		deletions: files.reduce((sum, file) => sum + file.deletions, 0),
		changed_files: files.length,
	};
}
