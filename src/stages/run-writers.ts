import type { Assignment, SubagentReport } from "../domain/child-run.ts";
import { costOf } from "../domain/cost.ts";
import type { ModelFailure } from "../domain/model-message.ts";
import { createLedger, type LedgerTotals } from "../engine/ledger.ts";
import { createRegistry } from "../engine/registry.ts";
import { createRunBudget } from "../engine/run-budget.ts";
import { createScheduler } from "../engine/scheduler.ts";
import type { WorkspaceChanges } from "../seams.ts";
import { createChildOpener, type OpenChildInput } from "./open-child.ts";
import type { PipelineSeams } from "./pipeline-seams.ts";
import { readInclude } from "./run-children.ts";

export interface WritersOutcome {
	/** One an assignment, in their order; `changes` in its own bytes, absent when it changed nothing. */
	readonly works: readonly { readonly report: SubagentReport; readonly changes: WorkspaceChanges | undefined }[];
	readonly totals: LedgerTotals;
	readonly fatal: ModelFailure | undefined;
}

/** Part of the budget that is kept for the children's last answers (S-088). */
const FLOOR_SHARE = 0.05;

/**
 * Runs children that write, each in a tree of its own at the pinned head (S-181), under one budget. One that fails takes
 * no other down; what it had changed by then is in its work all the same and is judged like any other. Rejects only when
 * the run's journal cannot be written.
 */
export async function runWriters(assignments: readonly Assignment[], input: OpenChildInput, seams: PipelineSeams): Promise<WritersOutcome> {
	const { settings } = input.trusted;
	const journal = seams.journals.openRun();
	const ledger = createLedger(journal);
	const left = new Map<string, WorkspaceChanges>();
	await using workspaces = seams.openWorkspaces(input.context.head, readInclude(input.trusted));
	const opener = createChildOpener(input, seams, { workspaces, journal, onWork: (session, changes) => left.set(session, changes) });
	const scheduler = createScheduler({
		...{ base: input.context.base, head: input.context.head, journal, journals: seams.journals, clock: seams.clock, ledger },
		budget: createRunBudget({
			tokens: settings.budget.runTokens,
			usd: settings.budget.runUsd,
			floorTokens: Math.floor(settings.budget.runTokens * FLOOR_SHARE),
			floorUsd: settings.budget.runUsd * FLOOR_SHARE,
		}),
		registry: createRegistry(),
		maxConcurrent: settings.subagents.maxConcurrent,
		signal: seams.signal,
		price: costOf,
		redact: seams.redact,
		...(seams.progress === undefined ? {} : { events: seams.progress }),
		parseReportText: () => undefined,
		open: (request, identity, _self, resumed) => opener.open(request.assignment, identity, resumed === true),
	});
	try {
		const reports = await scheduler.runPlanned(assignments.map((assignment) => ({ assignment })));
		await scheduler.settle();
		const works = reports.map((report) => ({ report, changes: left.get(report.session) }));
		return { works, totals: ledger.totals(), fatal: scheduler.fatal() };
	} finally {
		await journal.close();
	}
}
