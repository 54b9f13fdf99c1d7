import { resolveModel } from "../agents/resolve-model.ts";
import { countChecked } from "./count-checked.ts";
import type { Assignment, SubagentReport } from "../domain/child-run.ts";
import { costOf } from "../domain/cost.ts";
import type { ModelFailure } from "../domain/model-message.ts";
import type { ManifestPart } from "../domain/run-manifest.ts";
import type { ReviewPlan } from "../domain/review-plan.ts";
import { MODEL_ALIASES, resolveModelAlias } from "../domain/model-table.ts";
import type { Degradation, Synthesis } from "../domain/synthesis.ts";
import { type Claim, NO_VERIFICATION, type Verification } from "../domain/verification.ts";
import { createLedger, type LedgerTotals } from "../engine/ledger.ts";
import { createRegistry, type Registry } from "../engine/registry.ts";
import { createRunBudget, type RunBudget } from "../engine/run-budget.ts";
import { createScheduler, type Scheduler } from "../engine/scheduler.ts";
import type { ChildRequest } from "../engine/scheduler-options.ts";
import type { RunAccount } from "../engine/spend-once.ts";
import { warmUp } from "../engine/warm-up.ts";
import type { WorkspaceProvider } from "../seams.ts";
import { createPathRules } from "../guard/path-rules.ts";
import { parseReportText } from "../synthesis/parse-report.ts";
import { type ChildOpener, createChildOpener, type OpenChildInput } from "./open-child.ts";
import { needsOwnTree } from "./open-child-tree.ts";
import { chooseReviewTools } from "./open-tools.ts";
import type { PipelineSeams } from "./pipeline-seams.ts";
import { proveClaims } from "./prove-claims.ts";
import { stepDown } from "./step-down.ts";
import { type Overview, writeOverview } from "./write-overview.ts";
import { verifyFindings } from "./verify-findings.ts";

export interface ChildrenInput extends OpenChildInput {
	readonly plan: ReviewPlan;
	/** What of the reports is to be verified; absent where verification is off. */
	readonly listClaims?: (reports: readonly SubagentReport[]) => Promise<readonly Claim[]>;
	/** Gives the children their names, where other jobs of the run give some too. */
	readonly registry?: Registry;
	/** What the run has come to, for somebody to write an overview of; absent where none is wanted. */
	readonly draftSynthesis?: (
		children: Pick<ChildrenOutcome, "reports" | "verification" | "replaced" | "degradation">,
	) => Promise<Synthesis>;
}

export interface ChildrenOutcome {
	readonly reports: readonly SubagentReport[];
	readonly verification: Verification;
	/** Children whose place others have taken, and how far the run went down, when the provider was away. */
	readonly replaced?: readonly SubagentReport[];
	readonly degradation?: Degradation;
	/** A model's words about the review, or why there are none; absent where none were wanted. */
	readonly overview?: Overview;
	/** Everything that was spent, the warm-up included. */
	readonly totals: LedgerTotals;
	/** The failure that stopped the run for all, when there was one (BR-76). */
	readonly fatal: ModelFailure | undefined;
	/** The reviewers were fixed checks, which find the same in the same code every time. */
	readonly exhaustive: boolean;
	/** Remarks of other jobs that had a part in it; text to be cleaned. */
	readonly notes?: readonly string[];
	/** The outboxes of other jobs, for the manifest. */
	readonly parts?: readonly ManifestPart[];
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
	await using workspaces = seams.openWorkspaces(input.context.head, readInclude(input.trusted));
	const opener = createChildOpener(input, seams, { workspaces, journal: runJournal });
	// Assignments that fixed checks carry out, once the provider is away; their opener is made when it is needed.
	const onChecks = new Set<Assignment>();
	let checksOpener: ChildOpener | undefined;
	const scheduler = createScheduler({
		base: input.context.base,
		head: input.context.head,
		journal: runJournal,
		journals: seams.journals,
		clock: seams.clock,
		budget,
		ledger,
		registry: input.registry ?? createRegistry(),
		maxConcurrent: settings.subagents.maxConcurrent,
		signal: seams.signal,
		price: costOf,
		redact: seams.redact,
		...(seams.progress === undefined ? {} : { events: seams.progress }),
		parseReportText: (text) => parseReportText(text)?.report,
		open: (request, identity, _self, resumed) =>
			(onChecks.has(request.assignment) ? (checksOpener ?? opener) : opener).open(request.assignment, identity, resumed === true),
	});
	// Under way while the prefix is warmed: readers find it standing, and keep it standing between them.
	await using readers = openReadersTree(input.plan.assignments, workspaces);
	void readers;
	try {
		await warmUpLargestGroup(input.plan.assignments, opener, { budget, ledger, seams, runJournal });
		const first = await scheduler.runPlanned(input.plan.assignments.map((assignment) => toRequest(assignment, opener)));
		await scheduler.settle();
		const { reports, ...stepped } = await stepDown(input.plan.assignments, first, {
			checks: seams.fallback !== undefined,
			mayGoOn: () => !seams.signal.aborted && scheduler.fatal() === undefined,
			modelOf: (assignment) => nameModel(opener.modelOf(assignment)),
			run: async (assignments, how) => {
				if (how === "checks") {
					const fallback = await seams.fallback?.();
					checksOpener ??= createChildOpener(input, { ...seams, ...fallback }, { workspaces, journal: runJournal });
					for (const assignment of assignments) onChecks.add(assignment);
				}
				return scheduler.runPlanned(assignments.map((assignment) => toRequest(assignment, opener)));
			},
		});
		const covered = seams.model.provider === "offline" ? reports.map(countChecked) : reports;
		const nobody = stepped.degradation !== undefined && stepped.degradation.away - stepped.degradation.weaker === first.length;
		const verification = nobody ? NO_VERIFICATION : await verify(covered, input, seams, { scheduler, budget, opener, workspaces });
		const draft = { ...stepped, verification, reports: covered };
		const account = { ...seams, budget, ledger, journal: runJournal, price: costOf };
		const overview = nobody || scheduler.fatal() !== undefined ? undefined : await addOverview(draft, input, account);
		return {
			...draft,
			...(overview === undefined ? {} : { overview }),
			totals: ledger.totals(),
			fatal: scheduler.fatal(),
			exhaustive: seams.model.provider === "offline",
		};
	} finally {
		await runJournal.close();
	}
}

async function addOverview(
	children: Parameters<NonNullable<ChildrenInput["draftSynthesis"]>>[0],
	input: ChildrenInput,
	account: RunAccount,
): Promise<Overview | undefined> {
	if (input.draftSynthesis === undefined || account.signal.aborted || account.model.provider === "offline") return undefined;
	const { settings, policy } = input.trusted;
	const resolved = resolveModel({
		inherited: resolveModelAlias(settings.model, settings.agentModels),
		aliases: MODEL_ALIASES,
		...(policy.allowedModels === undefined ? {} : { allowed: policy.allowedModels }),
	});
	if (!resolved.ok) return { missing: resolved.reason };
	return writeOverview(await input.draftSynthesis(children), { model: resolved.model, effort: settings.effort }, account);
}

function nameModel(resolved: ReturnType<ChildOpener["modelOf"]>): string | undefined {
	return resolved.ok ? resolved.model : undefined;
}

/** The floor of the run's budget is kept for this. */
async function verify(
	reports: readonly SubagentReport[],
	input: ChildrenInput,
	seams: PipelineSeams,
	run: { readonly scheduler: Scheduler; readonly budget: RunBudget; readonly opener: ChildOpener; readonly workspaces: WorkspaceProvider },
): Promise<Verification> {
	const { scheduler, budget, opener } = run;
	const claims = (await input.listClaims?.(reports)) ?? [];
	if (claims.length === 0 || seams.signal.aborted || scheduler.fatal() !== undefined) return NO_VERIFICATION;
	const caller = { ...scheduler.main, budget: budget.share({ tokens: budget.state().limits.tokens }, "final") };
	const tools = chooseReviewTools(input.context, seams);
	return verifyFindings(claims, {
		input: { trusted: input.trusted, plan: input.plan, tools },
		scheduler,
		caller,
		toRequest: (assignment) => toRequest(assignment, opener),
		prove: (verdicts) => proveClaims(verdicts, { context: input.context, trusted: input.trusted, workspaces: run.workspaces, seams }),
	});
}

/** `.worktreeinclude` of the trusted ref, less what no tool may read (S-186). */
export function readInclude({ worktreeInclude, policy }: ChildrenInput["trusted"]): Parameters<PipelineSeams["openWorkspaces"]>[1] {
	if (worktreeInclude === "") return undefined;
	const paths = createPathRules(policy);
	return {
		patterns: worktreeInclude,
		refuse: (path) => {
			const rule = paths.hiddenBy(path);
			return rule === undefined ? undefined : `it is out of reach (rule ${rule.id})`;
		},
	};
}

/** What was not met of a file's wishes is said before the child starts (S-152). */
function toRequest(assignment: Assignment, opener: ChildOpener): ChildRequest {
	const model = opener.modelOf(assignment);
	const warnings = [...(assignment.warnings ?? []), ...(model.ok && model.warning ? [model.reason] : [])];
	return { assignment, ...(warnings.length === 0 ? {} : { warnings }) };
}

/** Never rejects: a tree that cannot be made is told by each child that needs it. */
function openReadersTree(assignments: readonly Assignment[], workspaces: WorkspaceProvider): AsyncDisposable {
	if (assignments.every(needsOwnTree)) return { [Symbol.asyncDispose]: async () => undefined };
	const tree = workspaces.open({ kind: "shared", session: "readers" }).catch(() => undefined);
	return { [Symbol.asyncDispose]: async () => (await tree)?.[Symbol.asyncDispose]() };
}

/** Model, effort, tools and instructions: children that agree in all of it share a prefix, byte for byte. */
function describePrefix(assignment: Assignment, opener: ChildOpener): string {
	const model = opener.modelOf(assignment);
	const tools = opener.shapesOf(assignment).map((tool) => tool.spec.name);
	return JSON.stringify([model.ok ? model.model : "", opener.effortOf(assignment), assignment.agent.memory, tools]);
}

/** The children that share a prefix: the largest such group is warmed once (COST.md 4.2). */
async function warmUpLargestGroup(
	assignments: readonly Assignment[],
	opener: ChildOpener,
	run: Pick<Parameters<typeof warmUp>[0], "budget" | "ledger"> & {
		readonly seams: PipelineSeams;
		readonly runJournal: Parameters<typeof warmUp>[0]["journal"];
	},
): Promise<void> {
	const groups = new Map<string, Assignment[]>();
	for (const assignment of assignments) {
		const key = describePrefix(assignment, opener);
		groups.set(key, [...(groups.get(key) ?? []), assignment]);
	}
	const group = [...groups.values()].sort((a, b) => b.length - a.length)[0];
	const first = group?.[0];
	if (group === undefined || first === undefined) return;
	const model = opener.modelOf(first);
	if (!model.ok) return;
	await warmUp({
		model: run.seams.model,
		modelId: model.model,
		effort: opener.effortOf(first),
		prefix: opener.prefixOf(first),
		tools: opener.shapesOf(first),
		children: group.length,
		budget: run.budget,
		ledger: run.ledger,
		journal: run.runJournal,
		clock: run.seams.clock,
		signal: run.seams.signal,
		price: costOf,
	});
}
