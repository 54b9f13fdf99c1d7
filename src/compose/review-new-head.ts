import { appendStepSummary, setOutputs } from "../adapters/actions-runner/write-step-files.ts";
import { errorText } from "../domain/errors.ts";
import type { FixReview } from "../domain/fix.ts";
import type { Sha } from "../domain/ids.ts";
import type { RunContext } from "../domain/run-context.ts";
import type { PullRequestFacts } from "../domain/trigger.ts";
import type { PipelineSeams, RunFacts } from "../stages/pipeline-seams.ts";
import type { Trusted } from "../stages/load-trusted.ts";
import { cleanPullRequest, runOptions, wantedKinds } from "./action-parts.ts";
import type { CommandJob } from "./command-reply.ts";
import { reviewOnDemand } from "./command-review.ts";
import { compareCommits } from "./compare-commits.ts";
import { nameRun } from "./name-run.ts";
import type { OpenedModel } from "./open-model.ts";
import { openRun } from "./open-run.ts";

export interface NewHeadParts {
	readonly job: CommandJob;
	readonly number: number;
	/** Of the run that made the fix. */
	readonly context: RunContext;
	readonly trusted: Trusted;
	readonly facts: RunFacts;
	readonly openModel: () => Promise<OpenedModel | { readonly unavailable: string }>;
	readonly progress: NonNullable<PipelineSeams["progress"]>;
}

/** GitHub shows a pushed commit as the head with a delay. */
const TRIES = 5;
const WAIT_MS = 2_000;

/**
 * Reviews a pull request at the commit that a fix has just made its head, as a round of its own: what the fix settled is
 * told as fixed there, and only files that it changed are read again. It has journals of its own beside the fix's. Never
 * rejects: the fix is pushed, whatever becomes of this.
 */
export async function reviewNewHead(head: Sha, parts: NewHeadParts): Promise<FixReview> {
	const { job, context, trusted, facts } = parts;
	const { inputs, runner, tools, host } = job;
	try {
		const model = await parts.openModel();
		if ("unavailable" in model) return { kind: "none", reason: model.unavailable };
		await using run = await openRun(runOptions(inputs, runner, tools, `${nameRun(runner.runId, runner.attempt)}-head`));
		const pullRequest = await readAtHead(head, parts, run.clock);
		if (pullRequest === undefined) return { kind: "none", reason: "the pull request does not show the commit as its head" };
		const { commits, overrides } = await compareCommits(run, pullRequest, host.reader);
		const cleaned = cleanPullRequest(pullRequest);
		const next: RunContext = {
			...context,
			...commits,
			pullRequest: cleaned.pullRequest,
			notes: [...commits.notes, ...cleaned.notes],
		};
		const seams: PipelineSeams = {
			...run.seams,
			...overrides,
			...model,
			host,
			progress: parts.progress,
			sinks: { stepSummary: (markdown) => appendStepSummary(runner.stepSummary, markdown), outputs: setOutputs },
		};
		const wishes = { full: false, agents: [], only: [] };
		const answer = await reviewOnDemand(wishes, { context: next, trusted, wanted: wantedKinds(inputs) }, seams, facts);
		return { kind: "reviewed", sentence: answer.sentence, url: answer.summaryUrl, costUsd: answer.costUsd };
	} catch (error) {
		tools.log.warning(`The review of the new head failed: ${errorText(error)}`);
		return { kind: "none", reason: errorText(error).split("\n", 1)[0] ?? "" };
	}
}

async function readAtHead(head: Sha, { job, number }: NewHeadParts, clock: PipelineSeams["clock"]): Promise<PullRequestFacts | undefined> {
	for (let attempt = 1; ; attempt += 1) {
		const found = await job.host.reader.pullRequest(number);
		if (found.head.sha === head) return found;
		if (attempt >= TRIES) return undefined;
		await clock.sleep(WAIT_MS, job.tools.signal);
	}
}
