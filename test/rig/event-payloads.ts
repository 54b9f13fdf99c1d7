/**
 * Event payloads for tests: GitHub's published examples, patched for what they lack (a pull request from a fork, a
 * comment on a pull request, newer required fields), and a validator made from GitHub's webhook description.
 */
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";

export type Payload = { [key: string]: unknown };

const require = createRequire(import.meta.url);

export const REPOSITORY = "octo-org/flock";
export const BASE_SHA = "1".repeat(40);
export const HEAD_SHA = "2".repeat(40);

interface ExampleGroup {
	readonly name: string;
	readonly examples: readonly Payload[];
}

/** A deep copy of the first example of an event with that action. */
export async function loadExample(event: string, action?: string): Promise<Payload> {
	const file = require.resolve("@octokit/webhooks-examples/api.github.com/index.json");
	const groups = JSON.parse(await readFile(file, "utf8")) as ExampleGroup[];
	const examples = groups.find((group) => group.name === event)?.examples ?? [];
	const found = examples.find((example) => action === undefined || example["action"] === action);
	if (found === undefined) throw new Error(`no example of ${event} ${action ?? ""}`);
	return structuredClone(found);
}

/** Fields that GitHub has added since the examples were recorded. */
const REPOSITORY_ADDITIONS: Payload = {
	has_discussions: false,
	has_pull_requests: true,
	allow_forking: true,
	web_commit_signoff_required: false,
	is_template: false,
	disabled: false,
	topics: [],
	visibility: "public",
	custom_properties: {},
	pull_request_creation_policy: "all",
};

const REACTIONS: Payload = {
	url: "https://api.github.com/reactions",
	total_count: 0,
	"+1": 0,
	"-1": 0,
	laugh: 0,
	hooray: 0,
	confused: 0,
	heart: 0,
	rocket: 0,
	eyes: 0,
};

/** Where a comment in the diff stands, for a range of two lines. */
const REVIEW_COMMENT_PLACE: Payload = {
	start_line: 3,
	line: 4,
	original_start_line: 3,
	original_line: 4,
	start_side: "RIGHT",
	side: "RIGHT",
};

export function makeUser(login: string, type: "User" | "Bot" = "User", id = 1001): Payload {
	const path = encodeURIComponent(login);
	return {
		login,
		id,
		node_id: "MDQ6VXNlcjE=",
		avatar_url: "https://avatars.githubusercontent.com/u/1001?v=4",
		gravatar_id: "",
		url: `https://api.github.com/users/${path}`,
		html_url: `https://github.com/${path}`,
		followers_url: `https://api.github.com/users/${path}/followers`,
		following_url: `https://api.github.com/users/${path}/following{/other_user}`,
		gists_url: `https://api.github.com/users/${path}/gists{/gist_id}`,
		starred_url: `https://api.github.com/users/${path}/starred{/owner}{/repo}`,
		subscriptions_url: `https://api.github.com/users/${path}/subscriptions`,
		organizations_url: `https://api.github.com/users/${path}/orgs`,
		repos_url: `https://api.github.com/users/${path}/repos`,
		events_url: `https://api.github.com/users/${path}/events{/privacy}`,
		received_events_url: `https://api.github.com/users/${path}/received_events`,
		type,
		site_admin: false,
		user_view_type: "public",
	};
}

function nameRepository(repository: Payload, fullName: string): Payload {
	const [owner = "", name = ""] = fullName.split("/");
	return {
		...REPOSITORY_ADDITIONS,
		...repository,
		homepage: null,
		...(fullName === REPOSITORY ? {} : { id: 4242 }),
		name,
		full_name: fullName,
		owner: makeUser(owner, "User", 7),
	};
}

export interface PullRequestOptions {
	readonly action?: string;
	readonly number?: number;
	readonly author?: Payload | null;
	readonly sender?: Payload;
	readonly title?: string;
	readonly body?: string | null;
	/** `owner/name`, or null for a deleted fork. */
	readonly headRepository?: string | null;
	readonly headRef?: string;
	readonly draft?: boolean;
	readonly label?: string;
}

/** A `pull_request` (or `pull_request_target`: the same payload) event. */
export async function makePullRequestEvent(options: PullRequestOptions = {}): Promise<Payload> {
	const action = options.action ?? "opened";
	const example = await loadExample("pull_request", action === "labeled" ? "labeled" : action === "synchronize" ? "synchronize" : "opened");
	const number = options.number ?? 12;
	const pull = example["pull_request"] as Payload;
	const base = pull["base"] as Payload;
	const head = pull["head"] as Payload;
	const headRepository = options.headRepository === undefined ? REPOSITORY : options.headRepository;
	const author = options.author === undefined ? makeUser("user-a") : options.author;
	return {
		...example,
		action,
		number,
		...(options.label === undefined ? {} : { label: { ...(example["label"] as Payload), name: options.label } }),
		pull_request: {
			...pull,
			auto_merge: null,
			number,
			title: options.title ?? "Add the retry budget",
			body: options.body === undefined ? "See the tests." : options.body,
			user: author,
			draft: options.draft ?? false,
			state: action === "closed" ? "closed" : "open",
			base: { ...base, ref: "main", sha: BASE_SHA, repo: nameRepository(base["repo"] as Payload, REPOSITORY) },
			head: {
				...head,
				ref: options.headRef ?? "retry-budget",
				sha: HEAD_SHA,
				repo: headRepository === null ? null : nameRepository(head["repo"] as Payload, headRepository),
				user: headRepository === null ? null : head["user"],
			},
		},
		repository: nameRepository(example["repository"] as Payload, REPOSITORY),
		sender: options.sender ?? author ?? makeUser("user-a"),
	};
}

export interface CommentOptions {
	readonly action?: "created" | "edited" | "deleted";
	readonly body: string;
	readonly before?: string;
	readonly number?: number;
	/** False for a comment on a plain issue. */
	readonly onPullRequest?: boolean;
	readonly author?: Payload | null;
	readonly sender?: Payload;
}

/** An `issue_comment` event; GitHub's examples have none on a pull request. */
export async function makeIssueCommentEvent(options: CommentOptions): Promise<Payload> {
	const action = options.action ?? "created";
	const example = await loadExample("issue_comment", action);
	const number = options.number ?? 12;
	const author = options.author === undefined ? makeUser("user-a") : options.author;
	const url = `https://api.github.com/repos/${REPOSITORY}/pulls/${number}`;
	return {
		...example,
		action,
		...(action === "edited" ? { changes: { body: { from: options.before ?? "" } } } : {}),
		issue: {
			...(example["issue"] as Payload),
			active_lock_reason: null,
			labels: [],
			reactions: REACTIONS,
			number,
			...(options.onPullRequest === false
				? {}
				: {
						pull_request: {
							url,
							html_url: `https://github.com/${REPOSITORY}/pull/${number}`,
							diff_url: `${url}.diff`,
							patch_url: `${url}.patch`,
						},
					}),
		},
		comment: {
			...(example["comment"] as Payload),
			performed_via_github_app: null,
			reactions: REACTIONS,
			id: 77,
			body: options.body,
			user: author,
		},
		repository: nameRepository(example["repository"] as Payload, REPOSITORY),
		sender: options.sender ?? author ?? makeUser("user-a"),
	};
}

/** A comment in the diff. */
export async function makeReviewCommentEvent(options: CommentOptions): Promise<Payload> {
	const example = await loadExample("pull_request_review_comment", "created");
	const pull = example["pull_request"] as Payload;
	const base = pull["base"] as Payload;
	const head = pull["head"] as Payload;
	const author = options.author === undefined ? makeUser("user-a") : options.author;
	return {
		...example,
		comment: {
			...(example["comment"] as Payload),
			...REVIEW_COMMENT_PLACE,
			reactions: REACTIONS,
			id: 78,
			body: options.body,
			user: author,
			in_reply_to_id: 70,
		},
		pull_request: {
			...pull,
			active_lock_reason: null,
			number: options.number ?? 12,
			base: { ...base, repo: nameRepository(base["repo"] as Payload, REPOSITORY) },
			head: { ...head, repo: nameRepository(head["repo"] as Payload, REPOSITORY) },
		},
		repository: nameRepository(example["repository"] as Payload, REPOSITORY),
		sender: options.sender ?? author ?? makeUser("user-a"),
	};
}

export async function makeWorkflowDispatchEvent(inputs: Payload): Promise<Payload> {
	const example = await loadExample("workflow_dispatch");
	return {
		...example,
		inputs,
		ref: "refs/heads/main",
		repository: nameRepository(example["repository"] as Payload, REPOSITORY),
		sender: makeUser("user-a"),
	};
}

export async function makeRepositoryDispatchEvent(client: Payload): Promise<Payload> {
	const example = await loadExample("repository_dispatch");
	return {
		...example,
		client_payload: client,
		sender: makeUser("user-a"),
		repository: nameRepository(example["repository"] as Payload, REPOSITORY),
	};
}

export async function makeWorkflowRunEvent(options: { readonly conclusion: string; readonly actor?: Payload }): Promise<Payload> {
	const example = await loadExample("workflow_run", "completed");
	const actor = options.actor ?? makeUser("user-a");
	return {
		...example,
		workflow_run: {
			...(example["workflow_run"] as Payload),
			path: ".github/workflows/ci.yml",
			conclusion: options.conclusion,
			actor,
			triggering_actor: actor,
		},
		sender: makeUser("user-a"),
	};
}

/** GitHub sends the cron text and nothing else that can be relied on (BR-39). */
export function makeScheduleEvent(): Payload {
	return { schedule: "0 5 * * 1" };
}

let validators: Promise<(webhook: string) => ValidateFunction> | undefined;

/** What is wrong with a payload by GitHub's own description; empty for a valid one. */
export async function findPayloadFaults(webhook: string, payload: Payload): Promise<readonly string[]> {
	validators ??= loadDescription();
	const validate = (await validators)(webhook);
	return validate(payload)
		? []
		: (validate.errors ?? []).map((error) => `${error.instancePath} ${error.message} ${JSON.stringify(error.params)}`);
}

async function loadDescription(): Promise<(webhook: string) => ValidateFunction> {
	const main = require.resolve("@octokit/openapi-webhooks/package.json");
	const description = JSON.parse(await readFile(main.replace("package.json", "generated/api.github.com.json"), "utf8")) as Payload;
	const ajv = new Ajv2020({ strict: false, allErrors: true });
	addFormats.default(ajv);
	ajv.addFormat("repo.nwo", true);
	ajv.addSchema({ ...description, $id: "webhooks" });
	return (webhook) => {
		const validate = ajv.getSchema(`webhooks#/webhooks/${webhook}/post/requestBody/content/application~1json/schema`);
		if (validate === undefined) throw new Error(`no webhook ${webhook}`);
		return validate as ValidateFunction;
	};
}
