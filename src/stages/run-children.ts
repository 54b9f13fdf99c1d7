import { resolveModel } from "../agents/resolve-model.ts";
import type { Assignment, SubagentReport } from "../domain/child-run.ts";
import { costOf } from "../domain/cost.ts";
import type { ModelFailure } from "../domain/model-message.ts";
import { UserError } from "../domain/errors.ts";
import { MODEL_ALIASES, resolveModelAlias } from "../domain/model-table.ts";
import type { ReviewPlan } from "../domain/review-plan.ts";
import type { RunContext } from "../domain/run-context.ts";
import { createLedger, type LedgerTotals } from "../engine/ledger.ts";
import { createRegistry } from "../engine/registry.ts";
import { createRunBudget } from "../engine/run-budget.ts";
import { createScheduler } from "../engine/scheduler.ts";
import type { ChildResources } from "../engine/scheduler-options.ts";
import { warmUp } from "../engine/warm-up.ts";
import type { Pack } from "../plan/build-pack.ts";
import { SHARED_SYSTEM } from "../plan/shared-system.ts";
import type { Tool, WorkspaceProvider } from "../seams.ts";
import { parseReportText } from "../synthesis/parse-report.ts";
import { createReadOnlyTools } from "../tools/create-read-only-tools.ts";
import { createReadState } from "../tools/read-state.ts";
import type { ToolContext } from "../tools/tool-context.ts";
import type { Change } from "./load-change.ts";
import type { Trusted } from "./load-trusted.ts";
import type { PipelineSeams } from "./pipeline-seams.ts";

export interface ChildrenInput {
	readonly plan: ReviewPlan;
	readonly context: RunContext;
	readonly trusted: Trusted;
	readonly change: Change;
	readonly pack: Pack;
}

export interface ChildrenOutcome {
	readonly reports: readonly SubagentReport[];
	/** Everything that was spent, the warm-up included. */
	readonly totals: LedgerTotals;
	/** The failure that stopped the run for all, when there was one (BR-76). */
	readonly fatal: ModelFailure | undefined;
}

/** Kept back so that the end of a run can always be paid for (S-088). */
const FLOOR_SHARE = 0.05;

/**
 * Runs every assignment as a child, as many at once as the settings allow, under one budget. Resolves when all have
 * ended; a child that fails never takes another one down (S-093, S-104). Rejects only when the run's own journal
 * cannot be written.
 */
export async function runChildren(input: ChildrenInput, seams: PipelineSeams): Promise<ChildrenOutcome> {
	const { settings } = input.trusted;
	const runJournal = seams.journals.openRun();
	const ledger = createLedger(runJournal);
	const budget = createRunBudget({
		tokens: settings.budget.runTokens,
		usd: settings.budget.runUsd,
		floorTokens: Math.floor(settings.budget.runTokens * FLOOR_SHARE),
		floorUsd: settings.budget.runUsd * FLOOR_SHARE,
	});
	await using workspaces = seams.openWorkspaces(input.context.head);
	const deck = createDeck(input, seams, workspaces);
	const scheduler = createScheduler({
		base: input.context.base,
		head: input.context.head,
		journal: runJournal,
		journals: seams.journals,
		clock: seams.clock,
		budget,
		ledger,
		registry: createRegistry(),
		maxConcurrent: settings.subagents.maxConcurrent,
		signal: seams.signal,
		price: costOf,
		redact: seams.redact,
		...(seams.progress === undefined ? {} : { events: seams.progress }),
		parseReportText: (text) => parseReportText(text)?.report,
		open: (request, identity) => deck.open(request.assignment, identity.session),
	});
	try {
		await warmUpLargestGroup(input.plan.assignments, deck, { budget, ledger, seams, runJournal });
		const reports = await scheduler.runPlanned(input.plan.assignments.map((assignment) => ({ assignment })));
		await scheduler.settle();
		return { reports, totals: ledger.totals(), fatal: scheduler.fatal() };
	} finally {
		await runJournal.close();
	}
}

/** What children are given: model, tools and the shared part of their requests. */
interface Deck {
	readonly prefix: { readonly system: readonly { readonly type: "text"; readonly text: string }[]; readonly pack: Pack["blocks"] };
	modelOf(assignment: Assignment): string;
	effortOf(assignment: Assignment): Trusted["settings"]["effort"];
	/** The tools of an assignment's agent, working below `root`. */
	toolsFor(assignment: Assignment, root: string): readonly Tool[];
	open(assignment: Assignment, session: string): Promise<ChildResources>;
}

function createDeck(input: ChildrenInput, seams: PipelineSeams, workspaces: WorkspaceProvider): Deck {
	const { pack } = input;
	const { settings, policy } = input.trusted;
	const deck: Deck = {
		prefix: { system: [{ type: "text", text: SHARED_SYSTEM }], pack: pack.blocks },
		modelOf(assignment) {
			if (seams.modelId !== undefined) return seams.modelId;
			const wished = settings.models[assignment.agent.kind === "reviewer" ? "reviewer" : "specialist"] ?? settings.model;
			const resolved = resolveModel({
				...(assignment.agent.model === undefined ? {} : { agent: assignment.agent.model }),
				inherited: resolveModelAlias(wished, settings.agentModels),
				aliases: { ...MODEL_ALIASES, ...settings.agentModels },
				...(policy.allowedModels === undefined ? {} : { allowed: policy.allowedModels }),
			});
			if (!resolved.ok) throw new UserError(resolved.reason, { code: resolved.code });
			return resolved.model;
		},
		effortOf: (assignment) => assignment.agent.effort ?? settings.effort,
		toolsFor(assignment, root) {
			const granted = new Set<string>(assignment.agent.tools.filter((name) => !assignment.agent.disallowedTools.includes(name)));
			return createReadOnlyTools(makeToolContext(input, seams, assignment, root)).filter((tool) => granted.has(tool.spec.name));
		},
		async open(assignment, session) {
			const workspace = await workspaces.open({ kind: assignment.access === "write" ? "own" : "shared", session });
			const assigned = new Set(assignment.files.map((file) => file.path));
			return {
				model: seams.model,
				modelId: deck.modelOf(assignment),
				effort: deck.effortOf(assignment),
				tools: { tools: deck.toolsFor(assignment, workspace.root), [Symbol.asyncDispose]: async () => undefined },
				brief: deck.prefix,
				briefFiles: [...pack.complete].filter((path) => assigned.has(path)),
				async close() {
					await workspace[Symbol.asyncDispose]();
					return undefined;
				},
			};
		},
	};
	return deck;
}

function makeToolContext(input: ChildrenInput, seams: PipelineSeams, assignment: Assignment, root: string): ToolContext {
	const { context, change } = input;
	return {
		root,
		head: context.head,
		mergeBase: context.mergeBase,
		changedFiles: change.changeSet.files,
		assignedPaths: assignment.files.map((file) => file.path),
		readPatches: (files) => change.readPatches(files.map((file) => file.path)),
		readBase: (path) => seams.reader.readFile(context.mergeBase, path),
		listFiles: async () => (await seams.reader.listFiles(context.head)).map((file) => file.path),
		syntax: seams.syntax,
		readState: createReadState(),
	};
}

/** The children of one model share a prefix: the largest such group is warmed once (COST.md 4.2). */
async function warmUpLargestGroup(
	assignments: readonly Assignment[],
	deck: Deck,
	run: Pick<Parameters<typeof warmUp>[0], "budget" | "ledger"> & {
		readonly seams: PipelineSeams;
		readonly runJournal: Parameters<typeof warmUp>[0]["journal"];
	},
): Promise<void> {
	const groups = new Map<string, Assignment[]>();
	for (const assignment of assignments) groups.set(deck.modelOf(assignment), [...(groups.get(deck.modelOf(assignment)) ?? []), assignment]);
	const [modelId, group] = [...groups].sort(([, a], [, b]) => b.length - a.length)[0] ?? [];
	const first = group?.[0];
	if (modelId === undefined || group === undefined || first === undefined) return;
	await warmUp({
		model: run.seams.model,
		modelId,
		effort: deck.effortOf(first),
		prefix: deck.prefix,
		// The tools' texts are the same for each child; only what they work on differs.
		tools: deck.toolsFor(first, ""),
		children: group.length,
		budget: run.budget,
		ledger: run.ledger,
		journal: run.runJournal,
		clock: run.seams.clock,
		signal: run.seams.signal,
		price: costOf,
	});
}
