import type { Octokit } from "@octokit/rest";
import * as z from "zod";
import type { Actor, RepositoryRef } from "../../domain/ids.ts";
import type { GitHostReader } from "../../seams.ts";
import { listReviewThreads } from "./list-review-threads.ts";
import {
	toActor,
	toHostComment,
	toHostCommit,
	toHostFile,
	toHostPullRequest,
	toHostReview,
	toHostReviewComment,
	toPullRequestFacts,
} from "./map-host-records.ts";

/** The account behind `GITHUB_TOKEN`: the token may not ask who it is, and this id is the same everywhere. */
export const WORKFLOW_BOT: Actor = { login: "github-actions[bot]", id: 41_898_282, type: "Bot" };

/** GitHub gives 30 a page unless asked; a marker on comment 31 must be found too. */
const per_page = 100;

export interface ReaderOptions {
	readonly identity: Actor | undefined;
	/** The token is one of an app or a workflow, which has no user to ask for. */
	readonly isInstallation: boolean;
}

/** Reads of one repository; always all pages. */
export function createGitHubReader(octokit: Octokit, repository: RepositoryRef, options: ReaderOptions): GitHostReader {
	const { identity } = options;
	const target = { owner: repository.owner, repo: repository.name };
	const numbered = (pull_number: number) => ({ ...target, pull_number, per_page });
	let viewer: Promise<Actor | null> | undefined;
	return {
		async pullRequest(pull_number) {
			return toPullRequestFacts((await octokit.rest.pulls.get({ ...target, pull_number })).data);
		},
		async viewer() {
			viewer ??= identity === undefined ? askViewer(octokit, options.isInstallation) : Promise.resolve(identity);
			return viewer;
		},
		async permission(username) {
			try {
				const { data } = await octokit.rest.repos.getCollaboratorPermissionLevel({ ...target, username });
				return roleOf(data);
			} catch {
				return "none";
			}
		},
		async defaultBranch() {
			const { data } = await octokit.rest.repos.get(target);
			const branch = await octokit.rest.repos.getBranch({ ...target, branch: data.default_branch });
			return { name: data.default_branch, sha: branch.data.commit.sha };
		},
		async issueComments(issue_number) {
			const comments = await octokit.paginate(octokit.rest.issues.listComments, { ...target, issue_number, per_page });
			return comments.map(toHostComment);
		},
		async reviews(number) {
			return (await octokit.paginate(octokit.rest.pulls.listReviews, numbered(number))).map(toHostReview);
		},
		async reviewComments(number) {
			return (await octokit.paginate(octokit.rest.pulls.listReviewComments, numbered(number))).map(toHostReviewComment);
		},
		async reviewThreads(number) {
			return listReviewThreads(octokit, { owner: repository.owner, name: repository.name, number });
		},
		async pullRequestFiles(number) {
			return (await octokit.paginate(octokit.rest.pulls.listFiles, numbered(number))).map(toHostFile);
		},
		async commentsSince(since) {
			const comments = await octokit.paginate(octokit.rest.issues.listCommentsForRepo, { ...target, since, per_page });
			return comments.map(toHostComment);
		},
		async pullRequestsSince(since) {
			const order = { sort: "updated", direction: "desc" } as const;
			const { data } = await octokit.rest.pulls.list({ ...target, ...order, state: "all", per_page });
			return data.map(toHostPullRequest).filter((pull) => pull.updatedAt >= since);
		},
		async pullRequestsOf(branch) {
			const head = `${repository.owner}:${branch}`;
			return (await octokit.paginate(octokit.rest.pulls.list, { ...target, head, state: "all", per_page })).map(toHostPullRequest);
		},
		async branchHead(branch) {
			const { data } = await octokit.rest.git.listMatchingRefs({ ...target, ref: `heads/${branch}` });
			return data.find((ref) => ref.ref === `refs/heads/${branch}`)?.object.sha;
		},
		async commitsBetween(base, head) {
			const { data } = await octokit.rest.repos.compareCommitsWithBasehead({ ...target, basehead: `${base}...${head}` });
			return data.commits.map(toHostCommit);
		},
	};
}

/** Roles we can rank; a role of the organisation's own making is decided by the legacy word (BR-31). */
const ROLES = ["admin", "maintain", "write", "triage", "read", "none"];

function roleOf(data: { readonly permission: string; readonly role_name?: string }): string {
	const role = data.role_name ?? "";
	return ROLES.includes(role) ? role : data.permission;
}

const graphqlViewer = z.object({ viewer: z.object({ login: z.string(), databaseId: z.number().int().positive() }) });

/**
 * A person's token may ask for its user; a token of an app or a workflow gets 403 there (one that begins with `ghs_` is
 * known to, so it is not tried), and GraphQL may still tell.
 * When neither does, it is taken for the workflow's own token. Null for a token that is not accepted at all.
 */
async function askViewer(octokit: Octokit, isInstallation: boolean): Promise<Actor | null> {
	try {
		if (!isInstallation) return toActor((await octokit.rest.users.getAuthenticated()).data);
	} catch (error) {
		const status = statusOf(error);
		if (status !== 403 && status !== 404) return null;
	}
	try {
		const answer = graphqlViewer.safeParse(await octokit.graphql("query { viewer { login databaseId } }", { request: { retries: 0 } }));
		if (!answer.success) return WORKFLOW_BOT;
		const { login, databaseId } = answer.data.viewer;
		return { login, id: databaseId, type: login.endsWith("[bot]") ? "Bot" : "Unknown" };
	} catch (error) {
		return statusOf(error) === 401 ? null : WORKFLOW_BOT;
	}
}

function statusOf(error: unknown): unknown {
	return error instanceof Error && "status" in error ? error.status : 0;
}
