import { appendStepSummary, saveStepState, setOutputs } from "../adapters/actions-runner/write-step-files.ts";
import { errorText, UserError } from "../domain/errors.ts";
import { toRole } from "../domain/role.ts";
import type { MaintainTrigger } from "../domain/trigger.ts";
import type { GitHubHost } from "../adapters/github/create-github-host.ts";
import { type Authorization, authorize } from "../intake/authorize.ts";
import type { Inputs } from "../intake/inputs.ts";
import { countAttempts } from "../maintenance/count-attempts.ts";
import { chooseJobs, type PlannedJob } from "../maintenance/plan-job.ts";
import { type JobOutcome, reasonOf, renderJobs } from "../maintenance/render-job.ts";
import type { Trusted } from "../stages/load-trusted.ts";
import { type MaintenanceInput, type MaintenanceSeams, runMaintenance } from "../stages/run-maintenance.ts";
import type { RunSandbox } from "../stages/run-sandbox.ts";
import { type JobTools, openHost, readFacts, runOptions } from "./action-parts.ts";
import { loadTrustedForJob } from "./load-trusted-for-job.ts";
import { makeJobChange } from "./make-job-change.ts";
import { nameRun } from "./name-run.ts";
import { needCommit } from "./need-commit.ts";
import { openPusher } from "./open-pusher.ts";
import { openRun, type OpenedRun } from "./open-run.ts";
import type { RunnerEnvironment } from "./runner-environment.ts";

/**
 * The maintenance jobs that an event asks for, one after the other, on the default branch's commit (S-005, BR-39). The
 * exit code: 0 also for a change that is held, which the summary and a warning tell; 1 for a job that broke, for bad input
 * and where there is no sandbox, since nothing is run without one.
 */
export async function runMaintenanceJobs(
	trigger: MaintainTrigger,
	inputs: Inputs,
	runner: RunnerEnvironment,
	tools: JobTools,
	startedAt: number,
): Promise<number> {
	const host = await openHost(inputs, runner, tools.log);
	const defaultBranch = await host.reader.defaultBranch();
	const admitted = await decide(trigger, inputs, host, defaultBranch.name);
	if (admitted.kind === "refused") return leave(`${admitted.reason} (${admitted.code})`, tools);
	const outcomes: JobOutcome[] = [];
	const start: Start = { trigger, inputs, runner, tools, host, defaultBranch, admitted, startedAt };
	const name = nameRun(runner.runId, runner.attempt);
	await using run = await openRun(runOptions(inputs, runner, tools, name));
	await needCommit(defaultBranch.sha, run);
	const trusted = await loadTrustedForJob(inputs, run.seams.reader, defaultBranch.sha, host);
	const { jobs, left } = chooseJobs(trigger, trusted.settings.maintenance, inputs.settings);
	for (const each of left) tools.log.notice(`${each.name}: not run: ${each.reason}`);
	if (jobs.length === 0) return leave(left[0]?.reason ?? "no job is due", tools);
	const attempts = await countAttemptsNow(start);
	for (const [index, job] of jobs.entries()) {
		if (attempts !== undefined && attempts > job.job.limits.attempts) {
			outcomes.push({ name: job.name, kind: "left", code: "E_LOOP", reason: describeAttempts(attempts, job, start), costUsd: 0 });
			continue;
		}
		// A run has one set of journals: each further job of the same schedule gets a run of its own.
		if (index === 0) outcomes.push(await runJob(job, { ...start, run, trusted }));
		else {
			await using further = await openRun(runOptions(inputs, runner, tools, `${name}-${index + 1}`));
			outcomes.push(await runJob(job, { ...start, run: further, trusted }));
		}
	}
	await saveStepState({ session: name });
	await setOutputs({ journals: run.seams.journals.folder });
	return conclude(outcomes, run, runner, tools);
}

interface Start {
	readonly trigger: MaintainTrigger;
	readonly inputs: Inputs;
	readonly runner: RunnerEnvironment;
	readonly tools: JobTools;
	readonly host: GitHubHost;
	readonly defaultBranch: MaintenanceInput["defaultBranch"];
	readonly admitted: Extract<Authorization, { kind: "allowed" }>;
	readonly startedAt: number;
}

/** One job with everything it needs opened, and closed behind it. */
async function runJob(job: PlannedJob, parts: Start & { readonly run: OpenedRun; readonly trusted: Trusted }): Promise<JobOutcome> {
	const { inputs, runner, host, defaultBranch, run, trusted, startedAt } = parts;
	const sandbox = await needSandbox(run);
	const remoteUrl = `${runner.serverUrl}/${runner.repository.owner}/${runner.repository.name}.git`;
	await using pusher = await openPusher({
		...{ way: trusted.settings.commit, run, host, remoteUrl, temp: runner.temp, policy: trusted.policy },
		...(inputs.signingKey === undefined ? {} : { signingKey: inputs.signingKey }),
	});
	await using workspaces = run.seams.openWorkspaces(defaultBranch.sha);
	const headFiles = (await run.seams.reader.listFiles(defaultBranch.sha)).map((file) => file.path);
	const facts = readFacts(runner, startedAt);
	const seams: MaintenanceSeams = {
		...run.seams,
		host,
		sinks: { stepSummary: (markdown) => appendStepSummary(runner.stepSummary, markdown), outputs: setOutputs },
	};
	return runMaintenance(
		job,
		{
			...{ trusted, defaultBranch, headFiles, workspaces, sandbox, pusher, dryRun: inputs.dryRun, facts },
			identity: await host.reader.viewer(),
			makeChange: (planned) => makeJobChange(planned, { ...parts, head: defaultBranch.sha, headFiles, workspaces, sandbox, facts }),
		},
		seams,
	);
}

/** Undefined where nobody counts: a person who starts a job by hand is no loop, and a token may not read runs. */
async function countAttemptsNow({ trigger, runner, host, tools }: Start): Promise<number | undefined> {
	if (trigger.event === "workflow_dispatch") return undefined;
	try {
		return countAttempts(await host.activity.runsOn(trigger.sha), { run: runner.runId, attempt: runner.attempt });
	} catch (error) {
		tools.log.info(`earlier attempts cannot be counted (${errorText(error).split("\n", 1)[0]}); the token needs actions: read`);
		return undefined;
	}
}

function describeAttempts(attempts: number, job: PlannedJob, { trigger }: Start): string {
	return `this would be attempt ${attempts} on ${trigger.sha.slice(0, 12)}, and limits.attempts is ${job.job.limits.attempts}; it is tried again on a newer commit, or by hand`;
}

/** Who may start jobs; on a schedule there is nobody to ask about. */
async function decide(trigger: MaintainTrigger, inputs: Inputs, { reader }: GitHubHost, defaultBranch: string): Promise<Authorization> {
	const { actor, failure } = trigger;
	const roleOf = async (login: string) => toRole(await reader.permission(login)) ?? "none";
	const [self, actorRole, starterRole] = await Promise.all([
		reader.viewer(),
		trigger.event === "schedule" ? ("none" as const) : roleOf(actor.login),
		failure === undefined ? undefined : roleOf(failure.startedBy.login),
	]);
	return authorize({
		...{ trigger, actorRole, authorRole: actorRole, self, defaultBranch },
		...(starterRole === undefined ? {} : { starterRole }),
		allowedBots: inputs.allowedBots,
		modelReady: true,
		// Looked for when a job is due.
		sandbox: true,
	});
}

async function needSandbox(run: OpenedRun): Promise<RunSandbox> {
	const { sandbox } = run.seams;
	const state = await sandbox?.probe();
	if (sandbox !== undefined && state?.available === true) return sandbox;
	const why = state?.available === false ? `${state.reason}. ${state.fix}` : "this way of running has none";
	throw new UserError(`E_SANDBOX: maintenance jobs run and write nothing without a sandbox: ${why}`, { code: "E_SANDBOX" });
}

async function leave(reason: string, { log }: JobTools): Promise<number> {
	log.notice(`Nothing to do: ${reason}`);
	await setOutputs({ verdict: "skipped", findings: "0" });
	return 0;
}

/** The last lines of the run, its summary and outputs. */
async function conclude(
	outcomes: readonly JobOutcome[],
	{ seams }: OpenedRun,
	runner: RunnerEnvironment,
	{ log }: JobTools,
): Promise<number> {
	for (const outcome of outcomes) {
		const line = `${outcome.name}: ${outcome.kind === "proposed" ? `pull request ${outcome.state}: ` : ""}${reasonOf(outcome)}`;
		if (outcome.kind === "failed") log.error(line);
		else if (outcome.kind === "held") log.warning(line);
		else log.notice(line);
	}
	await appendStepSummary(runner.stepSummary, `${seams.redact(renderJobs(outcomes))}\n`);
	const has = (kind: JobOutcome["kind"]): boolean => outcomes.some((outcome) => outcome.kind === kind);
	const verdict = has("failed") ? "failed" : has("held") ? "partial" : outcomes.every((each) => each.kind === "left") ? "skipped" : "clean";
	const costs = outcomes.map((outcome) => outcome.costUsd);
	const cost = costs.includes(null) ? "" : costs.reduce<number>((sum, each) => sum + (each ?? 0), 0).toFixed(6);
	const urls = outcomes.flatMap((outcome) => (outcome.kind === "proposed" ? [outcome.url] : []));
	await setOutputs({ verdict, findings: "0", "cost-usd": cost, "pull-requests": urls.join(" ") });
	return has("failed") ? 1 : 0;
}
