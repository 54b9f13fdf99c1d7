import type { ChildStatus, ChildStopReason, SubagentReport } from "../domain/child-run.ts";
import { cutText } from "../domain/cut-text.ts";
import { errorText } from "../domain/errors.ts";
import type { ChildReport } from "../domain/finding.ts";
import { renderTaskList } from "../tools/task-list.ts";
import type { ChildState } from "./child-state.ts";
import type { LoopEnd } from "./loop-end.ts";
import type { WrapUp } from "./wrap-up.ts";

/** A report and how the end record names the end. */
export interface ChildOutcome {
	readonly report: SubagentReport;
	readonly closing: WrapUp | undefined;
}

/** D-40: the report says which limit it was, the end record says whether a closing answer could be had (S-087, S-091). */
export function endStopReason(outcome: ChildOutcome): ChildStopReason {
	if (outcome.closing === undefined || outcome.report.status !== "partial") return outcome.report.stopReason;
	return outcome.closing.ran ? "wrap_up" : "no_wrap_up";
}

/** Everything a child leaves behind, whatever its end was (S-080, S-096). */
export function buildOutcome(state: ChildState, end: LoopEnd, closing: WrapUp | undefined): ChildOutcome {
	const { status, stopReason, error } = judge(state, end);
	const answer = renderText(state, end, closing, error);
	const text = limitAnswer(withChecklist(answer, state), state.assignment.limits.answerChars);
	const report = buildChildReport(state, end, closing, text);
	return {
		closing,
		report: { ...describeRun(state), status, stopReason, text, report, ...(error === undefined ? {} : { error }), ...outageOf(end) },
	};
}

function describeRun(state: ChildState): Omit<SubagentReport, "status" | "stopReason" | "text" | "report" | "error" | "outage"> {
	const { assignment, environment } = state;
	return {
		agent: assignment.agent.name,
		...(assignment.agent.displayName === undefined ? {} : { displayName: assignment.agent.displayName }),
		kind: assignment.agent.kind,
		session: environment.session,
		model: state.model,
		steps: state.steps,
		toolUses: state.toolUses,
		usage: state.usage,
		contextTokens: state.contextTokens,
		costUsd: state.costUsd,
		startedAt: state.startedAt,
		durationMs: environment.clock.now() - state.startedAt,
		journal: environment.journal.path,
		files: assignment.files.map((file) => file.path),
		filesRead: [...state.filesRead].sort(),
		reason: assignment.reason,
		refused: state.refused,
	};
}

function outageOf(end: LoopEnd): Pick<SubagentReport, "outage"> {
	return end.kind === "failed" && end.outage === true ? { outage: true } : {};
}

function judge(
	state: ChildState,
	end: LoopEnd,
): { readonly status: ChildStatus; readonly stopReason: ChildStopReason; readonly error?: string } {
	switch (end.kind) {
		case "done":
			return { status: "completed", stopReason: "done" };
		case "limit":
			return { status: "partial", stopReason: end.limit };
		case "failed":
			return { status: end.incomplete ? "partial" : "failed", stopReason: "error", error: end.error };
		case "cancelled": {
			const { agentId, session, signal } = state.environment;
			return { status: "cancelled", stopReason: "cancelled", error: `${agentId} (${session}) was cancelled: ${errorText(signal.reason)}` };
		}
	}
}

/** The last useful text, under a line that says what cut it short (S-080, S-087). Never empty. */
function renderText(state: ChildState, end: LoopEnd, closing: WrapUp | undefined, error: string | undefined): string {
	if (end.kind === "done") return end.text;
	const said = closing?.ran === true ? closing.text : state.lastText;
	const why = end.kind === "limit" ? `Partial result (${end.limit}): ${end.detail}.` : `${error ?? "failed"}.`;
	if (said !== "") return `${why}\n\n${said}`;
	if (end.kind !== "limit") return why;
	return `${why}\n\nThere was no room for an answer. A narrower task or a larger budget would help.`;
}

/** S-067: a list that was kept is shown with the answer. */
function withChecklist(text: string, state: ChildState): string {
	return state.taskList.length === 0 ? text : `${text}\n\nTask list:\n${renderTaskList(state.taskList)}`;
}

function buildChildReport(state: ChildState, end: LoopEnd, closing: WrapUp | undefined, text: string): ChildReport {
	const { answerChars } = state.assignment.limits;
	if (end.kind === "done") {
		if (state.report !== undefined) return { ...state.report, summary: limitAnswer(state.report.summary, answerChars) };
		const parsed = parseText(state, end.text);
		if (parsed !== undefined) return parsed;
		if (state.earlierReport !== undefined) return state.earlierReport;
		const expected = state.tools.some((tool) => tool.spec.name === "submit_report");
		return {
			summary: text,
			findings: [],
			open: expected ? ["The answer came as text and not as a report: its findings are in the summary."] : [],
		};
	}
	const open = [text.split("\n", 1)[0] ?? text, ...unreviewed(state)];
	const parsed = parseText(state, closing?.ran === true ? closing.text : state.lastText);
	if (parsed !== undefined && end.kind !== "cancelled") return { ...parsed, open: [...parsed.open, ...open] };
	return { summary: text, findings: [], open };
}

/** A parser that throws is a parser that found nothing. */
function parseText(state: ChildState, text: string): ChildReport | undefined {
	try {
		return text === "" ? undefined : state.environment.parseReportText?.(text);
	} catch {
		return undefined;
	}
}

/** R15: which files of the assignment nobody looked at. */
function unreviewed(state: ChildState): readonly string[] {
	const missing = state.assignment.files.map((file) => file.path).filter((path) => !state.filesRead.has(path));
	return missing.length === 0 ? [] : [`Not reviewed: ${missing.join(", ")}`];
}

/** S-086: cut to the limit, the mark included, so that what is handed on is never longer. */
function limitAnswer(text: string, limit: number): string {
	if (text.length <= limit) return text;
	const mark = `\n[cut: the answer had ${text.length} characters]`;
	return `${cutText(text, Math.max(0, limit - mark.length))}${mark}`;
}
