import { appendStepSummary, setOutputs } from "../adapters/actions-runner/write-step-files.ts";
import type { ShardedPlan } from "../domain/outbox.ts";
import type { ReviewPlan } from "../domain/review-plan.ts";
import type { Inputs } from "../intake/inputs.ts";
import { prepareRun } from "../pipeline.ts";
import { splitShards } from "../plan/split-shards.ts";
import { code, table } from "../publish/render/markdown.ts";
import { buildShardedPlan } from "../stages/outbox/build-outbox.ts";
import { type JobTools, readFacts } from "./action-parts.ts";
import { absentModel, openReview } from "./open-review.ts";
import { beginRun, readReviewWanted, skip } from "./review-job.ts";
import type { RunnerEnvironment } from "./runner-environment.ts";

/**
 * `mode: plan`: decides who reads what and spreads it over jobs. Asks no model, writes nothing to GitHub; a token that only
 * reads and no key are enough. Outputs: `shards`, the numbers for a matrix, empty when there is nothing to do, and `plan`,
 * which the other jobs take as it is.
 */
export async function runPlanJob(inputs: Inputs, runner: RunnerEnvironment, tools: JobTools, startedAt: number): Promise<number> {
	const nothing = async (end: Parameters<typeof skip>[0]): Promise<number> => {
		await setOutputs({ shards: "[]", plan: "" });
		return skip(end, tools.log);
	};
	const wanted = await readReviewWanted(inputs, runner);
	if (wanted.kind === "skip") return nothing(wanted);
	await using started = await beginRun(inputs, runner, tools, wanted);
	const facts = readFacts(runner, startedAt);
	const opened = await openReview(started, { inputs, runner, tools, facts, openModel: async () => absentModel(inputs.provider) });
	if (opened.kind === "skipped") return nothing(opened);
	const { context, trusted } = opened;
	const prepared = await prepareRun({ context, trusted, wanted: new Set() }, opened.seams, facts);
	await opened.close();
	const { plan } = prepared.input;
	const shards = splitShards(plan.assignments, inputs.shards, trusted.settings.budget);
	const sharded = buildShardedPlan({ context, plan, shards, hooks: prepared.seams.hookRunner !== undefined });
	const busy = shards.filter((shard) => shard.assignments.length > 0).map((shard) => shard.number);
	await setOutputs({ shards: JSON.stringify(busy), plan: JSON.stringify(sharded) });
	await appendStepSummary(runner.stepSummary, renderPlan(sharded, plan));
	tools.log.info(`${plan.assignments.length} children over ${busy.length} jobs; plan ${sharded.digest}`);
	return 0;
}

function renderPlan(sharded: ShardedPlan, plan: ReviewPlan): string {
	const rows = sharded.shards.flatMap((shard) =>
		shard.assignments.flatMap((index) => {
			const assignment = plan.assignments[index];
			if (assignment === undefined) return [];
			const { agent, files, limits } = assignment;
			return [[String(shard.number), code(agent.name), String(files.length), String(limits.tokenBudget)]];
		}),
	);
	const head = `## Rookery plan\n\n${plan.assignments.length} children over ${sharded.shards.length} jobs, for ${code(sharded.head.slice(0, 7))}.`;
	return rows.length === 0 ? `${head}\n` : `${head}\n\n${table(["Shard", "Agent", "Files", "Most tokens"], rows)}\n`;
}
