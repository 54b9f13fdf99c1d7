import { fetchOutboxes } from "../adapters/outbox/fetch-outboxes.ts";
import { readOutboxFolder } from "../adapters/outbox/outbox-folder.ts";
import type { ReasonCode } from "../domain/errors.ts";
import type { Outbox, ShardedPlan } from "../domain/outbox.ts";
import type { PullRequestFacts } from "../domain/trigger.ts";
import type { Inputs } from "../intake/inputs.ts";
import { type OutboxOrigin, readOutboxOrigin } from "../intake/outbox-origin.ts";
import { parseEventText } from "../intake/parse-event.ts";
import { type AdmittedRun, runPipeline } from "../pipeline.ts";
import { readExistingState } from "../publish/read-existing-state.ts";
import type { PipelineSeams, RunFacts } from "../stages/pipeline-seams.ts";
import { compareWithPullRequest, pinBase, selectOutboxes } from "../stages/outbox/check-outboxes.ts";
import { type Bundle, bundleOutboxes, joinBundle } from "../stages/outbox/bundle.ts";
import { MAX_HEAD_BYTES, MAX_REPORTS_BYTES, parseOutbox, parseShardedPlan } from "../stages/outbox/parse-outbox.ts";
import { type JobTools, openHost, readEventFile, readFacts, wantedKinds } from "./action-parts.ts";
import { absentModel, type OpenedReview, openReview } from "./open-review.ts";
import { beginRun, conclude, readReviewWanted, saveResults, skip, type StartedRun, type ReviewWanted } from "./review-job.ts";
import type { RunnerEnvironment } from "./runner-environment.ts";

type Ended = { readonly kind: "skip"; readonly reason: string; readonly code?: ReasonCode };

/**
 * `mode: publish`: takes the outboxes of a run, believes nothing in them that it can find out for itself, and publishes one
 * review. Objects of the pull request are read as data and nothing of it is checked out; no model is asked and no
 * tool run, so neither key nor sandbox is needed. An outbox that was changed, that is another run's or pull request's, or
 * that is too large throws a UserError with the reason, and nothing is published; one that is missing makes the review a
 * partial one.
 */
export async function runPublishJob(inputs: Inputs, own: RunnerEnvironment, tools: JobTools, startedAt: number): Promise<number> {
	const subject = await findSubject(inputs, own);
	if (subject.kind === "skip") return skip(subject, tools.log);
	const { origin } = subject;
	const given = inputs.plan === undefined ? undefined : parseShardedPlan(inputs.plan);
	const bundle = await loadBundle(inputs, own, tools, origin, given);
	// The review is that run's: its id finds journals and audit, and orders it among other runs.
	const runner: RunnerEnvironment = { ...own, runId: origin.run, attempt: origin.attempt, eventName: origin.event };
	await using started = await startPublishing(inputs, runner, tools, subject.wanted ?? wantedOf(origin, bundle, own));
	const { stale } = compareWithPullRequest(bundle.common, started.pullRequest);
	if (stale !== undefined) return skip({ reason: stale, code: "E_STALE" }, tools.log);
	const facts = publishFacts(runner, bundle, origin, startedAt);
	const published = await findPublished(started, facts);
	if (published !== undefined) return skip({ reason: published }, tools.log);
	const pinned = await pinBase(bundle.common.base, started.pullRequest, started.run.seams.history);
	const opened = await openReview(started, {
		...{ inputs, runner, tools, facts, pinned, openModel: async () => absentModel(bundle.common.provider) },
		withoutTools: { openTools: refuseTools, ...(bundle.common.hooks ? { hookRunner: () => refuseTools } : {}) },
	});
	if (opened.kind === "skipped") return skip(opened, tools.log);
	const outcome = await runPipeline(admitted(inputs, opened, bundle, pinned), withAgents(opened.seams, bundle, pinned), facts);
	await opened.close();
	const { failOn } = opened.trusted.settings.review;
	await saveResults(outcome, { run: started.run, seams: opened.seams, facts, runner, failOn });
	return conclude(outcome, failOn, tools.log);
}

const refuseTools = (): Promise<never> => Promise.reject(new Error("a job that publishes runs no tools"));

/** Whose work is published: a run that GitHub names after its end, or the run this job is part of. */
async function findSubject(
	inputs: Inputs,
	runner: RunnerEnvironment,
): Promise<Ended | { readonly kind: "subject"; readonly origin: OutboxOrigin; readonly wanted?: ReviewWanted }> {
	if (runner.eventName === "workflow_run") {
		const found = readOutboxOrigin(runner.eventName, parseEventText(await readEventFile(runner.eventPath), runner.eventPath));
		return found.kind === "skip" ? found : { kind: "subject", origin: found.origin };
	}
	const wanted = await readReviewWanted(inputs, runner);
	if (wanted.kind === "skip") return wanted;
	const actor = wanted.kind === "review" ? wanted.trigger.actor : wanted.review.actor;
	return { kind: "subject", wanted, origin: { run: runner.runId, attempt: runner.attempt, event: runner.eventName, actor } };
}

async function loadBundle(
	inputs: Inputs,
	runner: RunnerEnvironment,
	tools: JobTools,
	origin: OutboxOrigin,
	given: ShardedPlan | undefined,
): Promise<Bundle> {
	const limits = { head: MAX_HEAD_BYTES, reports: MAX_REPORTS_BYTES };
	const raw =
		inputs.outbox === undefined
			? await fetchOutboxes(origin.run, (await openHost(inputs, runner, tools.log)).activity, limits)
			: await readOutboxFolder(inputs.outbox, limits);
	const { owner, name } = runner.repository;
	const { head, headRepository } = origin;
	const found: readonly Outbox[] = selectOutboxes(raw.map(parseOutbox), {
		...{ run: origin.run, attempt: origin.attempt, repository: `${owner}/${name}` },
		...(head === undefined ? {} : { head }),
		...(headRepository === undefined ? {} : { headRepository }),
	});
	return bundleOutboxes(found, given, { run: origin.run, provider: inputs.provider });
}

/** The number is the outbox's word; whether it is that pull request is found out from the API right after. */
function wantedOf(origin: OutboxOrigin, bundle: Bundle, { repository }: RunnerEnvironment): ReviewWanted {
	const number = bundle.common.pullRequest;
	const { event, actor, attempt } = origin;
	return { kind: "review-by-number", number, fork: true, review: { kind: "review-by-number", event, repository, actor, number, attempt } };
}

/** A review that the event started is nobody's request: drafts and closed pull requests are left alone as ever. */
async function startPublishing(inputs: Inputs, runner: RunnerEnvironment, tools: JobTools, wanted: ReviewWanted): Promise<StartedRun> {
	const started = await beginRun(inputs, runner, tools, wanted);
	const automatic = runner.eventName.startsWith("pull_request") && wanted.kind === "review-by-number";
	return automatic ? { ...started, trigger: { ...started.trigger, action: "synchronize" } } : started;
}

/** When the work began is that run's start: somebody may have stopped the reviews since. */
function publishFacts(runner: RunnerEnvironment, bundle: Bundle, origin: OutboxOrigin, now: number): RunFacts {
	const begun = origin.startedAt ?? Math.min(now, ...bundle.outboxes.map((outbox) => outbox.head.startedAt));
	return readFacts(runner, begun);
}

/** Why there is nothing left to do: the summary of this very run and attempt stands already. */
async function findPublished({ early, pullRequest }: StartedRun, facts: RunFacts): Promise<string | undefined> {
	const sticky = (await readExistingState(early, pullRequest.number, facts.instance)).sticky;
	const marker = sticky?.marker;
	// A summary of a run that was cancelled while it published says so, and is not that run's result.
	if (sticky === undefined || /^\*\*Cancelled at /m.test(sticky.body)) return undefined;
	if (marker?.run !== facts.runId || marker.attempt < facts.attempt) return undefined;
	return `the review of run ${facts.runId}, attempt ${marker.attempt}, is published already`;
}

function admitted(inputs: Inputs, { context, trusted }: OpenedReview, bundle: Bundle, pullRequest: PullRequestFacts): AdmittedRun {
	const fork = pullRequest.fork ? [FORK_NOTE] : [];
	return {
		context: { ...context, notes: [...new Set([...context.notes, ...fork])] },
		trusted,
		wanted: wantedKinds(inputs),
		...(bundle.carried === undefined ? {} : { carried: bundle.carried }),
		work: async (prepared) => joinBundle(bundle, prepared.input),
	};
}

const FORK_NOTE =
	"The children ran in a job of the fork's own run, without secrets. Commits, files and places were checked here; what was found and what was not is that job's word. For a review of its own, somebody with write access comments /review.";

/** Journals of a fork's run are no history that a later run may go on from. */
function withAgents(seams: PipelineSeams, bundle: Bundle, pullRequest: PullRequestFacts): PipelineSeams {
	const agents = pullRequest.fork ? [] : bundle.outboxes.flatMap((outbox) => outbox.head.agents);
	return { ...seams, listPublishedAgents: async () => agents };
}
