import type { LanguageProfile } from "../agents/experts/language-profile.ts";
import { buildGeneralist } from "../agents/generalist.ts";
import { buildJointReader } from "../agents/joint-reader.ts";
import { buildSpecialist, type RoleFacts } from "../agents/specialist-prompt.ts";
import type { AgentDefinition, ToolName } from "../domain/agent.ts";
import type { ChangedFile, ChangeSet, FilePatch } from "../domain/change-set.ts";
import type { Assignment } from "../domain/child-run.ts";
import type { ReviewPlan, SkippedFile } from "../domain/review-plan.ts";
import type { Settings } from "../domain/settings.ts";
import type { PolicyLimits } from "../domain/team-policy.ts";
import { childLimits } from "./child-limits.ts";
import { resolvePackage } from "./resolve-package.ts";
import { countLines } from "./count-lines.ts";
import { routeFiles, type RoutedGroup } from "./route.ts";
import { shardFiles } from "./shard.ts";
import { buildSkipRule } from "./skip-rules.ts";
import { splitBudget } from "./split-budget.ts";
import { writeTask } from "./write-task.ts";

/** A custom agent that takes part, with the changed files it is to read. */
interface PlannedReviewer {
	readonly agent: AgentDefinition;
	readonly files: readonly string[];
	readonly reason: string;
}

export interface ReviewPlanInput {
	readonly changeSet: ChangeSet;
	/** Files that an earlier round has read as they are now; they are not routed. */
	readonly carried?: readonly SkippedFile[];
	readonly settings: Settings;
	readonly policy?: PolicyLimits;
	/** The language table of this run (`extendTable`). */
	readonly profiles: readonly LanguageProfile[];
	/** Who was selected among the custom agents, given what was routed; none without the function. */
	readonly selectReviewers?: (subject: {
		readonly files: readonly ChangedFile[];
		readonly languages: Readonly<Record<string, string>>;
	}) => { readonly selected: readonly PlannedReviewer[]; readonly skipped: ReviewPlan["skippedAgents"] };
	/** Patches of schemas and of code that may use them, for seams between languages. */
	readonly seamPatches?: readonly FilePatch[];
	/** `.gitattributes` of the trusted ref. */
	readonly gitAttributes: string;
	/** First lines of files, for marks of generators; see `SkipFacts.heads`. */
	readonly heads?: ReadonlyMap<string, string>;
	/** Paths of the working directory at the head, relative to it: they tell how tests are run (D-07). */
	readonly files: ReadonlySet<string>;
	/** The rule that hides a path from every tool; nobody is given such a file (S-110). */
	readonly hiddenBy?: (path: string) => string | undefined;
	/** Tools of built-in reviewers when there are more than the fixed ones. */
	readonly tools?: readonly ToolName[];
}

/** More children than this cost more than a person would spend on reading the result; files beyond are named (R27). */
export const MAX_SHARDS = 12;

/** Kept for verification and the last answer, of all tokens of a run. */
const FLOOR_SHARE = 0.05;
/** A child with less could read its brief and nothing else. */
const LEAST_TOKENS = 15_000;

/**
 * Who reads what of a change, with which limits, and what nobody reads (S-006, S-017). Pure: the same input gives
 * the same plan, byte for byte. No model is asked, and no text of the pull request has a say in it.
 */
export function buildReviewPlan(input: ReviewPlanInput): ReviewPlan {
	const { settings, changeSet } = input;
	const skip = buildSkipRule({
		gitAttributes: input.gitAttributes,
		heads: input.heads ?? new Map(),
		paths: settings.review.paths,
		pathsIgnore: settings.review.pathsIgnore,
		...(input.hiddenBy === undefined ? {} : { hiddenBy: input.hiddenBy }),
	});
	const carried = new Set(input.carried?.map((file) => file.path));
	const unread = changeSet.files.filter((file) => !carried.has(file.path));
	const route = routeFiles(unread, settings.moe.enabled ? input.profiles : [], skip, input.seamPatches);
	const skippedPaths = new Set(route.skipped.map((file) => file.path));
	const routed = unread.filter((file) => !skippedPaths.has(file.path));
	const { kept, over } = capShards(route.groups.flatMap(toShards));
	const reviewers = planReviewers(input, routed, route.languages);
	const drafts = [...kept.map((shard) => draftShard(shard, input, kept.length > 1)), ...reviewers.drafts];
	const { assignments, unpaid } = grantBudget(drafts, input);
	const skippedFiles = [...route.skipped, ...over, ...nameUnread(unpaid, assignments)];
	return {
		assignments,
		skippedFiles,
		...(carried.size === 0 ? {} : { carriedFiles: input.carried ?? [] }),
		languages: route.languages,
		skippedAgents: [
			...reviewers.skipped,
			...unpaid.map((draft) => ({ name: draft.agent.name, reason: "the run's token budget is too small for one more child" })),
		],
		notes: describeCap(changeSet, over, assignments),
	};
}

interface Shard extends RoutedGroup {
	readonly part?: { readonly number: number; readonly of: number };
}

function toShards(group: RoutedGroup): readonly Shard[] {
	const shards = shardFiles(group.files);
	if (shards.length === 1) return [group];
	return shards.map((files, index) => ({
		...group,
		files,
		reason: `${group.reason}; part ${index + 1} of ${shards.length}`,
		part: { number: index + 1, of: shards.length },
	}));
}

/**
 * Keeps as many shards as a run may have: one of each language first, so that a flood of one kind of file does not
 * push the others out, then the ones with most changed lines.
 */
function capShards(shards: readonly Shard[]): { readonly kept: readonly Shard[]; readonly over: readonly SkippedFile[] } {
	if (shards.length <= MAX_SHARDS) return { kept: shards, over: [] };
	const order = [...shards].sort(
		(a, b) =>
			Number(a.part !== undefined && a.part.number > 1) - Number(b.part !== undefined && b.part.number > 1) ||
			countLines(b.files) - countLines(a.files),
	);
	const chosen = new Set(order.slice(0, MAX_SHARDS));
	const reason = `beyond what ${MAX_SHARDS} children can read in one run`;
	return {
		kept: shards.filter((shard) => chosen.has(shard)),
		over: shards.filter((shard) => !chosen.has(shard)).flatMap((shard) => shard.files.map((file) => ({ path: file.path, reason }))),
	};
}

/** An assignment before the budget has spoken. */
interface Draft extends Omit<Assignment, "limits"> {
	readonly weight: number;
}

function draftShard(shard: Shard, input: ReviewPlanInput, others: boolean): Draft {
	const { profile } = shard;
	const { testCommand, guidance } = resolvePackage(
		profile,
		shard.files.map((file) => file.path),
		input.files,
		input.settings.packages,
	);
	const facts = { testCommand, ...(input.tools === undefined ? {} : { tools: input.tools }) };
	const plain = chooseReader(shard, facts);
	const agent = guidance === "" ? plain : { ...plain, prompt: `${plain.prompt}\n\n${guidance}` };
	return draft({ agent, files: shard.files, reason: shard.reason, part: shard.part, testCommand, others }, input);
}

function chooseReader({ profile, joint }: Shard, facts: RoleFacts): AgentDefinition {
	if (joint !== undefined) return buildJointReader(joint, facts);
	return profile === undefined ? buildGeneralist(facts) : buildSpecialist(profile, facts);
}

function planReviewers(
	input: ReviewPlanInput,
	routed: readonly ChangedFile[],
	languages: Readonly<Record<string, string>>,
): { readonly drafts: readonly Draft[]; readonly skipped: ReviewPlan["skippedAgents"] } {
	if (input.selectReviewers === undefined || routed.length === 0) return { drafts: [], skipped: [] };
	const { selected, skipped } = input.selectReviewers({ files: routed, languages });
	if (!input.settings.subagents.enabled) {
		const off = selected.map(({ agent }) => ({ name: agent.name, reason: "custom agents are off (subagents.enabled)" }));
		return { drafts: [], skipped: [...skipped, ...off] };
	}
	const byPath = new Map(routed.map((file) => [file.path, file]));
	const drafts = selected.map(({ agent, files, reason }) => {
		const own = files.flatMap((path) => byPath.get(path) ?? []);
		return draft({ agent: withReport(agent), files: own, reason, part: undefined, testCommand: undefined, others: false }, input);
	});
	return { drafts, skipped };
}

/** Every child ends with its report, whatever its file grants. */
function withReport(agent: AgentDefinition): AgentDefinition {
	return agent.tools.includes("submit_report") ? agent : { ...agent, tools: [...agent.tools, "submit_report"] };
}

function draft(
	part: {
		readonly agent: AgentDefinition;
		readonly files: readonly ChangedFile[];
		readonly reason: string;
		readonly part: Shard["part"];
		readonly testCommand: string | undefined;
		readonly others: boolean;
	},
	input: ReviewPlanInput,
): Draft {
	const { mergeBase, head } = input.changeSet;
	const { agent, files, reason, testCommand, others } = part;
	return {
		agent,
		files: files.map(({ path, additions, deletions }) => ({ path, additions, deletions })),
		task: writeTask({ mergeBase, head, files, testCommand, others, ...(part.part === undefined ? {} : { part: part.part }) }),
		reason,
		access: "read",
		weight: countLines(files),
		...(testCommand === undefined ? {} : { testCommand }),
	};
}

/** Shares of the run's tokens by changed lines; a child that cannot be paid is not started. */
function grantBudget(
	drafts: readonly Draft[],
	input: ReviewPlanInput,
): { readonly assignments: readonly Assignment[]; readonly unpaid: readonly Draft[] } {
	const { settings, policy } = input;
	const total = settings.budget.runTokens;
	const wishes = drafts.map((one) => childLimits(one.agent, settings, policy).tokenBudget);
	const most = Math.max(LEAST_TOKENS, ...wishes);
	const least = Math.min(LEAST_TOKENS, ...wishes);
	const shares = splitBudget(
		{ total, floor: total * FLOOR_SHARE, least, most },
		drafts.map((one) => one.weight),
	);
	const assignments = drafts.flatMap(({ weight, ...rest }, index): Assignment[] => {
		const share = shares[index] ?? 0;
		return share === 0 ? [] : [{ ...rest, limits: childLimits(rest.agent, settings, policy, share) }];
	});
	return { assignments, unpaid: drafts.filter((_, index) => (shares[index] ?? 0) === 0) };
}

/** Files that only unpaid children were to read. */
function nameUnread(unpaid: readonly Draft[], assignments: readonly Assignment[]): readonly SkippedFile[] {
	const read = new Set(assignments.flatMap((assignment) => assignment.files.map((file) => file.path)));
	const unread = new Set(unpaid.flatMap((draft) => draft.files.map((file) => file.path)).filter((path) => !read.has(path)));
	return [...unread].map((path) => ({ path, reason: "the run's token budget is too small for one more child" }));
}

function describeCap(changeSet: ChangeSet, over: readonly SkippedFile[], assignments: readonly Assignment[]): readonly string[] {
	if (over.length === 0) return [];
	const read = new Set(assignments.flatMap((assignment) => assignment.files.map((file) => file.path))).size;
	return [
		`${read} of ${changeSet.files.length} changed files are read by ${assignments.length} children; ${over.length} are beyond the cap of ${MAX_SHARDS} and named as not reviewed. Split the change, or review it in parts with review.paths.`,
	];
}
