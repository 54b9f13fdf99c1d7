import type { Octokit } from "@octokit/rest";
import type { RepositoryRef } from "../../domain/ids.ts";
import type { GitHostActivity } from "../../seams.ts";
import { toActor } from "./map-host-records.ts";
import { mapWriteError } from "./map-write-error.ts";

const per_page = 100;
/** A POST that got no answer is looked up and never repeated blindly (BR-45). */
const request = { retries: 0 };

/** Reactions, artifacts and proposals of one repository. */
export function createGitHubActivity(octokit: Octokit, repository: RepositoryRef, now: () => number): GitHostActivity {
	const target = { owner: repository.owner, repo: repository.name };
	return {
		async reactions({ id: comment_id, kind }) {
			const api = octokit.rest.reactions;
			const list = kind === "issue" ? api.listForIssueComment : api.listForPullRequestReviewComment;
			const found = await octokit.paginate(list, { ...target, comment_id, per_page });
			return found.map((reaction) => ({ id: reaction.id, author: toActor(reaction.user), content: reaction.content }));
		},
		async artifacts(run_id) {
			const found = await octokit.paginate(octokit.rest.actions.listWorkflowRunArtifacts, { ...target, run_id, per_page });
			return found.map(({ id, name, size_in_bytes: bytes, expired }) => ({ id, name, bytes, expired }));
		},
		async downloadArtifact(artifact_id) {
			const { data } = await octokit.rest.actions.downloadArtifact({ ...target, artifact_id, archive_format: "zip" });
			return Buffer.from(data as ArrayBuffer);
		},
		async jobsOf(run_id) {
			const found = await octokit.paginate(octokit.rest.actions.listJobsForWorkflowRun, { ...target, run_id, per_page });
			return found.map(({ id, name, conclusion, steps }) => ({
				...{ id, name, conclusion: conclusion ?? "" },
				failedSteps: (steps ?? []).filter((step) => step.conclusion === "failure").map((step) => step.name),
			}));
		},
		async jobLog(job_id) {
			const { data } = await octokit.rest.actions.downloadJobLogsForWorkflowRun({ ...target, job_id });
			return String(data);
		},
		async runsOn(head_sha) {
			const found = await octokit.paginate(octokit.rest.actions.listWorkflowRunsForRepo, { ...target, head_sha, per_page });
			return found.map((run) => ({
				...{ id: run.id, workflow: run.workflow_id, event: run.event, title: run.display_title, attempt: run.run_attempt ?? 1 },
			}));
		},
		async commitSeenAt(ref) {
			const { data } = await octokit.rest.checks.listSuitesForRef({ ...target, ref, per_page });
			const times = data.check_suites.flatMap((suite) => suite.created_at ?? []).sort();
			return times[0] ?? null;
		},
		async proposeFile(proposal) {
			try {
				const standing = await findProposal(octokit, target, proposal);
				if (standing !== undefined) return { ok: true, value: { ...standing, existed: true } };
				await octokit.rest.git.createRef({ ...target, request, ref: `refs/heads/${proposal.branch}`, sha: proposal.from });
				const sha = await findBlob(octokit, target, proposal);
				await octokit.rest.repos.createOrUpdateFileContents({
					...target,
					request,
					path: proposal.path,
					branch: proposal.branch,
					message: proposal.message,
					content: Buffer.from(proposal.content).toString("base64"),
					...(sha === undefined ? {} : { sha }),
				});
				const { title, body, base, branch: head } = proposal;
				const { data } = await octokit.rest.pulls.create({ ...target, request, title, body, base, head });
				return { ok: true, value: { number: data.number, url: data.html_url, existed: false } };
			} catch (error) {
				return mapWriteError(error, now());
			}
		},
	};
}

type Proposal = Parameters<GitHostActivity["proposeFile"]>[0];
type Target = { readonly owner: string; readonly repo: string };

/** An open pull request from the very branch: asked twice is proposed once. */
async function findProposal(
	octokit: Octokit,
	target: Target,
	proposal: Proposal,
): Promise<{ readonly number: number; readonly url: string } | undefined> {
	const { data } = await octokit.rest.pulls.list({
		...target,
		head: `${target.owner}:${proposal.branch}`,
		base: proposal.base,
		state: "open",
	});
	const [open] = data;
	return open === undefined ? undefined : { number: open.number, url: open.html_url };
}

async function findBlob(octokit: Octokit, target: Target, proposal: Proposal): Promise<string | undefined> {
	try {
		const { data } = await octokit.rest.repos.getContent({ ...target, path: proposal.path, ref: proposal.branch });
		return Array.isArray(data) ? undefined : data.sha;
	} catch (error) {
		if (error instanceof Error && "status" in error && error.status === 404) return undefined;
		throw error;
	}
}
