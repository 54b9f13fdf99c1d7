import type { BudgetLimits } from "../domain/budget.ts";
import type { Assignment, SubagentReport } from "../domain/child-run.ts";
import { errorText } from "../domain/errors.ts";
import type { ModelFailure } from "../domain/model-message.ts";
import type { ChildEnvironment, ChildIdentity, ResumedHistory } from "./child-environment.ts";
import type { InboxControl } from "./inbox.ts";
import { failedToOpenReport } from "./not-started-report.ts";
import { REFUSED } from "./react-to-reply.ts";
import { runChild } from "./run-child.ts";
import type { Caller, ChildRequest, ChildResources, SchedulerOptions } from "./scheduler-options.ts";
import { describeRequest } from "./scheduler-options.ts";
import { createTreeLock } from "./tree-lock.ts";

/** A child whose turn has come. */
export interface ScheduledChild {
	readonly request: ChildRequest;
	readonly caller: Caller;
	readonly identity: ChildIdentity;
	readonly background: boolean;
	readonly signal: AbortSignal;
	readonly inbox: InboxControl;
	readonly resumed?: ResumedHistory;
	onFatal(failure: ModelFailure): void;
}

/**
 * One child with everything around it: resources, warnings, the start and end events of the run's journal, the
 * ledger, the registry. Never rejects: what throws on the way becomes the child's failed report (S-093, S-167).
 */
export async function runScheduledChild(options: SchedulerOptions, child: ScheduledChild): Promise<SubagentReport> {
	const self = createSelf(child);
	let resources: ChildResources | undefined;
	let report: SubagentReport;
	try {
		options.registry.update(child.identity.agentId, { status: "running", runs: child.resumed?.run ?? 1 });
		await recordWarnings(options, child);
		resources = await options.open(child.request, child.identity, self, child.resumed !== undefined);
		await recordStart(options, child, resources);
		report = await runChild(prefaced(child, resources), buildEnvironment(options, child, self, resources));
	} catch (error) {
		report = await failBeforeStart(options, child, resources, errorText(error));
	}
	return finish(options, child, resources, report);
}

/** Part of a share that its owner's children may not touch, so that the owner can still answer (S-088). */
const FLOOR_SHARE = 0.2;

function shareOf(tokens: number): BudgetLimits {
	return { tokens, floorTokens: Math.floor(tokens * FLOOR_SHARE) };
}

/** The child as a caller of others: they draw on its share of the budget and answer to its inbox. */
function createSelf(child: ScheduledChild): Caller {
	return {
		agentId: child.identity.agentId,
		session: child.identity.session,
		depth: child.identity.depth,
		budget: child.caller.budget.share(shareOf(child.request.assignment.limits.tokenBudget)),
		inbox: child.inbox,
		lock: createTreeLock(),
	};
}

function buildEnvironment(options: SchedulerOptions, child: ScheduledChild, self: Caller, resources: ChildResources): ChildEnvironment {
	const { close: _close, worktree: _worktree, preface: _preface, signal, useJournal, ...given } = resources;
	const journal = options.journals.open(child.identity.session);
	useJournal?.(journal);
	return {
		...idsOf(child.identity),
		...given,
		journal,
		clock: options.clock,
		budget: self.budget,
		budgetUse: "final",
		ledger: options.ledger,
		signal: signal === undefined ? child.signal : AbortSignal.any([child.signal, signal]),
		base: options.base,
		head: options.head,
		price: options.price,
		redact: options.redact,
		onFatal: child.onFatal,
		inbox: child.inbox,
		...(options.events === undefined ? {} : { events: options.events }),
		...(options.parseReportText === undefined ? {} : { parseReportText: options.parseReportText }),
		...(child.resumed === undefined ? {} : { resumed: child.resumed }),
	};
}

/** What a hook adds stands in front of the briefed prompt (S-175). */
function prefaced(child: ScheduledChild, { preface }: ChildResources): Assignment {
	const { assignment } = child.request;
	return preface === undefined ? assignment : { ...assignment, task: `${preface}\n\n${assignment.task}` };
}

/** A continued child is named by its registry entry, which holds much more than ids. */
function idsOf({ session, agentId, name, parent, parentCall, depth }: ChildIdentity): ChildIdentity {
	return { session, agentId, name, parent, parentCall, depth };
}

async function recordWarnings(options: SchedulerOptions, child: ScheduledChild): Promise<void> {
	for (const message of child.request.warnings ?? []) {
		await options.journal.append({
			type: "agent.warning",
			call: child.identity.parentCall,
			agent: child.request.assignment.agent.name,
			message,
		});
	}
}

async function recordStart(options: SchedulerOptions, child: ScheduledChild, resources: ChildResources | undefined): Promise<void> {
	const { worktree } = resources ?? {};
	await options.journal.append({
		type: "agent.started",
		call: child.identity.parentCall,
		agent: child.request.assignment.agent.name,
		agentId: child.identity.agentId,
		session: child.identity.session,
		model: resources?.modelId ?? child.request.assignment.agent.model ?? "unknown",
		background: child.background,
		description: describeRequest(child.request),
		...(child.resumed === undefined ? {} : { resumed: true as const }),
		...(worktree === undefined ? {} : { worktree: worktree.path }),
		...(worktree?.branch === undefined ? {} : { branch: worktree.branch }),
	});
}

/** A child that could not be opened still has its two events and its journal, so that the lists agree (S-126, S-130). */
async function failBeforeStart(
	options: SchedulerOptions,
	child: ScheduledChild,
	resources: ChildResources | undefined,
	error: string,
): Promise<SubagentReport> {
	const journal = options.journals.open(child.identity.session);
	const report = failedToOpenReport(child.request, child.identity, error, journal.path);
	try {
		if (resources === undefined) await recordStart(options, child, undefined);
		await journal.append({ type: "note", text: `could not start: ${error}` });
		await journal.append({ type: "end", status: "failed", stopReason: "error", steps: 0, usage: report.usage });
		await journal.close();
		return report;
	} catch (journalError) {
		return { ...report, error: `${error}; E_AUDIT: ${errorText(journalError)}` };
	}
}

async function finish(
	options: SchedulerOptions,
	child: ScheduledChild,
	resources: ChildResources | undefined,
	ended: SubagentReport,
): Promise<SubagentReport> {
	let report = ended;
	try {
		const worktree = await resources?.close(report);
		if (worktree !== undefined) report = { ...report, worktree };
	} catch (error) {
		report = { ...report, error: joinErrors(report.error, `clean-up failed: ${errorText(error)}`) };
	}
	options.ledger.settle(report);
	const closed = report.error === REFUSED ? REFUSED : undefined;
	options.registry.update(child.identity.agentId, { status: report.status, report, ...(closed === undefined ? {} : { closed }) });
	try {
		await options.journal.append({
			type: "agent.finished",
			call: child.identity.parentCall,
			agent: report.agent,
			agentId: child.identity.agentId,
			session: report.session,
			status: report.status,
			stopReason: report.stopReason,
			report,
			...(report.worktree === undefined ? {} : { worktreeKept: report.worktree.kept }),
		});
	} catch (error) {
		return { ...report, status: "failed", stopReason: "error", error: joinErrors(report.error, `E_AUDIT: ${errorText(error)}`) };
	}
	return report;
}

function joinErrors(first: string | undefined, second: string): string {
	return first === undefined ? second : `${first}; ${second}`;
}
