import type { FilePatch } from "../domain/change-set.ts";
import type { ReviewPlan } from "../domain/review-plan.ts";
import type { RunContext } from "../domain/run-context.ts";
import type { Synthesis } from "../domain/synthesis.ts";
import { NO_USAGE } from "../domain/usage.ts";
import { NO_VERIFICATION } from "../domain/verification.ts";
import { toPreviousReview } from "../publish/read-existing-state.ts";
import { synthesize } from "../synthesis/synthesize.ts";
import type { Change } from "./load-change.ts";
import type { Trusted } from "./load-trusted.ts";
import type { Earlier } from "./read-earlier.ts";
import type { ChildrenInput, ChildrenOutcome } from "./run-children.ts";
import { listClaims } from "./verify-findings.ts";

export interface SynthesisStage {
	readonly context: RunContext;
	readonly trusted: Trusted;
	readonly change: Change;
	readonly plan: ReviewPlan;
	readonly children: ChildrenOutcome;
	readonly earlier: Earlier;
	/** The very patches the children were shown. */
	readonly patches: readonly FilePatch[];
	/** Milliseconds since the epoch; suppressions that have ended by then count no more. */
	readonly startedAt: number;
	/** Somebody asked for a full review. */
	readonly everythingAnew?: boolean;
}

/** Joins what the children reported; the totals are the ledger's, which also counts what no report covers (S-101). */
export async function synthesizeRun(stage: SynthesisStage): Promise<Synthesis> {
	const { change, plan, children, earlier, trusted } = stage;
	const previous = toPreviousReview(earlier.existing);
	const reported = children.reports.flatMap((report) => report.report.findings.map((finding) => finding.path));
	// A finding may speak of a changed file that nobody was given: its patch is needed for the anchor.
	const known = new Set(stage.patches.map((patch) => patch.path));
	const more = await change.readPatches([...new Set(reported)].filter((path) => !known.has(path)));
	const synthesis = await synthesize({
		changeSet: change.changeSet,
		plan,
		reports: children.reports,
		verification: children.verification,
		...(children.replaced === undefined ? {} : { replaced: children.replaced }),
		...(children.degradation === undefined ? {} : { degradation: children.degradation }),
		patches: [...stage.patches, ...more],
		readHead: change.readHead,
		settings: trusted.settings,
		notes: [...stage.context.notes, ...trusted.notes, ...earlier.notes, ...(children.notes ?? [])],
		trustDiff: change.trustDiff,
		settled: earlier.state.settled,
		suppressions: trusted.suppressions,
		at: stage.startedAt,
		otherComments: earlier.existing.otherComments ?? [],
		...(stage.everythingAnew === undefined ? {} : { everythingAnew: stage.everythingAnew }),
		// What fixed checks have found and do not find any more is gone; a model may merely not have said it again.
		exhaustive: children.exhaustive && previous?.provider === "offline",
		...(previous === undefined ? {} : { previous }),
	});
	const { usage, costUsd } = children.totals;
	return { ...withOverview(synthesis, children.overview), usage, costUsd };
}

function withOverview(synthesis: Synthesis, overview: ChildrenOutcome["overview"]): Synthesis {
	if (overview === undefined) return synthesis;
	if ("text" in overview) return { ...synthesis, overview: overview.text };
	return { ...synthesis, notes: [...synthesis.notes, `No overview was written: ${overview.missing}.`] };
}

/** What the later parts of a run need to know of it while it goes on. */
export function draftsOf(
	stage: Omit<SynthesisStage, "children">,
	exhaustive: boolean,
): Pick<ChildrenInput, "listClaims" | "draftSynthesis"> {
	return { ...draftClaims(stage, exhaustive), ...draftForOverview(stage, exhaustive) };
}

const NO_TOTALS = { usage: NO_USAGE, costUsd: 0, estimated: false };

function draftForOverview(stage: Omit<SynthesisStage, "children">, exhaustive: boolean): Pick<ChildrenInput, "draftSynthesis"> {
	if (!stage.trusted.settings.review.overview) return {};
	return {
		draftSynthesis: (children) => synthesizeRun({ ...stage, children: { ...children, totals: NO_TOTALS, fatal: undefined, exhaustive } }),
	};
}

/** What is to be verified of a run: the findings of a draft, made by the same functions as the synthesis. Nothing where it is off. */
function draftClaims(stage: Omit<SynthesisStage, "children">, exhaustive: boolean): Pick<ChildrenInput, "listClaims"> {
	if (!stage.trusted.settings.review.verify) return {};
	return {
		listClaims: async (reports) => {
			const children = { reports, totals: NO_TOTALS, verification: NO_VERIFICATION, fatal: undefined, exhaustive };
			return listClaims(await synthesizeRun({ ...stage, children }));
		},
	};
}
