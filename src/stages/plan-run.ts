import { readCodeOwners } from "../agents/code-owners.ts";
import type { LanguageProfile } from "../agents/experts/language-profile.ts";
import { BUILT_IN_LANGUAGES, extendTable, findLanguage } from "../agents/experts/table.ts";
import { type ReviewerSelection, selectReviewers } from "../agents/select-reviewers.ts";
import type { FilePatch } from "../domain/change-set.ts";
import type { ReviewPlan } from "../domain/review-plan.ts";
import type { RunContext } from "../domain/run-context.ts";
import { createPathRules } from "../guard/path-rules.ts";
import { countLines } from "../plan/count-lines.ts";
import { schemaKind } from "../plan/find-seams.ts";
import { buildReviewPlan } from "../plan/build-review-plan.ts";
import { TRUST_DIFF_NOTICE } from "../trust/trust-diff.ts";
import type { Carried } from "./find-carried.ts";
import type { Change } from "./load-change.ts";
import type { Trusted } from "./load-trusted.ts";
import { describeHooksWithoutSandbox } from "./open-child.ts";
import { hooksForAssignment } from "./open-child-gate.ts";
import { chooseReviewTools } from "./open-tools.ts";
import type { PipelineSeams } from "./pipeline-seams.ts";
import { prepareReviewers } from "./prepare-reviewers.ts";

/** First bytes of a file in which a generator's mark counts. */
const HEAD_BYTES = 4_096;
/** Reading the first lines of more files than this would cost more than it spares. */
const MAX_HEADS = 400;

/** Reads what the plan needs to know and decides who reads what (pure from there on). */
export async function planRun(
	context: RunContext,
	trusted: Trusted,
	change: Change,
	seams: PipelineSeams,
	round?: Promise<{ readonly carried: Carried }>,
): Promise<ReviewPlan> {
	const { reader } = seams;
	const profiles = extendTable(BUILT_IN_LANGUAGES, trusted.settings.moe.experts, trusted.settings.checks);
	const [tracked, heads, prepared, opened, seamPatches] = await Promise.all([
		reader.listFiles(context.head),
		readHeads(context, change, seams),
		prepareReviewers(trusted.agents, { reader, commit: context.trusted }, trusted.organisation),
		round,
		readSeamPatches(change, profiles),
	]);
	const { settings, policy } = trusted;
	const paths = createPathRules(policy);
	const plan = buildReviewPlan({
		tools: chooseReviewTools(context, seams),
		hiddenBy: (path) => paths.hiddenBy(path)?.id,
		changeSet: change.changeSet,
		carried: opened?.carried.files ?? [],
		settings,
		policy: policy.limits,
		profiles,
		seamPatches,
		gitAttributes: trusted.gitattributes,
		heads,
		files: new Set(tracked.map((file) => file.path)),
		selectReviewers: ({ files, languages }) =>
			choose(prepared.agents, trusted, {
				...{ files, languages, labels: context.pullRequest?.labels ?? [] },
				...(trusted.codeOwners === undefined ? {} : { ownersOf: readCodeOwners(trusted.codeOwners) }),
			}),
	});
	// A rule that names a refused reviewer is answered by the refusal, not by "there is none".
	const refusedNames = new Set([...prepared.refused, ...trusted.refusedAgents].map((agent) => agent.name));
	const skipped = plan.skippedAgents.filter((agent) => !refusedNames.has(agent.name));
	return leaveOutUncheckable(
		{
			...plan,
			assignments: plan.assignments.map((assignment) => prepared.brief(assignment)),
			skippedAgents: [...skipped, ...prepared.refused, ...trusted.refusedAgents],
			notes: [
				...plan.notes,
				...(opened?.carried.notes ?? []),
				...(change.trustDiff.length === 0 ? [] : [TRUST_DIFF_NOTICE]),
				...describeTree(tracked, trusted.gitattributes),
			],
		},
		trusted,
		seams,
	);
}

/** Larger changes are read in parts, and a seam in them is found by nobody's eye but by luck. */
const MAX_SEAM_FILES = 300;
const MAX_SEAM_LINES = 20_000;

/** Patches to compare schemas with code by; none, and nothing is read, where the change has no schema. */
async function readSeamPatches(change: Change, profiles: readonly LanguageProfile[]): Promise<readonly FilePatch[]> {
	const { files } = change.changeSet;
	if (!files.some((file) => schemaKind(file.path) !== undefined)) return [];
	const wanted = files.filter(
		(file) => !file.binary && (schemaKind(file.path) !== undefined || findLanguage(file.path, profiles) !== undefined),
	);
	if (wanted.length > MAX_SEAM_FILES || countLines(wanted) > MAX_SEAM_LINES) return [];
	return change.readPatches(wanted.map((file) => file.path));
}

/** The selection with what an automatic review does not give, which is shown in the plan (A36). */
function choose(agents: Trusted["agents"], trusted: Trusted, subject: Parameters<typeof selectReviewers>[2]): ReviewerSelection {
	const selection = selectReviewers(agents, trusted.settings.review.reviewers, subject, trusted.settings.review.maxReviewers);
	return {
		...selection,
		selected: selection.selected.map((one) =>
			one.withheld.length === 0 ? one : { ...one, reason: `${one.reason}; not given in a review: ${one.withheld.join(", ")}` },
		),
	};
}

/** S-178: a child whose hooks cannot be asked is not started; its files are named as not reviewed. */
function leaveOutUncheckable(plan: ReviewPlan, trusted: Trusted, seams: PipelineSeams): ReviewPlan {
	if (seams.hookRunner !== undefined || trusted.hooks.length === 0) return plan;
	const out = new Set(plan.assignments.filter((assignment) => hooksForAssignment(trusted.hooks, assignment).length > 0));
	if (out.size === 0) return plan;
	const reason = describeHooksWithoutSandbox(seams);
	const assignments = plan.assignments.filter((assignment) => !out.has(assignment));
	const read = new Set(assignments.flatMap((assignment) => assignment.files.map((file) => file.path)));
	const unread = new Set([...out].flatMap((assignment) => assignment.files.map((file) => file.path)).filter((path) => !read.has(path)));
	return {
		...plan,
		assignments,
		skippedAgents: [...plan.skippedAgents, ...[...out].map(({ agent }) => ({ name: agent.name, reason }))],
		skippedFiles: [
			...plan.skippedFiles,
			...[...unread].map((path) => ({ path, reason: "its reviewer has hooks, and without a sandbox no hook is run" })),
		],
	};
}

const SUBMODULE_MODE = "160000";
const MAX_NAMED = 5;

/** What the children's trees do not hold, said plainly: submodules are not fetched, large files are pointers. */
function describeTree(tracked: readonly { readonly path: string; readonly mode: string }[], gitattributes: string): readonly string[] {
	const modules = tracked.filter((file) => file.mode === SUBMODULE_MODE).map((file) => file.path);
	const named = modules.slice(0, MAX_NAMED).join(", ") + (modules.length > MAX_NAMED ? " and others" : "");
	return [
		...(modules.length === 0 ? [] : [`Submodules are not checked out, so nothing in them was read: ${named}.`]),
		...(/\bfilter=lfs\b/.test(gitattributes) ? ["Files in Git LFS are seen as their pointers; their content was not fetched."] : []),
	];
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
