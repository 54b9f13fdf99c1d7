import { createRunnerLog } from "../adapters/actions-runner/create-runner-log.ts";
import { createSecrets, secretsOfEnvironment } from "../adapters/actions-runner/create-secrets.ts";
import { appendStepSummary, setOutputs } from "../adapters/actions-runner/write-step-files.ts";
import { errorText, UserError } from "../domain/errors.ts";
import { explainMissingKey } from "../intake/explain-missing-key.ts";
import type { Inputs } from "../intake/inputs.ts";
import { readActionInputs } from "../intake/read-inputs.ts";
import { runPipeline } from "../pipeline.ts";
import { admit } from "../stages/admit.ts";
import type { PipelineSeams } from "../stages/pipeline-seams.ts";
import { explainMissingSandbox } from "../stages/settle-sandbox.ts";
import { type ActionOptions, type JobTools, keyIsMissing, readFacts, wantedKinds } from "./action-parts.ts";
import { compareCommits } from "./compare-commits.ts";
import { followRun } from "./follow-run.ts";
import { openModel } from "./open-model.ts";
import { loadTrustedForJob } from "./load-trusted-for-job.ts";
import { beginRun, buildContext, conclude, readWanted, saveResults, skip } from "./review-job.ts";
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
		for (const value of [inputs.githubToken, inputs.anthropicApiKey, inputs.signingKey]) if (value !== undefined) secrets.add(value);
		for (const warning of inputs.warnings) log.warning(warning);
		return await runJob(inputs, readRunnerEnvironment(options.environment), { ...options, log, secrets });
	} catch (error) {
		log.error(error instanceof UserError ? nameCode(error) : `Rookery failed: ${errorText(error)}`);
		if (!(error instanceof UserError) && error instanceof Error) log.info(error.stack ?? "");
		return 1;
	}
}

function nameCode({ code, message }: UserError): string {
	return code === undefined || message.includes(code) ? message : `${code}: ${message}`;
}

/** What people write goes its own way: a command, or nothing. */
const COMMENT_EVENTS: readonly string[] = ["issue_comment", "pull_request_review_comment"];

async function runJob(inputs: Inputs, runner: RunnerEnvironment, tools: JobTools): Promise<number> {
	const startedAt = Date.now();
	if (COMMENT_EVENTS.includes(runner.eventName)) {
		const { runCommandJob } = await import("./command-job.ts");
		return runCommandJob(inputs, runner, tools, startedAt);
	}
	if (inputs.mode !== "run") return skip({ reason: `mode ${inputs.mode} is not available in this version; wanted run` }, tools.log);
	const wanted = await readWanted(inputs, runner);
	if (wanted.kind === "skip") return skip(wanted, tools.log);
	if (wanted.kind === "maintain") {
		const { runMaintenanceJobs } = await import("./maintenance-job.ts");
		return runMaintenanceJobs(wanted.trigger, inputs, runner, tools, startedAt);
	}
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
