import type { Assignment, SubagentReport } from "../domain/child-run.ts";
import { errorText } from "../domain/errors.ts";
import { runAgentLoop } from "./agent-loop.ts";
import { buildOutcome, endStopReason } from "./build-outcome.ts";
import type { ChildOutcome } from "./build-outcome.ts";
import type { ChildEnvironment } from "./child-environment.ts";
import type { ChildState } from "./child-state.ts";
import { createChildState } from "./child-state.ts";
import type { LoopEnd } from "./loop-end.ts";
import { wrapUpTimeMs } from "./stop-conditions.ts";
import type { WrapUp } from "./wrap-up.ts";
import { wrapUp } from "./wrap-up.ts";

/**
 * Runs one agent from its first request to its end record. Never throws and never rejects: whatever goes wrong is a
 * report with a status, a reason and the usage so far (S-167, S-098). Exactly one end record is written (S-091),
 * after the children this agent has started have written theirs (S-171).
 */
export async function runChild(assignment: Assignment, environment: ChildEnvironment): Promise<SubagentReport> {
	const deadline = startDeadline(assignment, environment);
	const state = createChildState(assignment, environment, deadline);
	deadline.onTimeout(() => {
		state.timedOut = true;
	});
	try {
		const outcome = await runToOutcome(state);
		return await writeEnd(state, outcome);
	} finally {
		deadline.stop();
	}
}

async function runToOutcome(state: ChildState): Promise<ChildOutcome> {
	try {
		await openSession(state);
		const end = await runAgentLoop(state);
		await state.environment.journal.append({ type: "note", text: `loop ended: ${end.kind === "limit" ? end.limit : end.kind}` });
		const closing: WrapUp | undefined = end.kind === "limit" ? await wrapUp(state, end.limit, end.detail) : undefined;
		return buildOutcome(state, endAfterClosing(state, end), closing);
	} catch (error) {
		return buildOutcome(state, { kind: "failed", error: errorText(error), incomplete: false }, undefined);
	}
}

/** A cancel during the closing call is a cancel. */
function endAfterClosing(state: ChildState, end: LoopEnd): LoopEnd {
	return end.kind === "limit" && state.environment.signal.aborted ? { kind: "cancelled" } : end;
}

async function openSession(state: ChildState): Promise<void> {
	const { environment, assignment } = state;
	const { journal, resumed } = environment;
	if (resumed === undefined) {
		await journal.append({
			type: "session.started",
			session: environment.session,
			parent: environment.parent,
			parentCall: environment.parentCall,
			agent: assignment.agent.name,
			agentId: environment.agentId,
			name: environment.name,
			depth: environment.depth,
			base: environment.base,
			head: environment.head,
			definitionHash: assignment.agent.source?.sha256 ?? null,
			policyHash: environment.policyHash ?? null,
		});
	}
	await journal.append({
		type: "run.started",
		run: resumed?.run ?? 1,
		model: environment.modelId,
		task: resumed?.message ?? assignment.task,
		files: assignment.files.map((file) => file.path),
	});
	const sent = state.messages.at(-1);
	if (sent !== undefined) await journal.append({ type: "message", role: "user", message: sent });
}

async function writeEnd(state: ChildState, outcome: ChildOutcome): Promise<SubagentReport> {
	const { environment } = state;
	const { report } = outcome;
	try {
		if (report.status === "failed" || report.status === "cancelled")
			await environment.inbox?.stopChildren(`${environment.agentId} has ended`);
		await environment.journal.append({
			type: "end",
			status: report.status,
			stopReason: endStopReason(outcome),
			steps: report.steps,
			usage: report.usage,
		});
		await environment.journal.close();
		return report;
	} catch (error) {
		// Without its record a run does not count as done (E_AUDIT), but the caller still gets what is known.
		return { ...report, status: "failed", stopReason: "error", error: `E_AUDIT: the journal could not be written: ${errorText(error)}` };
	}
}

interface Deadline {
	readonly hard: AbortSignal;
	readonly tool: AbortSignal;
	onTimeout(listener: () => void): void;
	stop(): void;
}

/** The time limit as signals: it reaches into model calls and tools, not only between steps (S-079). */
function startDeadline(assignment: Assignment, environment: ChildEnvironment): Deadline {
	const { clock, signal } = environment;
	const { timeoutMs } = assignment.limits;
	const finished = new AbortController();
	const hard = new AbortController();
	const tool = new AbortController();
	let listener: () => void = () => undefined;
	void abortAfter(timeoutMs, hard, () => listener());
	void abortAfter(timeoutMs - wrapUpTimeMs(timeoutMs), tool, () => undefined);
	return {
		hard: AbortSignal.any([signal, hard.signal]),
		tool: AbortSignal.any([signal, hard.signal, tool.signal]),
		onTimeout: (wanted) => {
			listener = wanted;
		},
		stop: () => finished.abort(),
	};

	/** A clock never rejects, so nothing can be lost here. */
	async function abortAfter(ms: number, controller: AbortController, before: () => void): Promise<void> {
		await clock.sleep(ms, AbortSignal.any([signal, finished.signal]));
		if (signal.aborted || finished.signal.aborted) return;
		before();
		controller.abort(new Error("the time limit is reached"));
	}
}
