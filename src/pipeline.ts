import type { Publication, PublicationResult } from "./domain/publication.ts";
import type { ReviewPlan } from "./domain/review-plan.ts";
import type { RunContext } from "./domain/run-context.ts";
import type { RunReport } from "./domain/run-report.ts";
import type { Synthesis } from "./domain/synthesis.ts";
import { createPathRules } from "./guard/path-rules.ts";
import { buildPack } from "./plan/build-pack.ts";
import { focusRoles } from "./plan/focus-roles.ts";
import { type BannerRow, renderBanner } from "./publish/render/step-summary.ts";
import { readBanner } from "./stages/read-banner.ts";
import { gatherToolFacts } from "./stages/gather-tool-facts.ts";
import { hideDenied } from "./stages/hide-denied.ts";
import { loadChange } from "./stages/load-change.ts";
import { openRound, type Round } from "./stages/open-round.ts";
import type { PipelineSeams, RunFacts } from "./stages/pipeline-seams.ts";
import { planRun } from "./stages/plan-run.ts";
import { publishRun } from "./stages/publish-run.ts";
import { readSurroundings } from "./stages/read-surroundings.ts";
import { recordChange, recordRun } from "./stages/record-run.ts";
import { type ChildrenInput, type ChildrenOutcome, runChildren } from "./stages/run-children.ts";
import { describeSandbox, settleSandbox } from "./stages/settle-sandbox.ts";
import { withProgress } from "./stages/show-progress.ts";
import { draftsOf, synthesizeRun, type SynthesisStage } from "./stages/synthesize-run.ts";
import type { Trusted } from "./stages/load-trusted.ts";

/** A run that was admitted: its commits are resolved and what steers it is loaded. */
export interface AdmittedRun {
	readonly context: RunContext;
	readonly trusted: Trusted;
	readonly wanted: ReadonlySet<Publication["kind"]>;
	/** Makes the plan smaller, for a review of a part. */
	readonly narrow?: (plan: ReviewPlan) => ReviewPlan;
	/** Everything anew, whatever earlier rounds have read and posted. */
	readonly full?: boolean;
	/** Files that this run, spread over jobs, carried over when it was planned. */
	readonly carried?: readonly string[];
	/** Takes the place of running the children here, for a job that publishes what other jobs have done. */
	readonly work?: (prepared: PreparedRun) => Promise<ChildrenOutcome>;
}

export interface PipelineOutcome {
	readonly report: RunReport;
	readonly synthesis: Synthesis;
	readonly publications: readonly Publication[];
	readonly results: readonly PublicationResult[];
}

/** A run with its plan made: everything is read, nothing has been asked of a model, nothing written. */
export interface PreparedRun {
	readonly seams: PipelineSeams;
	readonly round: Round;
	readonly banner: readonly BannerRow[];
	/** For the synthesis, but for what the children report. */
	readonly draft: Omit<SynthesisStage, "children">;
	readonly input: ChildrenInput;
}

/**
 * The story of a run. Reads the world once, decides in plain functions, writes once, last. Rejects only for what makes
 * a run impossible: git that fails, a journal that cannot be written.
 */
export async function runPipeline(run: AdmittedRun, given: PipelineSeams, facts: RunFacts): Promise<PipelineOutcome> {
	const prepared = await prepareRun(run, given, facts);
	const { seams, draft, round, input } = prepared;
	const { context, wanted } = run;
	const work = run.work ?? ((whole: PreparedRun) => runChildren(whole.input, whole.seams));
	const children = await withProgress({ context, existing: round.earlier.existing, wanted }, seams, facts, () => work(prepared));
	const recorder = recordChange(draft.change);
	const stage = { ...draft, change: recorder.change, children };
	const synthesis = await synthesizeRun(stage);
	const published = await publishRun(
		{
			synthesis,
			context,
			plan: input.plan,
			patches: draft.patches,
			reviewers: round.carried.reviewers,
			part: run.narrow !== undefined,
			banner: prepared.banner,
			changeSet: draft.change.changeSet,
			trusted: run.trusted,
			...(children.parts === undefined ? {} : { parts: children.parts }),
			existing: round.earlier.existing,
			wanted,
		},
		seams,
		facts,
	);
	await recordRun({ stage, recorder, report: published.report }, seams, facts);
	return { synthesis, ...published };
}

/** The first half: up to the plan and what every child is shown. Rejects as `runPipeline` does. */
export async function prepareRun(run: AdmittedRun, given: PipelineSeams, facts: RunFacts): Promise<PreparedRun> {
	const { context, trusted } = run;
	const [seams, loaded] = await Promise.all([settleSandbox(run, given), loadChange(context, given)]);
	const change = hideDenied(loaded, createPathRules(trusted.policy));
	const opening = openRound(run, change, seams, facts);
	const [whole, round] = await Promise.all([planRun(context, trusted, change, seams, opening), opening]);
	const planned = run.narrow?.(whole) ?? whole;
	const patches = await change.readPatches(planned.assignments.flatMap((assignment) => assignment.files.map((file) => file.path)));
	const [plan, around] = await Promise.all([
		gatherToolFacts({ context, trusted, change, plan: focusRoles(planned, patches), patches }, seams),
		readSurroundings(run, patches, seams),
	]);
	const pack = buildPack({ context, changeSet: change.changeSet, plan, patches, instructions: trusted.instructions, ...around });
	const banner = readBanner({ context, trusted, plan, sandbox: await describeSandbox(context, seams) }, seams, facts);
	seams.log.group("Rookery", renderBanner(banner).split("\n"));
	const everythingAnew = run.full === true;
	const draft = { context, trusted, change, plan, earlier: round.earlier, patches, everythingAnew, startedAt: facts.startedAt };
	const input = { plan, context, trusted, change, pack, ...draftsOf(draft, seams.model.provider === "offline") };
	return { seams, round, banner, draft, input };
}
