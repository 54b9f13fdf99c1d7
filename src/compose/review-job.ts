import type { GitHubHost } from "../adapters/github/create-github-host.ts";
import { rememberAnswers } from "../adapters/github/remember-answers.ts";
import { saveStepState, setOutputs } from "../adapters/actions-runner/write-step-files.ts";
import type { ReasonCode } from "../domain/errors.ts";
import type { Severity } from "../domain/finding.ts";
import type { RunContext } from "../domain/run-context.ts";
import type { MaintainTrigger, PullRequestFacts, PullRequestTrigger } from "../domain/trigger.ts";
import type { DispatchedReview } from "../intake/event-facts.ts";
import type { Inputs } from "../intake/inputs.ts";
import { completeReview, parseEvent, parseEventText } from "../intake/parse-event.ts";
import type { PipelineOutcome } from "../pipeline.ts";
import { reachesFailLevel } from "../publish/plan-publications.ts";
import type { GitHostReader, Log } from "../seams.ts";
import type { PipelineSeams, RunFacts } from "../stages/pipeline-seams.ts";
import { cleanPullRequest, type JobTools, openHost, readEventFile, runOptions, settled } from "./action-parts.ts";
import { COMMAND_NAMES } from "./command-names.ts";
import { preloadModel } from "./open-model.ts";
import { nameRun } from "./name-run.ts";
import { openRun, type OpenedRun } from "./open-run.ts";
import type { RunnerEnvironment } from "./runner-environment.ts";

/*
 * What every job that takes part in a review does before and after its own part: read the event, open the run, keep
 * its files, say how it ended.
 */

export function buildContext(facts: {
	readonly runner: RunnerEnvironment;
	readonly facts: RunFacts;
	readonly pullRequest: PullRequestFacts;
	readonly actor: RunContext["actor"];
	readonly commits: Pick<RunContext, "base" | "head" | "mergeBase" | "notes">;
	readonly admission: Pick<RunContext, "tier" | "tierReason"> & { readonly code?: ReasonCode };
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
		...(admission.code === undefined ? {} : { tierCode: admission.code }),
		trusted: commits.base,
		pullRequest: cleaned.pullRequest,
		notes: [...facts.notes, ...commits.notes, ...cleaned.notes],
		...(links === undefined ? {} : { links }),
	};
}

export interface StartedRun extends AsyncDisposable {
	readonly run: OpenedRun;
	readonly host: GitHubHost;
	/** Answers that were asked for ahead. */
	readonly early: GitHostReader;
	readonly pullRequest: PullRequestFacts;
	readonly trigger: PullRequestTrigger;
}

/** Begins at once whatever can be asked, opened or loaded without waiting for something else (COST.md G8). */
export async function beginRun(inputs: Inputs, runner: RunnerEnvironment, tools: JobTools, wanted: ReviewWanted): Promise<StartedRun> {
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
export async function saveResults(
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
function askAhead(early: GitHostReader, wanted: ReviewWanted): void {
	void early.pullRequest(wanted.number);
	void early.viewer();
	void early.issueComments(wanted.number);
	void early.reviewComments(wanted.number);
	if (wanted.kind !== "review") return;
	void early.permission(wanted.trigger.actor.login);
	if (wanted.trigger.kind === "pull-request") void early.permission(wanted.trigger.pullRequest.author.login);
}

/** What the event asks to review, or why nothing is to be done. */
export type Wanted =
	| { readonly kind: "skip"; readonly reason: string; readonly code?: ReasonCode }
	| { readonly kind: "review-by-number"; readonly number: number; readonly fork: boolean; readonly review: DispatchedReview }
	| { readonly kind: "review"; readonly number: number; readonly fork: boolean; readonly trigger: PullRequestTrigger }
	| { readonly kind: "maintain"; readonly trigger: MaintainTrigger };

export type ReviewWanted = Exclude<Wanted, { readonly kind: "skip" } | { readonly kind: "maintain" }>;

/** What the event asks of a job that does a part of a review: a review, or why there is nothing to do. */
export async function readReviewWanted(
	inputs: Inputs,
	runner: RunnerEnvironment,
): Promise<ReviewWanted | Extract<Wanted, { readonly kind: "skip" }>> {
	const wanted = await readWanted(inputs, runner);
	if (wanted.kind !== "maintain") return wanted;
	return { kind: "skip", reason: `a maintenance job has no parts: found mode ${inputs.mode}, wanted run` };
}

export async function readWanted(inputs: Inputs, runner: RunnerEnvironment): Promise<Wanted> {
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
			return { kind: "maintain", trigger: parsed };
	}
}

export async function skip(end: { readonly reason: string; readonly code?: ReasonCode }, log: Log): Promise<number> {
	log.notice(`Nothing to review: ${end.reason}${end.code === undefined ? "" : ` (${end.code})`}`);
	await setOutputs({ verdict: "skipped", findings: "0" });
	return 0;
}

/** The last lines of the job and its exit code. A review that could not be is never green (DESIGN.md 9.7). */
export function conclude(outcome: PipelineOutcome, failOn: Severity | "never", log: Log): number {
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
