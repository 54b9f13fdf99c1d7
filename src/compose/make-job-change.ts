import { appendStepSummary, setOutputs } from "../adapters/actions-runner/write-step-files.ts";
import type { GitHubHost } from "../adapters/github/create-github-host.ts";
import type { Sha } from "../domain/ids.ts";
import type { RunContext } from "../domain/run-context.ts";
import type { MaintainTrigger } from "../domain/trigger.ts";
import type { Authorization } from "../intake/authorize.ts";
import { explainMissingKey } from "../intake/explain-missing-key.ts";
import type { Inputs } from "../intake/inputs.ts";
import type { PlannedJob } from "../maintenance/plan-job.ts";
import type { WorkspaceProvider } from "../seams.ts";
import { changeByChild } from "../stages/change-by-child.ts";
import { changeByCommands, type CommandsInput, type MadeChange } from "../stages/change-by-commands.ts";
import { findLimit } from "../stages/find-limit.ts";
import type { Trusted } from "../stages/load-trusted.ts";
import type { RunFacts } from "../stages/pipeline-seams.ts";
import { openWalledRunner } from "../stages/open-walled-runner.ts";
import { readFailure } from "../stages/read-failure.ts";
import type { RunSandbox } from "../stages/run-sandbox.ts";
import { keyIsMissing } from "./action-parts.ts";
import { followRun } from "./follow-run.ts";
import { modelOf } from "./open-review.ts";
import type { OpenedRun } from "./open-run.ts";
import type { RunnerEnvironment } from "./runner-environment.ts";

/** What a job's change is made with. */
export interface JobParts {
	readonly trigger: MaintainTrigger;
	readonly inputs: Inputs;
	readonly runner: RunnerEnvironment;
	readonly host: GitHubHost;
	readonly run: OpenedRun;
	readonly facts: RunFacts;
	readonly trusted: Trusted;
	/** Commit of the default branch. */
	readonly head: Sha;
	readonly headFiles: readonly string[];
	readonly workspaces: WorkspaceProvider;
	readonly sandbox: RunSandbox;
	readonly admitted: Extract<Authorization, { kind: "allowed" }>;
}

/** A list of commands runs as it stands; everything else is one writing child's. */
export async function makeJobChange(job: PlannedJob, parts: JobParts): Promise<MadeChange> {
	const { trusted, head, headFiles, workspaces, sandbox, run, runner } = parts;
	if (job.job.run === undefined) return askChild(job, job.task ?? "", parts);
	return changeByCommands({
		...{ commands: job.job.run, head, headFiles, session: `maintain-${job.name.toLowerCase()}`, workspaces, sandbox },
		policy: trusted.policy,
		dependencies: trusted.settings.sandbox.dependencies,
		...networkOf(trusted, [runner.workspace, runner.temp]),
		signal: run.seams.signal,
		onProblem: (text) => run.seams.log.info(text),
	});
}

/** Commands reach hosts only where settings name some, and of those only the ones that policy allows, too. */
function networkOf(
	{ settings, policy }: Trusted,
	hiddenFolders: readonly string[],
): { readonly openNetworkRunner?: NonNullable<CommandsInput["openNetworkRunner"]> } {
	const hosts = settings.sandbox.allowHosts.filter((host) => policy.allowHosts?.includes(host) !== false);
	if (hosts.length === 0) return {};
	return {
		openNetworkRunner: async (tree) => {
			const { openNetworkWalls } = await import("../adapters/sandbox-runtime/open-network-walls.ts");
			return openWalledRunner(tree.root, await openNetworkWalls({ ...tree, hosts, hiddenFolders }));
		},
	};
}

async function askChild(job: PlannedJob, task: string, parts: JobParts): Promise<MadeChange> {
	const { inputs, runner, host, run, facts, trusted, trigger } = parts;
	const left = (reason: string): MadeChange => ({ kind: "left", reason, costUsd: 0 });
	if (keyIsMissing(inputs)) {
		return left(explainMissingKey({ provider: inputs.provider, event: runner.eventName, actor: runner.actor, fork: false }));
	}
	if (inputs.provider === "offline") {
		return left("it needs a model: set anthropic-api-key, or give the job a list of commands in run");
	}
	const { reader } = host;
	const limit = await findLimit({ settings: trusted.settings, reader, automatic: false, free: false, now: run.clock.now() });
	if (limit !== undefined) return { kind: "left", code: "E_LIMIT", reason: limit, costUsd: 0 };
	const model = await modelOf(inputs, run.clock);
	const followed = await followRun({ journals: run.seams.journals, clock: run.clock, log: run.seams.log });
	const { fallback: _checks, ...asked } = model;
	const seams = {
		...run.seams,
		...asked,
		host,
		sinks: { stepSummary: (markdown: string) => appendStepSummary(runner.stepSummary, markdown), outputs: setOutputs },
		...followed.seams,
	};
	try {
		return await changeByChild(
			{
				...{ job, task, trusted, context: describeContext(parts) },
				evidence: trigger.failure === undefined ? "" : run.seams.redact(await readFailure(trigger.failure, host.activity)),
				repositoryUrl: facts.links?.repository,
			},
			seams,
		);
	} finally {
		await followed.close();
	}
}

/** There is no change to look at: base, head and what is trusted are one commit. */
function describeContext({ trigger, runner, facts, head, admitted }: JobParts): RunContext {
	return {
		...{ runId: runner.runId, attempt: runner.attempt, event: runner.eventName, repository: runner.repository, actor: trigger.actor },
		...{ tier: admitted.tier, tierReason: admitted.reason, trusted: head, base: head, head, mergeBase: head, notes: [] },
		...(facts.links === undefined ? {} : { links: facts.links }),
	};
}
