import type { Publication, PublicationResult } from "./domain/publication.ts";
import type { ReviewPlan } from "./domain/review-plan.ts";
import type { RunContext } from "./domain/run-context.ts";
import type { RunReport } from "./domain/run-report.ts";
import type { Synthesis } from "./domain/synthesis.ts";
import { createPathRules } from "./guard/path-rules.ts";
import { buildPack } from "./plan/build-pack.ts";
import { focusRoles } from "./plan/focus-roles.ts";
import { renderBanner } from "./publish/render/step-summary.ts";
import { readBanner } from "./stages/read-banner.ts";
import { hideDenied } from "./stages/hide-denied.ts";
import { loadChange } from "./stages/load-change.ts";
import { openRound } from "./stages/open-round.ts";
import type { PipelineSeams, RunFacts } from "./stages/pipeline-seams.ts";
import { planRun } from "./stages/plan-run.ts";
import { publishRun } from "./stages/publish-run.ts";
import { recordChange, recordRun } from "./stages/record-run.ts";
import { runChildren } from "./stages/run-children.ts";
import { describeSandbox, settleSandbox } from "./stages/settle-sandbox.ts";
import { withProgress } from "./stages/show-progress.ts";
import { draftClaims, synthesizeRun } from "./stages/synthesize-run.ts";
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
}

export interface PipelineOutcome {
	readonly report: RunReport;
	readonly synthesis: Synthesis;
	readonly publications: readonly Publication[];
	readonly results: readonly PublicationResult[];
}

/**
 * The story of a run. Reads the world once, decides in plain functions, writes once, last. Rejects only for what makes
 * a run impossible: git that fails, a journal that cannot be written.
 */
export async function runPipeline(run: AdmittedRun, given: PipelineSeams, facts: RunFacts): Promise<PipelineOutcome> {
	const { context, trusted } = run;
	const [seams, loaded] = await Promise.all([settleSandbox(run, given), loadChange(context, given)]);
	const change = hideDenied(loaded, createPathRules(trusted.policy));
	const round = openRound(run, change, seams, facts);
	const [whole, { earlier, carried }] = await Promise.all([planRun(context, trusted, change, seams, round), round]);
	const planned = run.narrow?.(whole) ?? whole;
	const patches = await change.readPatches(planned.assignments.flatMap((assignment) => assignment.files.map((file) => file.path)));
	const plan = focusRoles(planned, patches);
	const pack = buildPack({ context, changeSet: change.changeSet, plan, patches, instructions: trusted.instructions });
	const banner = readBanner({ context, trusted, plan, sandbox: await describeSandbox(context, seams) }, seams, facts);
	seams.log.group("Rookery", renderBanner(banner).split("\n"));
	const everythingAnew = run.full === true;
	const draft = { context, trusted, change, plan, earlier, patches, everythingAnew };
	const children = await withProgress({ context, existing: earlier.existing, wanted: run.wanted }, seams, facts, () =>
		runChildren({ plan, context, trusted, change, pack, ...draftClaims(draft, seams.model.provider === "offline") }, seams),
	);
	const recorder = recordChange(change);
	const stage = { ...draft, change: recorder.change, children };
	const synthesis = await synthesizeRun(stage);
	const published = await publishRun(
		{
			synthesis,
			context,
			plan,
			patches,
			reviewers: carried.reviewers,
			part: run.narrow !== undefined,
			banner,
			changeSet: change.changeSet,
			settings: trusted.settings,
			existing: earlier.existing,
			wanted: run.wanted,
		},
		seams,
		facts,
	);
	await recordRun({ stage, recorder, report: published.report }, seams, facts);
	return { synthesis, ...published };
}
