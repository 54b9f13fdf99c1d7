import type { JsonObject } from "./loopback-types.ts";
import { ensureUser, fullNameOf, type LoopbackState, type RepositoryRecord, type UserRecord } from "./loopback-state.ts";

/** An opaque id in GitHub's new form: a type prefix and something that looks like base64. */
export function nodeId(prefix: string, ...parts: readonly (string | number)[]): string {
	return `${prefix}_${Buffer.from(parts.join(":")).toString("base64url")}`;
}

const USER_LINKS: Readonly<Record<string, string>> = {
	followers_url: "/followers",
	following_url: "/following{/other_user}",
	gists_url: "/gists{/gist_id}",
	starred_url: "/starred{/owner}{/repo}",
	subscriptions_url: "/subscriptions",
	organizations_url: "/orgs",
	repos_url: "/repos",
	events_url: "/events{/privacy}",
	received_events_url: "/received_events",
};

/** A user as every object embeds it (`simple-user`). */
export function renderUser(state: LoopbackState, login: string): JsonObject {
	const user = ensureUser(state, login);
	const url = `${state.apiUrl}/users/${encodeURIComponent(user.login)}`;
	const page = user.type === "Bot" ? `apps/${user.login.replace(/\[bot\]$/, "")}` : user.login;
	return {
		login: user.login,
		id: user.id,
		node_id: nodeId(user.type === "Bot" ? "BOT" : "U", user.id),
		avatar_url: `${state.serverUrl}/avatars/${user.id}`,
		gravatar_id: "",
		url,
		html_url: `${state.serverUrl}/${page}`,
		...Object.fromEntries(Object.entries(USER_LINKS).map(([key, tail]) => [key, `${url}${tail}`])),
		type: user.type,
		user_view_type: "public",
		site_admin: false,
	};
}

/** A user's profile (`public-user`). */
export function renderProfile(state: LoopbackState, user: UserRecord): JsonObject {
	return {
		...renderUser(state, user.login),
		name: user.name,
		company: null,
		blog: "",
		location: null,
		email: null,
		hireable: null,
		bio: null,
		twitter_username: null,
		public_repos: 0,
		public_gists: 0,
		followers: 0,
		following: 0,
		created_at: "2020-01-01T00:00:00Z",
		updated_at: "2020-01-01T00:00:00Z",
	};
}

const REPOSITORY_LINKS: Readonly<Record<string, string>> = {
	forks_url: "/forks",
	keys_url: "/keys{/key_id}",
	collaborators_url: "/collaborators{/collaborator}",
	teams_url: "/teams",
	hooks_url: "/hooks",
	issue_events_url: "/issues/events{/number}",
	events_url: "/events",
	assignees_url: "/assignees{/user}",
	branches_url: "/branches{/branch}",
	tags_url: "/tags",
	blobs_url: "/git/blobs{/sha}",
	git_tags_url: "/git/tags{/sha}",
	git_refs_url: "/git/refs{/sha}",
	trees_url: "/git/trees{/sha}",
	statuses_url: "/statuses/{sha}",
	languages_url: "/languages",
	stargazers_url: "/stargazers",
	contributors_url: "/contributors",
	subscribers_url: "/subscribers",
	subscription_url: "/subscription",
	commits_url: "/commits{/sha}",
	git_commits_url: "/git/commits{/sha}",
	comments_url: "/comments{/number}",
	issue_comment_url: "/issues/comments{/number}",
	contents_url: "/contents/{+path}",
	compare_url: "/compare/{base}...{head}",
	merges_url: "/merges",
	archive_url: "/{archive_format}{/ref}",
	downloads_url: "/downloads",
	issues_url: "/issues{/number}",
	pulls_url: "/pulls{/number}",
	milestones_url: "/milestones{/number}",
	notifications_url: "/notifications{?since,all,participating}",
	labels_url: "/labels{/name}",
	releases_url: "/releases{/id}",
	deployments_url: "/deployments",
};

export function repositoryUrl(state: LoopbackState, repository: RepositoryRecord): string {
	return `${state.apiUrl}/repos/${fullNameOf(repository)}`;
}

export function repositoryPage(state: LoopbackState, repository: RepositoryRecord): string {
	return `${state.serverUrl}/${fullNameOf(repository)}`;
}

/** A repository as pull requests and events embed it (`repository`); enough for `minimal-repository` too. */
export function renderRepository(state: LoopbackState, repository: RepositoryRecord): JsonObject {
	const url = repositoryUrl(state, repository);
	const page = repositoryPage(state, repository);
	const open = [...repository.issues.values()].filter((issue) => issue.state === "open").length;
	const host = state.serverUrl.replace(/^https?:\/\//, "");
	return {
		id: repository.id,
		node_id: nodeId("R", repository.id),
		name: repository.name,
		full_name: fullNameOf(repository),
		private: repository.private,
		owner: renderUser(state, repository.owner),
		html_url: page,
		description: null,
		fork: repository.parent !== null,
		url,
		...Object.fromEntries(Object.entries(REPOSITORY_LINKS).map(([key, tail]) => [key, `${url}${tail}`])),
		created_at: repository.createdAt,
		updated_at: repository.createdAt,
		pushed_at: repository.createdAt,
		git_url: `git://${host}/${fullNameOf(repository)}.git`,
		ssh_url: `git@${host}:${fullNameOf(repository)}.git`,
		clone_url: `${page}.git`,
		svn_url: page,
		homepage: null,
		size: 1,
		stargazers_count: 0,
		watchers_count: 0,
		language: null,
		has_issues: true,
		has_projects: true,
		has_downloads: true,
		has_wiki: false,
		has_pages: false,
		has_discussions: false,
		forks_count: 0,
		mirror_url: null,
		archived: false,
		disabled: false,
		open_issues_count: open,
		license: null,
		allow_forking: true,
		is_template: false,
		web_commit_signoff_required: false,
		topics: [],
		visibility: repository.private ? "private" : "public",
		forks: 0,
		open_issues: open,
		watchers: 0,
		default_branch: repository.defaultBranch,
	};
}

/** `GET /repos/{owner}/{repo}`. */
export function renderFullRepository(state: LoopbackState, repository: RepositoryRecord): JsonObject {
	const parent = repository.parent === null ? undefined : state.repositories.get(repository.parent);
	return {
		...renderRepository(state, repository),
		network_count: 0,
		subscribers_count: 0,
		allow_squash_merge: true,
		allow_merge_commit: true,
		allow_rebase_merge: true,
		allow_auto_merge: false,
		delete_branch_on_merge: false,
		...(parent === undefined ? {} : { parent: renderRepository(state, parent), source: renderRepository(state, parent) }),
	};
}
