import { notFound, ok, pageOf } from "./answer.ts";
import { type Call, type HandlerTable, numberParameter, repositoryOf } from "./handler.ts";
import type { JsonObject } from "./loopback-types.ts";
import type { ArtifactRecord, LoopbackState, RepositoryRecord, WorkflowJobRecord, WorkflowRunRecord } from "./loopback-state.ts";
import { readCommit } from "./read-commits.ts";
import { nodeId, renderRepository, renderUser, repositoryPage, repositoryUrl } from "./render-repository.ts";

/** Path below the server's root under which an artifact's bytes are served after the redirect. */
export const ARTIFACT_DOWNLOADS = "/_artifacts/";
/** The same for logs of jobs. */
export const JOB_LOGS = "/_logs/";

function renderArtifact(state: LoopbackState, repository: RepositoryRecord, artifact: ArtifactRecord): JsonObject {
	const url = `${repositoryUrl(state, repository)}/actions/artifacts/${artifact.id}`;
	const run = repository.workflowRuns.find((candidate) => candidate.id === artifact.runId);
	return {
		id: artifact.id,
		node_id: nodeId("AF", artifact.id),
		name: artifact.name,
		size_in_bytes: artifact.zip.length,
		url,
		archive_download_url: `${url}/zip`,
		expired: false,
		created_at: artifact.createdAt,
		updated_at: artifact.createdAt,
		expires_at: new Date(Date.parse(artifact.createdAt) + 90 * 86_400_000).toISOString(),
		...(run === undefined
			? {}
			: {
					workflow_run: {
						id: run.id,
						repository_id: repository.id,
						head_repository_id: state.repositories.get(run.headRepository.toLowerCase())?.id ?? repository.id,
						head_branch: run.headBranch,
						head_sha: run.headSha,
					},
				}),
	};
}

/** A workflow run as the API and `workflow_run` events give it; `pull_requests` is empty for forks, as on GitHub. */
export async function renderWorkflowRun(state: LoopbackState, repository: RepositoryRecord, run: WorkflowRunRecord): Promise<JsonObject> {
	const url = `${repositoryUrl(state, repository)}/actions/runs/${run.id}`;
	const headRepository = state.repositories.get(run.headRepository.toLowerCase()) ?? repository;
	const commit = await readCommit(headRepository.bare, run.headSha);
	return {
		id: run.id,
		name: run.name,
		node_id: nodeId("WFR", run.id),
		head_branch: run.headBranch,
		head_sha: run.headSha,
		path: run.path,
		display_title: run.title ?? run.name,
		run_number: 1,
		run_attempt: run.attempt ?? 1,
		event: run.event,
		status: run.status,
		conclusion: run.conclusion,
		workflow_id: 1,
		check_suite_id: run.id,
		check_suite_node_id: nodeId("CS", run.id),
		url,
		html_url: `${repositoryPage(state, repository)}/actions/runs/${run.id}`,
		pull_requests: [],
		created_at: run.createdAt,
		updated_at: run.createdAt,
		run_started_at: run.createdAt,
		actor: renderUser(state, run.actor),
		triggering_actor: renderUser(state, run.actor),
		referenced_workflows: [],
		jobs_url: `${url}/jobs`,
		logs_url: `${url}/logs`,
		check_suite_url: `${repositoryUrl(state, repository)}/check-suites/${run.id}`,
		artifacts_url: `${url}/artifacts`,
		cancel_url: `${url}/cancel`,
		rerun_url: `${url}/rerun`,
		previous_attempt_url: null,
		workflow_url: `${repositoryUrl(state, repository)}/actions/workflows/1`,
		head_commit:
			commit === undefined
				? null
				: {
						id: commit.sha,
						tree_id: commit.tree,
						message: commit.message,
						timestamp: commit.committer.date,
						author: { name: commit.author.name, email: commit.author.email },
						committer: { name: commit.committer.name, email: commit.committer.email },
					},
		repository: renderRepository(state, repository),
		head_repository: renderRepository(state, headRepository),
	};
}

export function findJob(repository: RepositoryRecord, id: number): WorkflowJobRecord | undefined {
	return repository.workflowRuns.flatMap((run) => run.jobs ?? []).find((job) => job.id === id);
}

function renderJob(state: LoopbackState, repository: RepositoryRecord, run: WorkflowRunRecord, job: WorkflowJobRecord): JsonObject {
	const url = `${repositoryUrl(state, repository)}/actions/jobs/${job.id}`;
	const page = `${repositoryPage(state, repository)}/actions/runs/${run.id}/job/${job.id}`;
	const times = { started_at: run.createdAt, completed_at: run.createdAt };
	return {
		id: job.id,
		run_id: run.id,
		workflow_name: run.name,
		head_branch: run.headBranch,
		run_url: `${repositoryUrl(state, repository)}/actions/runs/${run.id}`,
		run_attempt: run.attempt ?? 1,
		node_id: nodeId("CR", job.id),
		head_sha: run.headSha,
		url,
		html_url: page,
		status: "completed",
		conclusion: job.conclusion,
		created_at: run.createdAt,
		...times,
		name: job.name,
		steps: job.steps.map((step, index) => ({ ...step, status: "completed", number: index + 1, ...times })),
		check_run_url: `${repositoryUrl(state, repository)}/check-runs/${job.id}`,
		labels: ["ubuntu-latest"],
		runner_id: 1,
		runner_name: "GitHub Actions 1",
		runner_group_id: 1,
		runner_group_name: "GitHub Actions",
	};
}

function runOf(call: Call): { readonly repository: RepositoryRecord; readonly run: WorkflowRunRecord } {
	const repository = repositoryOf(call);
	const id = numberParameter(call, "run_id");
	const run = repository.workflowRuns.find((candidate) => candidate.id === id);
	if (run === undefined) throw notFound();
	return { repository, run };
}

function artifactOf(call: Call): { readonly repository: RepositoryRecord; readonly artifact: ArtifactRecord } {
	const repository = repositoryOf(call);
	const id = numberParameter(call, "artifact_id");
	const artifact = repository.artifacts.find((candidate) => candidate.id === id);
	if (artifact === undefined) throw notFound();
	return { repository, artifact };
}

function artifactList(call: Call, repository: RepositoryRecord, artifacts: readonly ArtifactRecord[]) {
	const name = call.query["name"];
	const wanted = artifacts.filter((artifact) => name === undefined || artifact.name === name);
	const page = pageOf(wanted, call);
	const rendered = page.items.map((artifact) => renderArtifact(call.state, repository, artifact));
	return ok({ total_count: wanted.length, artifacts: rendered }, page.headers);
}

export const ACTION_HANDLERS: HandlerTable = {
	"actions/list-artifacts-for-repo": async (call) => {
		const repository = repositoryOf(call);
		return artifactList(call, repository, repository.artifacts);
	},
	"actions/list-workflow-run-artifacts": async (call) => {
		const { repository, run } = runOf(call);
		return artifactList(
			call,
			repository,
			repository.artifacts.filter((artifact) => artifact.runId === run.id),
		);
	},
	"actions/get-artifact": async (call) => {
		const { repository, artifact } = artifactOf(call);
		return ok(renderArtifact(call.state, repository, artifact));
	},
	"actions/download-artifact": async (call) => {
		const { artifact } = artifactOf(call);
		return { status: 302, headers: { location: `${call.state.serverUrl}${ARTIFACT_DOWNLOADS}${artifact.id}` } };
	},
	"actions/get-workflow-run": async (call) => {
		const { repository, run } = runOf(call);
		return ok(await renderWorkflowRun(call.state, repository, run));
	},
	"actions/list-workflow-runs-for-repo": async (call) => {
		const repository = repositoryOf(call);
		const { branch, event, head_sha: headSha } = call.query;
		const runs = repository.workflowRuns.filter(
			(run) =>
				(branch === undefined || run.headBranch === branch) &&
				(event === undefined || run.event === event) &&
				(headSha === undefined || run.headSha === headSha),
		);
		const page = pageOf(runs.reverse(), call);
		const rendered = await Promise.all(page.items.map((run) => renderWorkflowRun(call.state, repository, run)));
		return ok({ total_count: runs.length, workflow_runs: rendered }, page.headers);
	},
	"actions/list-jobs-for-workflow-run": async (call) => {
		const { repository, run } = runOf(call);
		const jobs = run.jobs ?? [];
		const page = pageOf([...jobs], call);
		const rendered = page.items.map((job) => renderJob(call.state, repository, run, job));
		return ok({ total_count: jobs.length, jobs: rendered }, page.headers);
	},
	"actions/download-job-logs-for-workflow-run": async (call) => {
		const repository = repositoryOf(call);
		const id = numberParameter(call, "job_id");
		if (findJob(repository, id) === undefined) throw notFound();
		return { status: 302, headers: { location: `${call.state.serverUrl}${JOB_LOGS}${id}` } };
	},
};
