import { createRunnerLog } from "../adapters/actions-runner/create-runner-log.ts";
import { createSecrets, secretsOfEnvironment } from "../adapters/actions-runner/create-secrets.ts";
import { errorText, UserError } from "../domain/errors.ts";
import { explainMissingKey } from "../intake/explain-missing-key.ts";
import type { Inputs } from "../intake/inputs.ts";
import { readActionInputs } from "../intake/read-inputs.ts";
import { runPipeline } from "../pipeline.ts";
import { type ActionOptions, type JobTools, keyIsMissing, readFacts, wantedKinds } from "./action-parts.ts";
import { modelOf, openReview } from "./open-review.ts";
import { beginRun, conclude, readWanted, saveResults, skip } from "./review-job.ts";
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
	if (inputs.mode !== "run") {
		const { runPartJob } = await import("./part-job.ts");
		return runPartJob(inputs, runner, tools, startedAt);
	}
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
	const { run } = started;
	const facts = readFacts(runner, startedAt);
	const opened = await openReview(started, {
		inputs,
		runner,
		tools,
		facts,
		writer: started.host.writer,
		openModel: () => modelOf(inputs, run.clock),
	});
	if (opened.kind === "skipped") return skip(opened, tools.log);
	const { seams, context, trusted } = opened;
	const outcome = await runPipeline({ context, trusted, wanted: wantedKinds(inputs) }, seams, facts);
	await opened.close();
	await saveResults(outcome, { run, seams, facts, runner, failOn: trusted.settings.review.failOn });
	return conclude(outcome, trusted.settings.review.failOn, tools.log);
}
