import { readFile } from "node:fs/promises";
import path from "node:path";
import { createRunnerLog } from "../adapters/actions-runner/create-runner-log.ts";
import { createSecrets } from "../adapters/actions-runner/create-secrets.ts";
import { appendStepSummary, saveStepState, setOutputs } from "../adapters/actions-runner/write-step-files.ts";
import { createGitHubHost, type GitHubHost } from "../adapters/github/create-github-host.ts";
import { cleanLine, cleanText } from "../context/clean-text.ts";
import { errorText, type ReasonCode, UserError } from "../domain/errors.ts";
import type { Severity } from "../domain/finding.ts";
import type { Publication } from "../domain/publication.ts";
import type { RunContext } from "../domain/run-context.ts";
import type { CommandTrigger, PullRequestFacts, PullRequestTrigger } from "../domain/trigger.ts";
import type { DispatchedReview } from "../intake/event-facts.ts";
import { explainMissingKey } from "../intake/explain-missing-key.ts";
import type { Inputs, PublishTarget } from "../intake/inputs.ts";
import { completeReview, parseEvent, parseEventText } from "../intake/parse-event.ts";
import { readActionInputs } from "../intake/read-inputs.ts";
import { type PipelineOutcome, runPipeline } from "../pipeline.ts";
import { reachesFailLevel } from "../publish/plan-publications.ts";
import type { Log, Secrets } from "../seams.ts";
import { admit } from "../stages/admit.ts";
import { loadTrusted } from "../stages/load-trusted.ts";
import type { PipelineSeams, RunFacts } from "../stages/pipeline-seams.ts";
import type { SettingsOverrides } from "../trust/settings.ts";
import { COMMAND_NAMES } from "./command-names.ts";
import { compareCommits } from "./compare-commits.ts";
import { openModel } from "./open-model.ts";
import { openRun, type OpenRunOptions } from "./open-run.ts";
import { createProgressLog } from "./report-progress.ts";
import { readRunnerEnvironment, type RunnerEnvironment } from "./runner-environment.ts";
import { VERSION } from "./version.ts";

export interface ActionOptions {
	readonly environment: Readonly<Record<string, string | undefined>>;
	/** Writes one line to standard output. */
	readonly write: (line: string) => void;
	/** Aborted by SIGINT and SIGTERM. */
	readonly signal: AbortSignal;
	readonly bundleFolder: string;
}

/**
 * The action's main step. Gives the exit code: 0 for a review, also one with findings below `fail-on`, and for a
 * clean skip; 1 for findings at or above it, for bad input and for a run that could not review. Never rejects.
 */
export async function runActionJob(options: ActionOptions): Promise<number> {
	const secrets = createSecrets(options.write);
	const log = createRunnerLog(options.write, (text) => secrets.redact(text));
	try {
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

interface JobTools extends ActionOptions {
	readonly log: Log;
	readonly secrets: Secrets;
}

async function runJob(inputs: Inputs, runner: RunnerEnvironment, tools: JobTools): Promise<number> {
	const startedAt = Date.now();
	const wanted = await readWanted(inputs, runner);
	if (wanted.kind === "skip") return skip(wanted, tools.log);
	const missingKey = keyIsMissing(inputs)
		? explainMissingKey({ provider: inputs.provider, event: runner.eventName, actor: runner.actor, fork: wanted.fork })
		: undefined;
	if (missingKey !== undefined) return skip({ reason: missingKey }, tools.log);
	const host = await openHost(inputs, runner, tools.log);
	const runName = `run-${runner.runId}-${runner.attempt}`.toLowerCase().replace(/[^a-z0-9-]/g, "-");
	const [found, defaultBranch, opened] = await Promise.allSettled([
		host.reader.pullRequest(wanted.number),
		host.reader.defaultBranch(),
		openRun(runOptions(inputs, runner, tools, runName)),
	]);
	await using run = settled(opened);
	const pullRequest = settled(found);
	const trigger = wanted.kind === "review-by-number" ? completeReview(wanted.review, pullRequest) : wanted.trigger;
	const { commits, overrides } = await compareCommits(run, pullRequest, host.reader);
	const trusted = await loadTrusted({
		reader: run.seams.reader,
		trusted: commits.base,
		settingsPath: inputs.settings,
		overrides: settingsOverrides(inputs),
	});
	const admission = await admit({
		trigger,
		pullRequest,
		reader: host.reader,
		settings: trusted.settings,
		allowedBots: inputs.allowedBots,
		defaultBranch: settled(defaultBranch).name,
		sandbox: false,
	});
	if (admission.kind === "skipped") return skip(admission, tools.log);
	const model = await openModel({
		...inputs,
		...(inputs.anthropicApiKey === undefined ? {} : { apiKey: inputs.anthropicApiKey }),
		clock: run.clock,
	});
	const progress = createProgressLog();
	const seams: PipelineSeams = {
		...run.seams,
		...overrides,
		...model,
		host,
		sinks: { stepSummary: (markdown) => appendStepSummary(runner.stepSummary, markdown), outputs: setOutputs },
		progress: progress.onProgress,
	};
	const facts = readFacts(runner, startedAt);
	const cleaned = cleanPullRequest(pullRequest);
	const context: RunContext = {
		...commits,
		runId: runner.runId,
		attempt: runner.attempt,
		event: runner.eventName,
		repository: runner.repository,
		actor: trigger.actor,
		tier: admission.tier,
		tierReason: admission.tierReason,
		trusted: commits.base,
		pullRequest: cleaned.pullRequest,
		notes: [...admission.notes, ...commits.notes, ...cleaned.notes],
		...(facts.links === undefined ? {} : { links: facts.links }),
	};
	const outcome = await runPipeline({ context, trusted, wanted: wantedKinds(inputs) }, seams, facts);
	progress.flush(tools.log);
	await setOutputs({ journals: run.seams.journals.folder });
	await saveStepState({ session: runName });
	return conclude(outcome, trusted.settings.review.failOn, tools.log);
}

/** What the event asks to review, or why nothing is to be done. */
type Wanted =
	| { readonly kind: "skip"; readonly reason: string; readonly code?: ReasonCode }
	| { readonly kind: "review-by-number"; readonly number: number; readonly fork: boolean; readonly review: DispatchedReview }
	| { readonly kind: "review"; readonly number: number; readonly fork: boolean; readonly trigger: PullRequestTrigger | CommandTrigger };

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
			if (!parsed.isPullRequest)
				return {
					kind: "skip",
					reason: `/${parsed.commands[0]?.name ?? "review"} works only on pull requests; #${parsed.number} is an issue`,
				};
			return { kind: "review", number: parsed.number, fork: false, trigger: parsed };
		case "maintain":
			return { kind: "skip", reason: `the maintenance job ${parsed.job} cannot be run by this version` };
	}
}

async function readEventFile(file: string): Promise<string> {
	try {
		return await readFile(file, "utf8");
	} catch (error) {
		throw new UserError(`GITHUB_EVENT_PATH: ${file} cannot be read (${errorText(error)}); wanted the runner's event file`, {
			cause: error,
		});
	}
}

function keyIsMissing(inputs: Inputs): boolean {
	return inputs.providerGiven && inputs.provider === "anthropic" && inputs.anthropicApiKey === undefined;
}

function settled<T>(result: PromiseSettledResult<T>): T {
	if (result.status === "rejected") throw result.reason;
	return result.value;
}

function openHost(inputs: Inputs, runner: RunnerEnvironment, log: Log): Promise<GitHubHost> {
	if (inputs.githubToken === undefined) {
		throw new UserError("input github-token: empty; wanted a token that may read pull requests, for example $" + "{{ github.token }}");
	}
	// The spacing of writes is for GitHub's limits; a GitHub on this machine (tests, the demo) has none.
	const throttle = !["127.0.0.1", "[::1]", "localhost"].includes(new URL(runner.apiUrl).hostname);
	return createGitHubHost({
		throttle,
		token: inputs.githubToken,
		baseUrl: runner.apiUrl,
		repository: runner.repository,
		proxy: runner.proxy,
		log,
	});
}

function runOptions(inputs: Inputs, runner: RunnerEnvironment, tools: JobTools, runName: string): OpenRunOptions {
	const remoteUrl = `${runner.serverUrl}/${runner.repository.owner}/${runner.repository.name}.git`;
	const basic = Buffer.from(`x-access-token:${inputs.githubToken ?? ""}`).toString("base64");
	tools.secrets.add(basic);
	return {
		folder: path.join(runner.workspace, inputs.workingDirectory),
		temp: runner.temp,
		runName,
		log: tools.log,
		secrets: tools.secrets,
		bundleFolder: tools.bundleFolder,
		authorization: { url: remoteUrl, header: `AUTHORIZATION: basic ${basic}` },
		network: runner.network,
		remoteUrl,
		signal: tools.signal,
	};
}

function settingsOverrides(inputs: Inputs): SettingsOverrides {
	return {
		...(inputs.model === undefined ? {} : { model: inputs.model }),
		...(inputs.failOn === undefined ? {} : { failOn: inputs.failOn }),
		...(inputs.trust === undefined ? {} : { trust: inputs.trust }),
		...(inputs.maxCostUsd === undefined ? {} : { limits: { runUsd: inputs.maxCostUsd } }),
	};
}

function readFacts(runner: RunnerEnvironment, startedAt: number): RunFacts {
	const repository = `${runner.serverUrl}/${runner.repository.owner}/${runner.repository.name}`;
	return {
		runId: runner.runId,
		attempt: runner.attempt,
		startedAt,
		version: VERSION,
		instance: runner.workflow,
		links: { repository, run: `${repository}/actions/runs/${runner.runId}` },
	};
}

/** Title and description as a model may read them, with a remark for each hidden part that was taken out (A15). */
function cleanPullRequest(pullRequest: PullRequestFacts): { readonly pullRequest: PullRequestFacts; readonly notes: readonly string[] } {
	const title = cleanLine(pullRequest.title);
	const body = cleanText(pullRequest.body);
	const removed = [...title.removed, ...body.removed];
	const count = removed.reduce((sum, [, number]) => sum + number, 0);
	const notes =
		count === 0
			? []
			: [
					`${count} hidden part${count === 1 ? " was" : "s were"} removed from title and description (${removed.map(([kind, number]) => `${kind} ${number}`).join(", ")}).`,
				];
	return { pullRequest: { ...pullRequest, title: title.text, body: body.text }, notes };
}

const PUBLICATION_KINDS: Readonly<Record<PublishTarget, Publication["kind"]>> = {
	review: "review",
	sticky: "sticky",
	check: "check",
	summary: "step-summary",
};

/** Outputs and the report are always written: they leave the machine only when the workflow sends them somewhere. */
function wantedKinds(inputs: Inputs): ReadonlySet<Publication["kind"]> {
	const chosen = inputs.dryRun ? [] : [...inputs.publish].map((target) => PUBLICATION_KINDS[target]);
	const summary: Publication["kind"][] = inputs.publish.has("summary") ? ["step-summary"] : [];
	return new Set([...chosen, ...summary, "outputs", "file"]);
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
