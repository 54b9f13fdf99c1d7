import { setOutputs } from "../adapters/actions-runner/write-step-files.ts";
import { resolveModel } from "../agents/resolve-model.ts";
import type { PlanPreview, ReviewAnswer, ReviewWishes } from "../commands/command.ts";
import { narrowPlan } from "../commands/narrow-plan.ts";
import type { Assignment } from "../domain/child-run.ts";
import { MODEL_ALIASES, resolveModelAlias } from "../domain/model-table.ts";
import type { Publication } from "../domain/publication.ts";
import type { ReviewPlan } from "../domain/review-plan.ts";
import type { RunContext } from "../domain/run-context.ts";
import { runPipeline } from "../pipeline.ts";
import { buildPack } from "../plan/build-pack.ts";
import type { Change } from "../stages/load-change.ts";
import type { Trusted } from "../stages/load-trusted.ts";
import type { PipelineSeams, RunFacts } from "../stages/pipeline-seams.ts";
import { planRun } from "../stages/plan-run.ts";

/** `/review`: the whole pipeline, as an event would start it, narrowed to what was asked for. */
export async function reviewOnDemand(
	wishes: ReviewWishes,
	run: { readonly context: RunContext; readonly trusted: Trusted; readonly wanted: ReadonlySet<Publication["kind"]> },
	seams: PipelineSeams,
	facts: RunFacts,
): Promise<ReviewAnswer> {
	const part = wishes.agents.length > 0 || wishes.only.length > 0;
	const narrow = part ? { narrow: (plan: ReviewPlan) => narrowPlan(plan, wishes) } : {};
	const outcome = await runPipeline({ ...run, ...narrow, full: wishes.full }, seams, facts);
	const { saveReportFiles } = await import("./write-report-files.ts");
	const repositoryUrl = facts.links === undefined ? {} : { repositoryUrl: facts.links.repository };
	await saveReportFiles({ report: outcome.report, failOn: run.trusted.settings.review.failOn, seams, ...repositoryUrl }, seams);
	await setOutputs({ journals: seams.journals.folder });
	const { verdict, costUsd } = outcome.synthesis;
	return {
		sentence: verdict.sentence,
		state: verdict.state,
		head: run.context.head,
		summaryUrl: outcome.results.find((result) => result.kind === "sticky")?.url ?? "",
		costUsd,
		problems: outcome.results.flatMap((result) => (result.detail === "" ? [] : [`${result.kind}: ${result.detail}`])),
	};
}

const CHARS_PER_TOKEN = 4;

/** `/review --plan`: the same plan, and nothing is started. */
export async function previewPlan(
	wishes: ReviewWishes,
	run: { readonly context: RunContext; readonly trusted: Trusted; readonly change: Change; readonly offlineModel: string | undefined },
	seams: Pick<PipelineSeams, "reader">,
): Promise<PlanPreview> {
	const { context, trusted, change } = run;
	const plan = narrowPlan(await planRun(context, trusted, change, seams as PipelineSeams), wishes);
	const patches = await change.readPatches(plan.assignments.flatMap((assignment) => assignment.files.map((file) => file.path)));
	const pack = buildPack({ context, changeSet: change.changeSet, plan, patches, instructions: trusted.instructions });
	return {
		head: context.head,
		rows: plan.assignments.map((assignment) => ({
			agent: assignment.agent.name,
			files: assignment.files.length,
			lines: assignment.files.reduce((sum, file) => sum + file.additions + file.deletions, 0),
			tools: assignment.agent.tools.filter((tool) => !assignment.agent.disallowedTools.includes(tool)),
			model: run.offlineModel ?? modelOf(assignment, trusted),
			maxSteps: assignment.limits.maxSteps,
			tokenBudget: assignment.limits.tokenBudget,
			reason: assignment.reason,
		})),
		skippedFiles: plan.skippedFiles,
		skippedAgents: plan.skippedAgents,
		notes: plan.notes,
		packTokens: Math.ceil(pack.blocks.reduce((sum, block) => sum + block.text.length, 0) / CHARS_PER_TOKEN),
	};
}

function modelOf({ agent }: Assignment, { settings, policy }: Trusted): string {
	const wished = settings.models[agent.kind === "reviewer" ? "reviewer" : "specialist"] ?? settings.model;
	const resolved = resolveModel({
		...(agent.model === undefined ? {} : { agent: agent.model }),
		inherited: resolveModelAlias(wished, settings.agentModels),
		aliases: { ...MODEL_ALIASES, ...settings.agentModels },
		...(policy.allowedModels === undefined ? {} : { allowed: policy.allowedModels }),
	});
	return resolved.ok ? resolved.model : `none: ${resolved.reason}`;
}
