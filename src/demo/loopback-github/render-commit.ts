import type { JsonObject } from "./loopback-types.ts";
import type { LoopbackState, RepositoryRecord } from "./loopback-state.ts";
import type { CommitFacts } from "./read-commits.ts";
import type { DiffFile } from "./read-diff.ts";
import { nodeId, renderUser, repositoryPage, repositoryUrl } from "./render-repository.ts";

function verification(repository: RepositoryRecord, commit: CommitFacts): JsonObject {
	const signed = repository.signedCommits.has(commit.sha);
	return {
		verified: signed,
		reason: signed ? "valid" : "unsigned",
		signature: signed ? "-----BEGIN PGP SIGNATURE-----\n\n-----END PGP SIGNATURE-----\n" : null,
		payload: signed ? `tree ${commit.tree}\n` : null,
		verified_at: signed ? commit.committer.date : null,
	};
}

/** The account of a commit's mail address, as far as a loopback can tell: the login in front of the noreply host. */
function accountOf(state: LoopbackState, email: string): JsonObject | null {
	const login = /^(?:\d+\+)?(.+)@users\.noreply\.github\.com$/.exec(email)?.[1];
	const known = login === undefined ? undefined : state.users.get(login);
	return known === undefined ? null : renderUser(state, known.login);
}

function parentLinks(state: LoopbackState, repository: RepositoryRecord, commit: CommitFacts, kind: string): JsonObject[] {
	return commit.parents.map((sha) => ({
		sha,
		url: `${repositoryUrl(state, repository)}/${kind}/${sha}`,
		html_url: `${repositoryPage(state, repository)}/commit/${sha}`,
	}));
}

/** A commit as the commits, pulls and compare endpoints give it. */
export function renderCommit(state: LoopbackState, repository: RepositoryRecord, commit: CommitFacts): JsonObject {
	const api = repositoryUrl(state, repository);
	return {
		sha: commit.sha,
		node_id: nodeId("C", repository.id, commit.sha),
		commit: {
			author: commit.author,
			committer: commit.committer,
			message: commit.message,
			tree: { sha: commit.tree, url: `${api}/git/trees/${commit.tree}` },
			url: `${api}/git/commits/${commit.sha}`,
			comment_count: 0,
			verification: verification(repository, commit),
		},
		url: `${api}/commits/${commit.sha}`,
		html_url: `${repositoryPage(state, repository)}/commit/${commit.sha}`,
		comments_url: `${api}/commits/${commit.sha}/comments`,
		author: accountOf(state, commit.author.email),
		committer: accountOf(state, commit.committer.email),
		parents: parentLinks(state, repository, commit, "commits"),
	};
}

/** A commit as the git data endpoints give it. */
export function renderGitCommit(state: LoopbackState, repository: RepositoryRecord, commit: CommitFacts): JsonObject {
	const api = repositoryUrl(state, repository);
	return {
		sha: commit.sha,
		node_id: nodeId("C", repository.id, commit.sha),
		url: `${api}/git/commits/${commit.sha}`,
		html_url: `${repositoryPage(state, repository)}/commit/${commit.sha}`,
		author: commit.author,
		committer: commit.committer,
		tree: { sha: commit.tree, url: `${api}/git/trees/${commit.tree}` },
		message: commit.message,
		parents: parentLinks(state, repository, commit, "git/commits"),
		verification: verification(repository, commit),
	};
}

/** One changed file; `patch` is left out exactly where GitHub leaves it out (BR-10). */
export function renderDiffFile(state: LoopbackState, repository: RepositoryRecord, commit: string, file: DiffFile): JsonObject {
	const path = file.path.split("/").map(encodeURIComponent).join("/");
	const page = repositoryPage(state, repository);
	return {
		sha: file.blob,
		filename: file.path,
		status: file.status,
		additions: file.additions,
		deletions: file.deletions,
		changes: file.additions + file.deletions,
		blob_url: `${page}/blob/${commit}/${path}`,
		raw_url: `${page}/raw/${commit}/${path}`,
		contents_url: `${repositoryUrl(state, repository)}/contents/${path}?ref=${commit}`,
		...(file.patch === undefined ? {} : { patch: file.patch }),
		...(file.previousPath === undefined ? {} : { previous_filename: file.previousPath }),
	};
}
