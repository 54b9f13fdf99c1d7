import { BUILT_IN_LANGUAGES, extendTable } from "../agents/experts/table.ts";
import { type ChangedPlace, collectFacts, type FactSide } from "../checks/collect-facts.ts";
import { quoteForShell } from "../domain/quote-for-shell.ts";
import type { FilePatch } from "../domain/change-set.ts";
import type { RunContext } from "../domain/run-context.ts";
import { errorText } from "../domain/errors.ts";
import type { Sha } from "../domain/ids.ts";
import type { ReviewPlan } from "../domain/review-plan.ts";
import type { ToolFacts } from "../domain/tool-facts.ts";
import { createPathRules } from "../guard/path-rules.ts";
import { openForWriting } from "../guard/write-inside.ts";
import { briefToolFacts, noteToolFacts } from "../plan/brief-tool-facts.ts";
import type { CommandRunner } from "../seams.ts";
import type { Change } from "./load-change.ts";
import type { Trusted } from "./load-trusted.ts";
import { openCommandRunner } from "./open-command-runner.ts";
import type { PipelineSeams } from "./pipeline-seams.ts";
import type { RunSandbox } from "./run-sandbox.ts";

/** Each tool, on each side of the change. */
const TOOL_SECONDS = 90;
/** All of it: the review waits for this. */
const ALL_MS = 180_000;

export interface GatherInput {
	readonly context: Pick<RunContext, "tier" | "head" | "mergeBase">;
	readonly trusted: Pick<Trusted, "settings" | "policy">;
	readonly change: Change;
	readonly plan: ReviewPlan;
	/** Patches of the files that somebody reads. */
	readonly patches: readonly FilePatch[];
}

/**
 * Lets the repository's own compilers and linters speak before the model does, and puts what they say into the plan: each
 * specialist's brief holds the facts of its files, the notes hold them for people (PEERS 1c-13). Only in a trusted run with
 * a sandbox, since tools run configuration and build scripts of the head. Never rejects: a review without facts is a review.
 */
export async function gatherToolFacts(input: GatherInput, seams: PipelineSeams): Promise<ReviewPlan> {
	const { context, trusted, plan } = input;
	const { facts: wanted } = trusted.settings.review;
	const { sandbox } = seams;
	if (wanted === "off" || context.tier === "T0" || sandbox === undefined || seams.noSandbox !== undefined) return plan;
	if (wanted === "model" && seams.model.provider === "offline") return plan;
	if (plan.assignments.length === 0 || Object.keys(plan.languages).length === 0) return plan;
	try {
		const state = await sandbox.probe();
		if (!state.available) return plan;
		const found = await gather(input, sandbox, seams);
		for (const run of found.runs) if (run.outcome === "not installed") seams.log.notice(`${run.tool}: ${run.reason}`);
		return {
			...plan,
			assignments: plan.assignments.map((assignment) => briefToolFacts(assignment, found, plan)),
			notes: [...plan.notes, ...noteToolFacts(found)],
		};
	} catch (error) {
		return { ...plan, notes: [...plan.notes, `The repository's own tools were not asked: ${errorText(error)}`] };
	}
}

async function gather(input: GatherInput, sandbox: RunSandbox, seams: PipelineSeams): Promise<ToolFacts> {
	const { context, trusted, change, patches } = input;
	const added = new Map(patches.map((patch) => [patch.path, addedLines(patch)]));
	const changed = change.changeSet.files
		.filter((file) => file.status !== "deleted" && added.has(file.path))
		.map((file): ChangedPlace => {
			const { path, previousPath } = file;
			return { path, ...(previousPath === undefined ? {} : { previousPath }), addedLines: added.get(path) ?? new Set() };
		});
	await using trees = seams.openWorkspaces(context.head);
	// Writable, because tools leave lock files and caches, and because it becomes the merge base's; nobody else reads it.
	await using workspace = await trees.open({ kind: "own", session: "facts" });
	const files = await listPaths(context.head, seams);
	const paths = createPathRules(trusted.policy);
	await using runner = openCommandRunner(sandbox, {
		...{ root: workspace.root, head: context.head, mergeBase: context.mergeBase, writable: true, denyPaths: trusted.policy.denyPaths },
		...(workspace.git === undefined ? {} : { git: workspace.git }),
		dependencies: trusted.settings.sandbox.dependencies,
		hiddenPaths: async () => files.filter((path) => paths.hiddenBy(path) !== undefined),
		onProblem: (text) => seams.log.info(text),
	});
	const side = (commit: Sha, names: readonly string[]): FactSide => ({
		...{ root: workspace.root, files: names, runner },
		lineAt: createLineReader(commit, seams),
	});
	return await collectFacts({
		profiles: extendTable(BUILT_IN_LANGUAGES, trusted.settings.moe.experts),
		changed,
		head: side(context.head, files),
		openBase: async () => {
			const turned = await turnIntoBase(input, workspace.root, runner, seams);
			return turned ? side(context.mergeBase, await listPaths(context.mergeBase, seams)) : undefined;
		},
		timeoutSeconds: TOOL_SECONDS,
		signal: AbortSignal.any([seams.signal, AbortSignal.timeout(ALL_MS)]),
	});
}

async function listPaths(commit: Sha, seams: PipelineSeams): Promise<readonly string[]> {
	return (await seams.reader.listFiles(commit)).map((file) => file.path);
}

function createLineReader(commit: Sha, seams: PipelineSeams): FactSide["lineAt"] {
	const texts = new Map<string, Promise<readonly string[]>>();
	const read = async (path: string): Promise<readonly string[]> =>
		((await seams.reader.readFile(commit, path))?.toString("utf8") ?? "").split("\n");
	return async (path, line) => {
		const reading = texts.get(path) ?? read(path);
		texts.set(path, reading);
		return (await reading)[line - 1]?.trim() ?? "";
	};
}

/** More than this is not cheap any more. */
const MAX_TURNED = 500;
const REMOVE_MS = 30_000;

/**
 * Gives the changed files of the tree their content at the merge base, so that the second run finds the caches of the
 * first. What a tool has left in the tree is not trusted: files go by a command behind the walls, and are written through
 * descriptors that follow no link. False when that cannot be done.
 */
async function turnIntoBase({ change, context }: GatherInput, root: string, runner: CommandRunner, seams: PipelineSeams): Promise<boolean> {
	const { files } = change.changeSet;
	if (files.length > MAX_TURNED || files.some((file) => file.submodule !== undefined || file.oldMode === LINK || file.newMode === LINK))
		return false;
	const names = files.flatMap((file) => (file.status === "copied" ? [file.path] : [file.path, file.previousPath ?? file.path]));
	const removed = await runner.run(`rm -f -- ${[...new Set(names)].map((name) => quoteForShell(`./${name}`)).join(" ")}`, {
		timeoutMs: REMOVE_MS,
	});
	if (removed.exitCode !== 0) return false;
	for (const { status, path, previousPath } of files) {
		if (status === "added" || status === "copied") continue;
		const content = await seams.reader.readFile(context.mergeBase, previousPath ?? path);
		if (content === undefined) continue;
		const opened = openForWriting(root, previousPath ?? path, { create: true });
		if (!opened.ok) return false;
		using file = opened;
		file.replace(content);
	}
	return true;
}

const LINK = "120000";

function addedLines(patch: FilePatch): ReadonlySet<number> {
	const lines = patch.hunks.flatMap((hunk) => hunk.lines).filter((line) => line.kind === "added");
	return new Set(lines.flatMap((line) => (line.newLine === undefined ? [] : [line.newLine])));
}
