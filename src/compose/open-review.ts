import { appendStepSummary, setOutputs } from "../adapters/actions-runner/write-step-files.ts";
import type { ReasonCode } from "../domain/errors.ts";
import type { RunContext } from "../domain/run-context.ts";
import type { PullRequestFacts } from "../domain/trigger.ts";
import type { Inputs } from "../intake/inputs.ts";
import type { Clock, GitHostWriter } from "../seams.ts";
import { admit } from "../stages/admit.ts";
import type { Trusted } from "../stages/load-trusted.ts";
import type { PipelineSeams, RunFacts } from "../stages/pipeline-seams.ts";
import { explainMissingSandbox } from "../stages/settle-sandbox.ts";
import type { JobTools } from "./action-parts.ts";
import { compareCommits } from "./compare-commits.ts";
import { followRun } from "./follow-run.ts";
import { loadTrustedForJob } from "./load-trusted-for-job.ts";
import { openModel, type OpenedModel } from "./open-model.ts";
import { buildContext, type StartedRun } from "./review-job.ts";
import type { RunnerEnvironment } from "./runner-environment.ts";

export interface ReviewOpening {
	readonly inputs: Inputs;
	readonly runner: RunnerEnvironment;
	readonly tools: JobTools;
	readonly facts: RunFacts;
	readonly openModel: () => Promise<OpenedModel>;
	/** The pull request with the commits that are to be compared; as it is now unless given. */
	readonly pinned?: PullRequestFacts;
	/** Shows the run in the sticky comment while it goes on. */
	readonly writer?: GitHostWriter;
	/** Replaces the machine's sandbox in a job that runs no tools. */
	readonly withoutTools?: Partial<Pick<PipelineSeams, "openTools" | "hookRunner">>;
}

export interface OpenedReview {
	readonly kind: "opened";
	readonly seams: PipelineSeams;
	readonly context: RunContext;
	readonly trusted: Trusted;
	/** Remarks that only this machine can make. */
	readonly ownNotes: readonly string[];
	/** Prints what was seen of the children. */
	close(): Promise<void>;
}

/** The model that the inputs name. Throws a UserError for a key that is missing. */
export function modelOf(inputs: Inputs, clock: Clock): Promise<OpenedModel> {
	return openModel({ ...inputs, ...(inputs.anthropicApiKey === undefined ? {} : { apiKey: inputs.anthropicApiKey }), clock });
}

/** Stands for a provider in a job that asks no model and needs no key. */
export function absentModel(provider: string): OpenedModel {
	return { model: { provider, complete: () => Promise.reject(new Error("this job asks no model")) } };
}

/**
 * From a started run to one that may begin: commits compared, what is trusted loaded, admission decided, model and seams
 * opened. Throws a UserError for commits, settings or a policy that cannot be had.
 */
export async function openReview(
	started: StartedRun,
	opening: ReviewOpening,
): Promise<OpenedReview | { readonly kind: "skipped"; readonly reason: string; readonly code?: ReasonCode }> {
	const { inputs, runner, tools, facts, withoutTools } = opening;
	const { run, host, early, trigger } = started;
	const pullRequest = opening.pinned ?? started.pullRequest;
	const { commits, overrides } = await compareCommits(run, pullRequest, early);
	const trusted = await loadTrustedForJob(inputs, run.seams.reader, commits.base, host);
	const sandbox = withoutTools === undefined ? await run.seams.sandbox?.probe() : undefined;
	const admission = await admit({
		trigger,
		pullRequest,
		reader: early,
		settings: trusted.settings,
		allowedBots: inputs.allowedBots,
		// Only maintenance jobs are judged by their branch.
		defaultBranch: "",
		// Without tools there is nothing that a sandbox would hold: who asks decides alone.
		sandbox: withoutTools !== undefined || sandbox?.available === true,
		// What a job that publishes tells of is paid for.
		free: withoutTools !== undefined || inputs.provider === "offline",
	});
	if (admission.kind === "skipped") return admission;
	const model = await opening.openModel();
	const { writer } = opening;
	const followed = await followRun({
		...{ journals: run.seams.journals, clock: run.clock, log: tools.log },
		...(writer === undefined ? {} : { writer }),
	});
	const { sandbox: machine, ...own } = run.seams;
	const seams: PipelineSeams = {
		...own,
		...(withoutTools === undefined ? (machine === undefined ? {} : { sandbox: machine }) : withoutTools),
		...overrides,
		...model,
		host: { ...host, early },
		sinks: { stepSummary: (markdown) => appendStepSummary(runner.stepSummary, markdown), outputs: setOutputs },
		...followed.seams,
	};
	const ownNotes = explainMissingSandbox(sandbox, admission.code, inputs.provider);
	const notes = [...admission.notes, ...ownNotes];
	const context = buildContext({ runner, facts, pullRequest, actor: trigger.actor, commits, admission, notes });
	return { kind: "opened", seams, context, trusted, ownNotes, close: () => followed.close() };
}
