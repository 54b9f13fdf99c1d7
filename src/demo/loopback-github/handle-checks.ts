import { created, listOf, notFound, ok, pageOf, textOf, validationFailed } from "./answer.ts";
import { type Call, type HandlerTable, loginOf, numberParameter, repositoryOf } from "./handler.ts";
import { HttpProblem, type JsonObject } from "./loopback-types.ts";
import type { CheckRunRecord, LoopbackState, RepositoryRecord, StatusRecord } from "./loopback-state.ts";
import { readCommit, resolveCommit } from "./read-commits.ts";
import { nodeId, renderRepository, renderUser, repositoryPage, repositoryUrl } from "./render-repository.ts";

/** The app behind a workflow's own token. */
export function renderActionsApp(state: LoopbackState): JsonObject {
	return {
		id: 15368,
		slug: "github-actions",
		node_id: nodeId("A", 15368),
		owner: renderUser(state, "github"),
		name: "GitHub Actions",
		description: "Automate your workflow from idea to production",
		external_url: "https://help.github.com/en/actions",
		html_url: `${state.serverUrl}/apps/github-actions`,
		created_at: "2018-07-30T09:30:17Z",
		updated_at: "2024-04-10T20:33:16Z",
		permissions: { actions: "write", checks: "write", contents: "write", issues: "write", metadata: "read", pull_requests: "write" },
		events: ["check_run", "check_suite", "pull_request", "push"],
	};
}

function pullLinks(state: LoopbackState, repository: RepositoryRecord, sha: string): JsonObject[] {
	const repo = { id: repository.id, url: repositoryUrl(state, repository), name: repository.name };
	return [...repository.issues.values()].flatMap((issue) => {
		if (issue.pull === undefined || issue.pull.head.sha !== sha || issue.state !== "open") return [];
		const { head, base } = issue.pull;
		const own = head.repository === `${repository.owner}/${repository.name}`.toLowerCase();
		// GitHub lists no pull requests from forks here.
		if (!own) return [];
		return [
			{
				url: `${repositoryUrl(state, repository)}/pulls/${issue.number}`,
				id: issue.id,
				number: issue.number,
				head: { ref: head.ref, sha: head.sha, repo },
				base: { ref: base.ref, sha: base.sha, repo },
			},
		];
	});
}

function renderCheckRun(state: LoopbackState, repository: RepositoryRecord, check: CheckRunRecord): JsonObject {
	const url = `${repositoryUrl(state, repository)}/check-runs/${check.id}`;
	const page = `${repositoryPage(state, repository)}/runs/${check.id}`;
	return {
		id: check.id,
		name: check.name,
		node_id: nodeId("CR", check.id),
		head_sha: check.headSha,
		external_id: check.externalId,
		url,
		html_url: page,
		details_url: check.detailsUrl ?? page,
		status: check.status,
		conclusion: check.conclusion,
		started_at: check.startedAt,
		completed_at: check.completedAt,
		output: { ...check.output, annotations_count: check.annotations.length, annotations_url: `${url}/annotations` },
		check_suite: { id: check.suiteId },
		app: renderActionsApp(state),
		pull_requests: pullLinks(state, repository, check.headSha),
	};
}

function suiteOf(state: LoopbackState, repository: RepositoryRecord, sha: string): number {
	const id = repository.suites.get(sha) ?? state.nextId();
	repository.suites.set(sha, id);
	return id;
}

/** Takes over what the request says; annotations are added to those that are there. */
function applyToCheck(call: Call, check: CheckRunRecord): void {
	const { body } = call;
	const output = body["output"] as JsonObject | undefined;
	check.name = textOf(body, "name") ?? check.name;
	check.status = textOf(body, "status") ?? check.status;
	check.detailsUrl = textOf(body, "details_url") ?? check.detailsUrl;
	check.externalId = textOf(body, "external_id") ?? check.externalId;
	check.startedAt = textOf(body, "started_at") ?? check.startedAt;
	const conclusion = textOf(body, "conclusion");
	if (conclusion !== undefined || textOf(body, "completed_at") !== undefined) {
		if (conclusion === undefined) throw validationFailed("CheckRun", "conclusion", "missing_field");
		check.status = "completed";
		check.conclusion = conclusion;
		check.completedAt = textOf(body, "completed_at") ?? call.state.now();
	}
	if (output === undefined) return;
	check.output = {
		title: textOf(output, "title") ?? check.output.title,
		summary: textOf(output, "summary") ?? check.output.summary,
		text: textOf(output, "text") ?? check.output.text,
	};
	for (const annotation of listOf(output, "annotations") as readonly JsonObject[]) {
		const { path, start_line, end_line, start_column, end_column, annotation_level, title, message, raw_details } = annotation;
		if (start_line !== end_line && (start_column !== undefined || end_column !== undefined)) {
			throw validationFailed("CheckRun", "annotations", "invalid", "Columns are only allowed when the start and end lines are the same");
		}
		check.annotations.push({
			path,
			blob_href: "",
			start_line,
			end_line,
			start_column: start_column ?? null,
			end_column: end_column ?? null,
			annotation_level,
			title: title ?? null,
			message,
			raw_details: raw_details ?? null,
		});
	}
}

function requireApp(call: Call): void {
	if (call.viewer?.kind === "personal") throw new HttpProblem(403, { message: "You must authenticate via a GitHub App." });
}

function checkOf(call: Call): { readonly repository: RepositoryRecord; readonly check: CheckRunRecord } {
	const repository = repositoryOf(call);
	const id = numberParameter(call, "check_run_id");
	const check = repository.checks.find((candidate) => candidate.id === id);
	if (check === undefined) throw notFound();
	return { repository, check };
}

async function shaOf(call: Call, name: string): Promise<string> {
	const sha = await resolveCommit(repositoryOf(call).bare, call.parameters[name] ?? "");
	if (sha === undefined) throw new HttpProblem(422, { message: `No commit found for SHA: ${call.parameters[name] ?? ""}` });
	return sha;
}

function renderStatus(state: LoopbackState, repository: RepositoryRecord, status: StatusRecord): JsonObject {
	return {
		url: `${repositoryUrl(state, repository)}/statuses/${status.sha}`,
		avatar_url: `${state.serverUrl}/avatars/0`,
		id: status.id,
		node_id: nodeId("SC", status.id),
		state: status.state,
		description: status.description,
		target_url: status.targetUrl,
		context: status.context,
		created_at: status.createdAt,
		updated_at: status.createdAt,
		creator: renderUser(state, status.creator),
	};
}

function statusesOf(repository: RepositoryRecord, sha: string): StatusRecord[] {
	return repository.statuses.filter((status) => status.sha === sha).reverse();
}

function combinedState(latest: readonly StatusRecord[]): string {
	if (latest.some((status) => status.state === "failure" || status.state === "error")) return "failure";
	return latest.length > 0 && latest.every((status) => status.state === "success") ? "success" : "pending";
}

export const CHECK_HANDLERS: HandlerTable = {
	"checks/create": async (call) => {
		requireApp(call);
		const repository = repositoryOf(call);
		const headSha = textOf(call.body, "head_sha") ?? "";
		if ((await readCommit(repository.bare, headSha)) === undefined) {
			throw new HttpProblem(422, { message: `No commit found for SHA: ${headSha}` });
		}
		const check: CheckRunRecord = {
			id: call.state.nextId(),
			suiteId: suiteOf(call.state, repository, headSha),
			headSha,
			name: "",
			status: "queued",
			conclusion: null,
			startedAt: call.state.now(),
			completedAt: null,
			detailsUrl: null,
			externalId: null,
			output: { title: null, summary: null, text: null },
			annotations: [],
		};
		applyToCheck(call, check);
		repository.checks.push(check);
		return created(renderCheckRun(call.state, repository, check));
	},
	"checks/update": async (call) => {
		requireApp(call);
		const { repository, check } = checkOf(call);
		applyToCheck(call, check);
		return ok(renderCheckRun(call.state, repository, check));
	},
	"checks/get": async (call) => {
		const { repository, check } = checkOf(call);
		return ok(renderCheckRun(call.state, repository, check));
	},
	"checks/list-annotations": async (call) => {
		const page = pageOf(checkOf(call).check.annotations, call);
		return ok(page.items, page.headers);
	},
	"checks/list-for-ref": async (call) => {
		const repository = repositoryOf(call);
		const sha = await shaOf(call, "ref");
		const { check_name: name, status } = call.query;
		const checks = repository.checks
			.filter((check) => check.headSha === sha && (name === undefined || check.name === name))
			.filter((check) => status === undefined || check.status === status);
		const page = pageOf(checks, call);
		const runs = page.items.map((check) => renderCheckRun(call.state, repository, check));
		return ok({ total_count: checks.length, check_runs: runs }, page.headers);
	},
	"checks/list-suites-for-ref": async (call) => {
		const repository = repositoryOf(call);
		const sha = await shaOf(call, "ref");
		const id = repository.suites.get(sha);
		const commit = await readCommit(repository.bare, sha);
		if (id === undefined || commit === undefined) return ok({ total_count: 0, check_suites: [] });
		const runs = repository.checks.filter((check) => check.suiteId === id);
		const done = runs.every((check) => check.status === "completed");
		const url = `${repositoryUrl(call.state, repository)}/check-suites/${id}`;
		const failed = runs.find((check) => check.conclusion !== "success" && check.conclusion !== "neutral");
		const suite = {
			id,
			node_id: nodeId("CS", id),
			head_branch: null,
			head_sha: sha,
			status: done ? "completed" : "in_progress",
			conclusion: done ? (failed?.conclusion ?? "success") : null,
			url,
			before: null,
			after: sha,
			pull_requests: pullLinks(call.state, repository, sha),
			app: renderActionsApp(call.state),
			repository: renderRepository(call.state, repository),
			created_at: runs[0]?.startedAt ?? call.state.now(),
			updated_at: call.state.now(),
			head_commit: {
				id: sha,
				tree_id: commit.tree,
				message: commit.message,
				timestamp: commit.committer.date,
				author: { name: commit.author.name, email: commit.author.email },
				committer: { name: commit.committer.name, email: commit.committer.email },
			},
			latest_check_runs_count: runs.length,
			check_runs_url: `${url}/check-runs`,
		};
		return ok({ total_count: 1, check_suites: [suite] });
	},
	"repos/create-commit-status": async (call) => {
		const repository = repositoryOf(call);
		const status: StatusRecord = {
			id: call.state.nextId(),
			sha: await shaOf(call, "sha"),
			state: String(call.body["state"]),
			context: textOf(call.body, "context") ?? "default",
			description: textOf(call.body, "description") ?? null,
			targetUrl: textOf(call.body, "target_url") ?? null,
			creator: loginOf(call),
			createdAt: call.state.now(),
		};
		if ((status.description ?? "").length > 140) {
			throw validationFailed("Status", "description", "custom", "description is too long (maximum is 140 characters)");
		}
		repository.statuses.push(status);
		return created(renderStatus(call.state, repository, status));
	},
	"repos/list-commit-statuses-for-ref": async (call) => {
		const repository = repositoryOf(call);
		const page = pageOf(statusesOf(repository, await shaOf(call, "ref")), call);
		return ok(
			page.items.map((status) => renderStatus(call.state, repository, status)),
			page.headers,
		);
	},
	"repos/get-combined-status-for-ref": async (call) => {
		const repository = repositoryOf(call);
		const sha = await shaOf(call, "ref");
		const latest = [
			...new Map(
				statusesOf(repository, sha)
					.reverse()
					.map((status) => [status.context, status]),
			).values(),
		];
		const page = pageOf(latest, call);
		const url = `${repositoryUrl(call.state, repository)}/commits/${sha}`;
		return ok(
			{
				state: combinedState(latest),
				statuses: page.items.map((status) => renderStatus(call.state, repository, status)),
				sha,
				total_count: latest.length,
				repository: renderRepository(call.state, repository),
				commit_url: url,
				url: `${url}/status`,
			},
			page.headers,
		);
	},
};
