import type { ChangedFile } from "../domain/change-set.ts";
import { addToDay, type DaySpend } from "../domain/day-spend.ts";
import type { Sha } from "../domain/ids.ts";
import type { Proof } from "../domain/patch.ts";
import type { PlannedJob } from "../maintenance/plan-job.ts";
import { type JobOutcome, renderProposal } from "../maintenance/render-job.ts";
import { applyPublications } from "../publish/apply-publications.ts";
import { printMarker } from "../publish/marker.ts";
import type { MaintenanceInput, MaintenanceSeams } from "./run-maintenance.ts";

/** A change that stands on the job's branch. */
export interface Proposal {
	readonly job: PlannedJob;
	/** Where it really stands: a name that was in use got another. */
	readonly branch: string;
	readonly commit: Sha;
	readonly proof: Proof;
	readonly files: readonly ChangedFile[];
	readonly change: string;
	readonly left: readonly string[];
	readonly report: string;
	readonly costUsd: number | null;
	/** What earlier runs of the job said of their day. */
	readonly day: DaySpend | undefined;
}

/** Account behind a workflow's own token: what it pushes starts no workflow (BR-51). */
const WORKFLOW_BOT_ID = 41_898_282;
/** Milliseconds that all waits for GitHub's limits may take together. */
const WAIT_BUDGET_MS = 300_000;

/** Opens the pull request of a pushed change, or brings the open one up to date. */
export async function proposeChange(proposal: Proposal, input: MaintenanceInput, seams: MaintenanceSeams): Promise<JobOutcome> {
	const { job, branch, commit, costUsd } = proposal;
	const { defaultBranch, facts, identity } = input;
	const marker = printMarker("job", {
		...{ instance: facts.instance, run: facts.runId, attempt: facts.attempt, name: job.name },
		...{ base: defaultBranch.sha, head: commit, change: proposal.change, usd: costUsd },
		day: addToDay(proposal.day, seams.clock.now(), costUsd),
	});
	const body = renderProposal({
		...proposal,
		...{ base: defaultBranch.sha, defaultBranch: defaultBranch.name, runUrl: facts.links?.run },
		startsNoChecks: identity?.id === WORKFLOW_BOT_ID,
	});
	const [result] = await applyPublications(
		[
			{
				...{ kind: "pull-request", branch, base: defaultBranch.name, title: job.title, marker, body: `${marker}\n${body}` },
				...{ draft: job.job.draft, labels: job.job.labels },
			},
		],
		{
			...{ reader: seams.host.reader, writer: seams.host.writer, clock: seams.clock, log: seams.log, signal: seams.signal },
			budget: { left: WAIT_BUDGET_MS },
			...{ identity, instance: facts.instance, run: facts.runId, attempt: facts.attempt, startedAt: facts.startedAt, head: commit },
			redact: seams.redact,
			sinks: { stepSummary: seams.sinks.stepSummary, outputs: seams.sinks.outputs, artifacts: seams.artifacts },
		},
	);
	const { name } = job;
	if (result === undefined || result.state === "failed" || result.state === "degraded" || result.state === "skipped") {
		return { name, kind: "failed", reason: `${branch} was pushed, but ${result?.detail ?? "no pull request was written"}`, costUsd };
	}
	return { name, kind: "proposed", state: result.state, url: result.url ?? "", commit, detail: result.detail, costUsd };
}
