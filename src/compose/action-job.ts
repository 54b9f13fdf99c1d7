import { rememberAnswers } from "../adapters/github/remember-answers.ts";
import type { GitHubHost } from "../adapters/github/create-github-host.ts";
import { createRunnerLog } from "../adapters/actions-runner/create-runner-log.ts";
import { createSecrets, secretsOfEnvironment } from "../adapters/actions-runner/create-secrets.ts";
import { appendStepSummary, saveStepState, setOutputs } from "../adapters/actions-runner/write-step-files.ts";
import { errorText, type ReasonCode, UserError } from "../domain/errors.ts";
import type { Severity } from "../domain/finding.ts";
import type { RunContext } from "../domain/run-context.ts";
import type { PullRequestFacts, PullRequestTrigger } from "../domain/trigger.ts";
import type { DispatchedReview } from "../intake/event-facts.ts";
import { explainMissingKey } from "../intake/explain-missing-key.ts";
import type { Inputs } from "../intake/inputs.ts";
import { completeReview, parseEvent, parseEventText } from "../intake/parse-event.ts";
import { readActionInputs } from "../intake/read-inputs.ts";
import { type PipelineOutcome, runPipeline } from "../pipeline.ts";
import { reachesFailLevel } from "../publish/plan-publications.ts";
import type { GitHostReader, Log } from "../seams.ts";
import { admit } from "../stages/admit.ts";
import type { PipelineSeams, RunFacts } from "../stages/pipeline-seams.ts";
import { explainMissingSandbox } from "../stages/settle-sandbox.ts";
import {
	type ActionOptions,
	cleanPullRequest,
	type JobTools,
	keyIsMissing,
	openHost,
	readEventFile,
	readFacts,
	runOptions,
	settled,
	wantedKinds,
} from "./action-parts.ts";
import { COMMAND_NAMES } from "./command-names.ts";
import { compareCommits } from "./compare-commits.ts";
import { followRun } from "./follow-run.ts";
import { openModel, preloadModel } from "./open-model.ts";
import { loadTrustedForJob } from "./load-trusted-for-job.ts";
import { nameRun } from "./name-run.ts";
import { openRun, type OpenedRun } from "./open-run.ts";
import { readRunnerEnvironment, type RunnerEnvironment } from "./runner-environment.ts";

/**
 * The action's main step. Gives the exit code: 0 for a review, also one with findings below `fail-on`, and for a
 * clean skip; 1 for findings at or above it, for bad input and for a run that could not review. Never rejects.
 */
export async function runActionJob(options: ActionOptions): Promise<number> {
	const secrets = createSecrets(options.write);
	const log = createRunnerLog(options.write, (text) => secrets.redact(text));
	try {
		for (const value of secretsOfEnvironment(options.environment)) secrets.add(value);
		const inputs = readActionInputs(options.environment);
		for (const value of [inputs.githubToken, inputs.anthropicApiKey]) if (value !== undefined) secrets.add(value);
		for (const warning of inputs.warnings) log.warning(warning);
		return await runJob(inputs, readRunnerEnvironment(options.environment), { ...options, log, secrets });
	} catch (error) {
		log.error(error instanceof UserError ? error.message : `Rookery failed: ${errorText(error)}`);
		if (!(error instanceof UserError) && error instanceof Error) log.info(error.stack ?? "");
		return 1;
	}
}

/** What people write goes its own way: a command, or nothing. */
const COMMENT_EVENTS: readonly string[] = ["issue_comment", "pull_request_review_comment"];

async function runJob(inputs: Inputs, runner: RunnerEnvironment, tools: JobTools): Promise<number> {
	const startedAt = Date.now();
	if (COMMENT_EVENTS.includes(runner.eventName)) {
		const { runCommandJob } = await import("./command-job.ts");
		return runCommandJob(inputs, runner, tools, startedAt);
	}
	const wanted = await readWanted(inputs, runner);
	if (wanted.kind === "skip") return skip(wanted, tools.log);
	const missingKey = keyIsMissing(inputs)
		? explainMissingKey({ provider: inputs.provider, event: runner.eventName, actor: runner.actor, fork: wanted.fork })
		: undefined;
	if (missingKey !== undefined) return skip({ reason: missingKey }, tools.log);
	await using started = await beginRun(inputs, runner, tools, wanted);
	const { run, host, early, pullRequest, trigger } = started;
	const { commits, overrides } = await compareCommits(run, pullRequest, early);
	const trusted = await loadTrustedForJob(inputs, run.seams.reader, commits.base, host);
	const sandbox = await run.seams.sandbox?.probe();
	const admission = await admit({
		trigger,
		pullRequest,
		reader: early,
		settings: trusted.settings,
		allowedBots: inputs.allowedBots,
		// Only maintenance jobs are judged by their branch.
		defaultBranch: "",
		sandbox: sandbox?.available === true,
	});
	if (admission.kind === "skipped") return skip(admission, tools.log);
	const model = await openModel({
		...inputs,
		...(inputs.anthropicApiKey === undefined ? {} : { apiKey: inputs.anthropicApiKey }),
		clock: run.clock,
	});
	const followed = await followRun({ journals: run.seams.journals, clock: run.clock, log: tools.log, writer: host.writer });
	const seams: PipelineSeams = {
		...run.seams,
		...overrides,
		...model,
		host: { ...host, early },
		sinks: { stepSummary: (markdown) => appendStepSummary(runner.stepSummary, markdown), outputs: setOutputs },
		...followed.seams,
	};
	const facts = readFacts(runner, startedAt);
	const notes = [...admission.notes, ...explainMissingSandbox(sandbox, admission.code, inputs.provider)];
	const context = buildContext({ runner, facts, pullRequest, actor: trigger.actor, commits, admission, notes });
	const outcome = await runPipeline({ context, trusted, wanted: wantedKinds(inputs) }, seams, facts);
	await followed.close();
	await saveResults(outcome, { run, seams, facts, runner, failOn: trusted.settings.review.failOn });
	return conclude(outcome, trusted.settings.review.failOn, tools.log);
}

function buildContext(facts: {
	readonly runner: RunnerEnvironment;
	readonly facts: RunFacts;
	readonly pullRequest: PullRequestFacts;
	readonly actor: RunContext["actor"];
	readonly commits: Pick<RunContext, "base" | "head" | "mergeBase" | "notes">;
	readonly admission: Pick<RunContext, "tier" | "tierReason">;
	readonly notes: readonly string[];
}): RunContext {
	const { runner, commits, admission } = facts;
	const cleaned = cleanPullRequest(facts.pullRequest);
	const { links } = facts.facts;
	return {
		...commits,
		runId: runner.runId,
		attempt: runner.attempt,
		event: runner.eventName,
		repository: runner.repository,
		actor: facts.actor,
		tier: admission.tier,
		tierReason: admission.tierReason,
		trusted: commits.base,
		pullRequest: cleaned.pullRequest,
		notes: [...facts.notes, ...commits.notes, ...cleaned.notes],
		...(links === undefined ? {} : { links }),
	};
}

interface StartedRun extends AsyncDisposable {
	readonly run: OpenedRun;
	readonly host: GitHubHost;
	/** Answers that were asked for ahead. */
	readonly early: GitHostReader;
	readonly pullRequest: PullRequestFacts;
	readonly trigger: PullRequestTrigger;
}

/** Begins at once whatever can be asked, opened or loaded without waiting for something else (COST.md G8). */
async function beginRun(
	inputs: Inputs,
	runner: RunnerEnvironment,
	tools: JobTools,
	wanted: Exclude<Wanted, { kind: "skip" }>,
): Promise<StartedRun> {
	const hosting = openHost(inputs, runner, tools.log);
	preloadModel(inputs.provider);
	const opening = openRun(runOptions(inputs, runner, tools, nameRun(runner.runId, runner.attempt)));
	opening.catch(() => undefined);
	const host = await hosting;
	const early = rememberAnswers(host.reader);
	askAhead(early, wanted);
	const [found, opened] = await Promise.allSettled([early.pullRequest(wanted.number), opening]);
	const run = settled(opened);
	try {
		const pullRequest = settled(found);
		const trigger = wanted.kind === "review-by-number" ? completeReview(wanted.review, pullRequest) : wanted.trigger;
		return { run, host, early, pullRequest, trigger, [Symbol.asyncDispose]: () => run[Symbol.asyncDispose]() };
	} catch (error) {
		await run[Symbol.asyncDispose]();
		throw error;
	}
}

/** Everything a later step or a person may want of the run. */
async function saveResults(
	{ report }: PipelineOutcome,
	job: {
		readonly run: OpenedRun;
		readonly seams: PipelineSeams;
		readonly facts: RunFacts;
		readonly runner: RunnerEnvironment;
		readonly failOn: Severity | "never";
	},
): Promise<void> {
	const { run, seams, facts, runner, failOn } = job;
	const { saveReportFiles } = await import("./write-report-files.ts");
	await saveReportFiles({ report, failOn, seams, ...(facts.links === undefined ? {} : { repositoryUrl: facts.links.repository }) }, seams);
	await setOutputs({ journals: run.seams.journals.folder });
	await saveStepState({ session: nameRun(runner.runId, runner.attempt) });
}

/** Asks what admission and the plan will need while git is still being opened; the payload says about whom. */
function askAhead(early: GitHostReader, wanted: Exclude<Wanted, { kind: "skip" }>): void {
	void early.pullRequest(wanted.number);
	void early.viewer();
	void early.issueComments(wanted.number);
	void early.reviewComments(wanted.number);
	if (wanted.kind !== "review") return;
	void early.permission(wanted.trigger.actor.login);
	if (wanted.trigger.kind === "pull-request") void early.permission(wanted.trigger.pullRequest.author.login);
}

/** What the event asks to review, or why nothing is to be done. */
type Wanted =
	| { readonly kind: "skip"; readonly reason: string; readonly code?: ReasonCode }
	| { readonly kind: "review-by-number"; readonly number: number; readonly fork: boolean; readonly review: DispatchedReview }
	| { readonly kind: "review"; readonly number: number; readonly fork: boolean; readonly trigger: PullRequestTrigger };

async function readWanted(inputs: Inputs, runner: RunnerEnvironment): Promise<Wanted> {
	if (inputs.mode !== "run") return { kind: "skip", reason: `mode ${inputs.mode} is not available in this version; wanted run` };
	const payload = parseEventText(await readEventFile(runner.eventPath), runner.eventPath);
	const parsed = parseEvent(
		{ name: runner.eventName, payload },
		{
			repository: runner.repository,
			sha: runner.sha,
			ref: runner.ref,
			actor: runner.actor,
			attempt: runner.attempt,
			names: COMMAND_NAMES,
			allowedBots: inputs.allowedBots,
			...(inputs.job === undefined ? {} : { job: inputs.job }),
		},
	);
	switch (parsed.kind) {
		case "skip":
			return parsed;
		case "review-by-number":
			return { kind: "review-by-number", number: parsed.number, fork: false, review: parsed };
		case "pull-request":
			return { kind: "review", number: parsed.pullRequest.number, fork: parsed.pullRequest.fork, trigger: parsed };
		case "command":
			return { kind: "skip", reason: "comments are the command job's" };
		case "maintain":
			return { kind: "skip", reason: `the maintenance job ${parsed.job} cannot be run by this version` };
	}
}

async function skip(end: { readonly reason: string; readonly code?: ReasonCode }, log: Log): Promise<number> {
	log.notice(`Nothing to review: ${end.reason}${end.code === undefined ? "" : ` (${end.code})`}`);
	await setOutputs({ verdict: "skipped", findings: "0" });
	return 0;
}

/** The last lines of the job and its exit code. A review that could not be is never green (DESIGN.md 9.7). */
function conclude(outcome: PipelineOutcome, failOn: Severity | "never", log: Log): number {
	const { verdict, findings } = outcome.synthesis;
	log.info(verdict.sentence);
	for (const result of outcome.results) {
		if (result.detail !== "") log.warning(`${result.kind}: ${result.detail}`);
	}
	if (verdict.state === "failed") {
		log.error(verdict.sentence);
		return 1;
	}
	if (!reachesFailLevel(findings, failOn)) return 0;
	log.error(`there are findings at or above fail-on: ${failOn}`);
	return 1;
}
