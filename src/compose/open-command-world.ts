import { appendStepSummary, setOutputs } from "../adapters/actions-runner/write-step-files.ts";
import { findCommand } from "../commands/command-table.ts";
import { NO_REVIEW_STATE } from "../domain/review-state.ts";
import type { RunContext } from "../domain/run-context.ts";
import type { CommandTrigger, PullRequestFacts } from "../domain/trigger.ts";
import type { Authorization } from "../intake/authorize.ts";
import { explainMissingKey } from "../intake/explain-missing-key.ts";
import { applyPublications } from "../publish/apply-publications.ts";
import { foldReviewState } from "../publish/read-replies.ts";
import { explainMissingSandbox } from "../stages/settle-sandbox.ts";
import type { Trusted } from "../stages/load-trusted.ts";
import type { PipelineSeams } from "../stages/pipeline-seams.ts";
import { addressOf, cleanPullRequest, keyIsMissing, wantedKinds } from "./action-parts.ts";
import { type CommandJob, type Conversation, openApplyContext } from "./command-reply.ts";
import { createCommandWorld, type WorldParts } from "./command-world.ts";
import { compareCommits } from "./compare-commits.ts";
import { loadTrustedForJob } from "./load-trusted-for-job.ts";
import { openModel } from "./open-model.ts";
import { needCommit } from "./need-commit.ts";
import { openPusher } from "./open-pusher.ts";
import type { OpenedRun } from "./open-run.ts";
import { reviewNewHead } from "./review-new-head.ts";

/** What a command is carried out in: who speaks where, and what they may. */
export interface CommandSetting {
	readonly conversation: Conversation;
	readonly pullRequest: PullRequestFacts | undefined;
	readonly defaultBranch: { readonly name: string; readonly sha: string };
	readonly permission: Extract<Authorization, { kind: "allowed" }>;
}

/**
 * Opens what commands work with: commits, what is trusted, the sandbox where something may run, the model when it is
 * first asked for. Throws a UserError for a commit, a file or an input that cannot be read.
 */
export async function openCommandWorld(
	trigger: CommandTrigger,
	job: CommandJob,
	{ conversation, pullRequest, defaultBranch, permission }: CommandSetting,
	run: OpenedRun,
	onProgress: NonNullable<PipelineSeams["progress"]>,
) {
	const { inputs, runner, facts, host } = job;
	const compared = pullRequest === undefined ? await standOn(defaultBranch.sha, run) : await compareCommits(run, pullRequest, host.reader);
	const { commits, overrides } = compared;
	const trusted = await loadTrustedForJob(inputs, run.seams.reader, commits.base, host);
	const mayRun = permission.tier !== "T0" && trigger.commands.some((command) => findCommand(command.name)?.spends === true);
	const sandbox = mayRun ? await run.seams.sandbox?.probe() : undefined;
	const walls = !mayRun || sandbox?.available === true;
	const tier = walls
		? {
				tier: permission.tier,
				tierReason: permission.reason,
				...(permission.code === undefined ? {} : { tierCode: permission.code }),
			}
		: { tier: "T0" as const, tierCode: "E_SANDBOX" as const, tierReason: "no sandbox can be had here, so nothing is run or written" };
	const cleaned = pullRequest === undefined ? undefined : cleanPullRequest(pullRequest);
	const context: RunContext = {
		...commits,
		...{ runId: runner.runId, attempt: runner.attempt, event: runner.eventName, repository: runner.repository, actor: trigger.actor },
		...{ ...tier, trusted: commits.base },
		...(cleaned === undefined ? {} : { pullRequest: cleaned.pullRequest }),
		notes: [...(walls ? [] : explainMissingSandbox(sandbox, "E_SANDBOX", inputs.provider)), ...commits.notes, ...(cleaned?.notes ?? [])],
		...(facts.links === undefined ? {} : { links: facts.links }),
	};
	const sinks = { stepSummary: (markdown: string) => appendStepSummary(runner.stepSummary, markdown), outputs: setOutputs };
	const seams = { ...run.seams, ...overrides, host, sinks, progress: onProgress };
	const world = createCommandWorld({
		...{ trigger, context, trusted, seams, host },
		state: conversation.replies.length === 0 ? NO_REVIEW_STATE : foldReviewState(conversation.replies),
		sticky: conversation.sticky,
		replies: conversation.replies,
		activity: host.activity,
		provider: inputs.provider,
		openModel: async () =>
			keyIsMissing(inputs)
				? { unavailable: explainMissingKey({ provider: inputs.provider, event: runner.eventName, actor: runner.actor, fork: false }) }
				: openModel({ ...inputs, ...(inputs.anthropicApiKey === undefined ? {} : { apiKey: inputs.anthropicApiKey }), clock: run.clock }),
		// The summary has one owner: whichever workflow of ours wrote it first names it.
		facts: { ...facts, instance: conversation.sticky?.instance ?? facts.instance },
		temp: runner.temp,
		wanted: wantedKinds(inputs),
		dryRun: inputs.dryRun,
		baseBranch: pullRequest?.base.ref ?? defaultBranch.name,
		fixing: openFixing({ trigger, job, context, trusted, conversation, run, onProgress }),
		configSources: await findConfig(run, commits.base, inputs.settings),
	});
	return { world, audit: () => run.seams.audit?.head() };
}

/** What only `/fix` uses; nothing of it is opened before something is to be pushed. */
function openFixing(parts: {
	readonly trigger: CommandTrigger;
	readonly job: CommandJob;
	readonly context: RunContext;
	readonly trusted: Trusted;
	readonly conversation: Conversation;
	readonly run: OpenedRun;
	readonly onProgress: NonNullable<PipelineSeams["progress"]>;
}): WorldParts["fixing"] {
	const { trigger, job, context, trusted, conversation, run, onProgress: progress } = parts;
	const { inputs, runner, host, identity } = job;
	const facts = { ...job.facts, instance: conversation.sticky?.instance ?? job.facts.instance };
	return {
		identity,
		openPusher: () =>
			openPusher({
				...{ way: trusted.settings.commit, run, host, remoteUrl: addressOf(runner), temp: runner.temp, policy: trusted.policy },
				...(inputs.signingKey === undefined ? {} : { signingKey: inputs.signingKey }),
			}),
		propose: async (proposal) => {
			const [result] = await applyPublications([{ kind: "pull-request", labels: [], ...proposal }], openApplyContext(job, context.head));
			return result ?? { kind: "pull-request", state: "failed", detail: "the pull request was not written" };
		},
		reviewHead: async (head, openModelAgain) => {
			if (conversation.sticky === undefined) return { kind: "none", reason: "there was no review of this pull request before" };
			if (foldReviewState(conversation.replies).paused !== undefined) return { kind: "none", reason: "reviews are paused here" };
			return reviewNewHead(head, { job, number: trigger.number, context, trusted, facts, openModel: openModelAgain, progress });
		},
	};
}

/** On an issue the default branch is what is spoken of (BR-40); there is no change. */
async function standOn(sha: string, run: OpenedRun) {
	await needCommit(sha, run);
	return { commits: { base: sha, head: sha, mergeBase: sha, notes: [] as readonly string[] }, overrides: {} };
}

async function findConfig(run: OpenedRun, commit: string, settings: string): Promise<readonly string[]> {
	const paths = [...new Set([settings, ".garuda/settings.json", ".rookery/policy.json", ".rookery/trust.json"])];
	const found = await Promise.all(paths.map(async (path) => ((await run.seams.reader.readFile(commit, path)) === undefined ? [] : [path])));
	return found.flat();
}
