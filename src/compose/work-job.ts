import path from "node:path";
import { appendStepSummary, saveStepState, setOutputs } from "../adapters/actions-runner/write-step-files.ts";
import { makeOutboxFolder, writeOutbox } from "../adapters/outbox/outbox-folder.ts";
import { UserError } from "../domain/errors.ts";
import type { Shard, ShardedPlan } from "../domain/outbox.ts";
import { totalTokens } from "../domain/usage.ts";
import { explainMissingKey } from "../intake/explain-missing-key.ts";
import type { Inputs } from "../intake/inputs.ts";
import { type PreparedRun, prepareRun } from "../pipeline.ts";
import { digestPlan } from "../plan/plan-digest.ts";
import { splitShards } from "../plan/split-shards.ts";
import { code, table } from "../publish/render/markdown.ts";
import { buildOutbox } from "../stages/outbox/build-outbox.ts";
import { checkPlan } from "../stages/outbox/check-outboxes.ts";
import { createShardRegistry } from "../stages/outbox/name-children.ts";
import { parseShardedPlan } from "../stages/outbox/parse-outbox.ts";
import { type ChildrenOutcome, runChildren } from "../stages/run-children.ts";
import { sealAudit } from "../stages/seal-audit.ts";
import { type JobTools, keyIsMissing, readFacts } from "./action-parts.ts";
import { nameRun } from "./name-run.ts";
import { modelOf, type OpenedReview, openReview } from "./open-review.ts";
import { pinCommits } from "./pin-commits.ts";
import { beginRun, readReviewWanted, skip, type StartedRun } from "./review-job.ts";
import type { RunnerEnvironment } from "./runner-environment.ts";
import { VERSION } from "./version.ts";

/**
 * `mode: work`: runs the children of one shard, or all of them without a plan, and leaves an outbox. Writes nothing to
 * GitHub, so a token that only reads is enough. The exit code is 1 when the model could not be asked at all; what
 * was found before is in the outbox all the same.
 */
export async function runWorkJob(inputs: Inputs, runner: RunnerEnvironment, tools: JobTools, startedAt: number): Promise<number> {
	const wanted = await readReviewWanted(inputs, runner);
	if (wanted.kind === "skip") return skip(wanted, tools.log);
	const missingKey = keyIsMissing(inputs)
		? explainMissingKey({ provider: inputs.provider, event: runner.eventName, actor: runner.actor, fork: wanted.fork })
		: undefined;
	if (missingKey !== undefined) return skip({ reason: missingKey }, tools.log);
	const given = inputs.plan === undefined ? undefined : parseShardedPlan(inputs.plan);
	await using started = await beginRun(inputs, runner, tools, wanted);
	const facts = readFacts(runner, startedAt);
	const pinned = given === undefined ? undefined : await pinCommits(started, given, runner.runId);
	if (pinned?.stale !== undefined) return skip({ reason: pinned.stale, code: "E_STALE" }, tools.log);
	const opened = await openReview(started, {
		...{ inputs, runner, tools, facts, openModel: () => modelOf(inputs, started.run.clock) },
		...(pinned?.pullRequest === undefined ? {} : { pinned: pinned.pullRequest }),
	});
	if (opened.kind === "skipped") return skip(opened, tools.log);
	const { context, trusted, seams } = opened;
	const carried = given?.carried === undefined ? {} : { carried: given.carried };
	const prepared = await prepareRun({ context, trusted, wanted: new Set(), ...carried }, seams, facts);
	const { shard, of } = chooseShard(inputs, given, prepared);
	const folder = path.join(runner.temp, "rookery", "outbox", `shard-${shard.number}`);
	await makeOutboxFolder(folder);
	const children = await runShard(prepared, shard);
	await opened.close();
	await leaveOutbox({ folder, inputs, runner, started, opened, prepared, shard: { number: shard.number, of }, children, startedAt });
	await report(runner, folder, children);
	await saveStepState({ session: nameRun(runner.runId, runner.attempt) });
	tools.log.info(`outbox of shard ${shard.number} of ${of}: ${folder}`);
	if (children.fatal === undefined) return 0;
	tools.log.error(`the model could not be asked: ${children.fatal.kind}: ${children.fatal.message}`);
	return 1;
}

/** The job's part of the plan; all of it without one. Throws a UserError when plan and input `shard` do not fit each other. */
function chooseShard(
	inputs: Inputs,
	given: ShardedPlan | undefined,
	{ input }: PreparedRun,
): { readonly shard: Shard; readonly of: number } {
	const { plan, context, trusted } = input;
	if (given === undefined) {
		if (inputs.shard !== undefined)
			throw new UserError("input shard: found no input plan beside it; wanted the output plan of the planning job");
		const [shard] = splitShards(plan.assignments, 1, trusted.settings.budget);
		if (shard === undefined) throw new Error("a plan has at least one shard");
		return { shard, of: 1 };
	}
	checkPlan({ mergeBase: given.mergeBase, plan: given.digest }, { mergeBase: context.mergeBase, plan: digestPlan(plan, context) });
	const shard = given.shards.find((each) => each.number === inputs.shard);
	if (shard === undefined) {
		const numbers = given.shards.map((each) => each.number).join(", ");
		throw new UserError(`input shard: found ${inputs.shard ?? "nothing"}, wanted one of the plan's shards: ${numbers}`);
	}
	const stranger = shard.assignments.find((index) => plan.assignments[index] === undefined);
	if (stranger !== undefined) throw new UserError(`input plan: shards: found child ${stranger}, wanted one of ${plan.assignments.length}`);
	return { shard, of: given.shards.length };
}

/** Its children and no others, out of its share of the budget; the pack is the whole plan's, so that jobs share a cache. */
function runShard({ input, seams }: PreparedRun, shard: Shard): Promise<ChildrenOutcome> {
	// An overview is about the whole review, which no shard sees.
	const { draftSynthesis: _whole, ...own } = input;
	const { plan, trusted } = own;
	const mine = new Set(shard.assignments);
	const budget = { ...trusted.settings.budget, runTokens: shard.tokens, runUsd: shard.usd };
	return runChildren(
		{
			...own,
			plan: { ...plan, assignments: plan.assignments.filter((_, index) => mine.has(index)) },
			trusted: { ...trusted, settings: { ...trusted.settings, budget } },
			registry: createShardRegistry(plan.assignments, shard),
		},
		seams,
	);
}

async function leaveOutbox(job: {
	readonly folder: string;
	readonly inputs: Inputs;
	readonly runner: RunnerEnvironment;
	readonly started: StartedRun;
	readonly opened: OpenedReview;
	readonly prepared: PreparedRun;
	readonly shard: { readonly number: number; readonly of: number };
	readonly children: ChildrenOutcome;
	readonly startedAt: number;
}): Promise<string> {
	const { opened, prepared, shard, children } = job;
	const { seams } = prepared;
	const outbox = buildOutbox({
		...{ context: opened.context, plan: prepared.input.plan, shard, children, notes: opened.ownNotes, redact: seams.redact },
		facts: {
			hooks: seams.hookRunner !== undefined,
			action: VERSION,
			provider: seams.model.provider,
			startedAt: job.startedAt,
			endedAt: seams.clock.now(),
			audit: await sealAudit(seams.audit),
			agents: (await seams.listPublishedAgents?.()) ?? [],
		},
	});
	return writeOutbox(job.folder, outbox);
}

async function report(runner: RunnerEnvironment, folder: string, children: ChildrenOutcome): Promise<void> {
	const { usage, costUsd } = children.totals;
	await setOutputs({
		outbox: folder,
		journals: path.join(runner.temp, "rookery", "sessions", nameRun(runner.runId, runner.attempt)),
		tokens: String(totalTokens(usage)),
		"cost-usd": costUsd === null ? "" : costUsd.toFixed(6),
	});
	const rows = children.reports.map((each) => [
		code(each.session),
		each.status,
		String(each.report.findings.length),
		String(each.steps),
		String(totalTokens(each.usage)),
	]);
	const what = rows.length === 0 ? "No children." : table(["Child", "State", "Findings", "Steps", "Tokens"], rows);
	await appendStepSummary(runner.stepSummary, `## Rookery, a part of a review\n\n${what}\n\nThe publishing job shows what was found.\n`);
}
