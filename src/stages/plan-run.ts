import { extendTable, LANGUAGES } from "../agents/experts/table.ts";
import { selectReviewers } from "../agents/select-reviewers.ts";
import type { ReviewPlan } from "../domain/review-plan.ts";
import type { RunContext } from "../domain/run-context.ts";
import { buildReviewPlan } from "../plan/build-review-plan.ts";
import type { Change } from "./load-change.ts";
import type { Trusted } from "./load-trusted.ts";
import type { PipelineSeams } from "./pipeline-seams.ts";

/** First bytes of a file in which a generator's mark counts. */
const HEAD_BYTES = 4_096;
/** Reading the first lines of more files than this would cost more than it spares. */
const MAX_HEADS = 400;

/** Reads what the plan needs to know and decides who reads what (pure from there on). */
export async function planRun(context: RunContext, trusted: Trusted, change: Change, seams: PipelineSeams): Promise<ReviewPlan> {
	const { reader } = seams;
	const [tracked, heads] = await Promise.all([reader.listFiles(context.head), readHeads(context, change, seams)]);
	const { settings, policy } = trusted;
	const plan = buildReviewPlan({
		changeSet: change.changeSet,
		settings,
		policy: policy.limits,
		profiles: extendTable(LANGUAGES, settings.moe.experts, settings.checks),
		gitAttributes: trusted.gitattributes,
		heads,
		files: new Set(tracked.map((file) => file.path)),
		selectReviewers: ({ files, languages }) =>
			selectReviewers(trusted.agents, settings.review.reviewers, { files, languages, labels: context.pullRequest?.labels ?? [] }),
	});
	return { ...plan, skippedAgents: [...plan.skippedAgents, ...trusted.refusedAgents] };
}

/**
 * The first lines of changed files as they stand at the merge base: the head's author could write any mark there to
 * keep a file out of the review. New files have no base side, so no mark of theirs counts.
 */
async function readHeads(context: RunContext, change: Change, seams: PipelineSeams): Promise<ReadonlyMap<string, string>> {
	const heads = new Map<string, string>();
	const candidates = change.changeSet.files.filter((file) => !file.binary && file.status !== "added").slice(0, MAX_HEADS);
	await Promise.all(
		candidates.map(async (file) => {
			const bytes = await seams.reader.readFile(context.mergeBase, file.previousPath ?? file.path);
			if (bytes !== undefined) heads.set(file.path, bytes.subarray(0, HEAD_BYTES).toString("utf8"));
		}),
	);
	return heads;
}
