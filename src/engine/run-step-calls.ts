import { cutText } from "../domain/cut-text.ts";
import type { ChildReport } from "../domain/finding.ts";
import type { ContentBlock, ToolUseBlock } from "../domain/model-message.ts";
import { totalTokens } from "../domain/usage.ts";
import { isTaskListUpdate } from "../tools/task-list.ts";
import type { ChildState } from "./child-state.ts";
import { appendUser, measuredPrompt, outputLimit, textBlock } from "./child-state.ts";
import { estimateTextTokens } from "./estimate-tokens.ts";
import { executeStepCalls } from "./execute-step-calls.ts";
import type { ToolCallContext, ToolCallOutcome } from "./execute-tool-call.ts";
import { refuseToolCall } from "./execute-tool-call.ts";
import { callSignature } from "./stop-conditions.ts";

/** Longest argument shown in a progress line. */
const SHOWN_ARGUMENT_CHARS = 80;
const SHOWN_REFUSAL_CHARS = 300;

/** Runs the calls of one step and adds their results as one user message, results first (BR-70). */
export async function runStepCalls(state: ChildState, calls: readonly ToolUseBlock[]): Promise<void> {
	for (const call of calls) {
		state.signatures.push(callSignature(call.name, call.input));
		state.toolUses += 1;
		showProgress(state, call);
	}
	const outcomes = await executeStepCalls(calls, toolContext(state), (finished, call) => roomFor(state, finished, call));
	for (const [index, outcome] of outcomes.entries()) keepOutcome(state, calls[index]?.name ?? "", outcome);
	const content: ContentBlock[] = outcomes.map((outcome) => outcome.block);
	if (state.report === undefined && isLastStep(state)) content.push(textBlock(lastStepNote(state)));
	await appendUser(state, content);
}

/** Results for calls that are not run: each call needs one, or the provider refuses the history (BR-70). */
export async function answerUnrun(state: ChildState, calls: readonly ToolUseBlock[], why: string): Promise<void> {
	const context = toolContext(state);
	const content: ContentBlock[] = [];
	for (const call of calls) content.push((await refuseToolCall(call, why, context)).block);
	await appendUser(state, content);
}

function toolContext(state: ChildState): ToolCallContext {
	const { environment } = state;
	return {
		tools: state.tools,
		gate: environment.gate,
		recordRefusal: environment.recordRefusal,
		journal: environment.journal,
		clock: environment.clock,
		signal: state.toolSignal,
		resultChars: environment.toolResultChars,
		redact: (text) => environment.redact(text),
	};
}

/**
 * A100: a result that no further call could send to the model is not worth making, so the calls that are left are
 * answered and not run as soon as the results so far, with a closing answer, would use the budget up. The report is
 * never one of them: it ends the work, and nothing has to be sent after it.
 */
function roomFor(state: ChildState, finished: readonly ToolCallOutcome[], call: ToolUseBlock): string | undefined {
	if (call.name === "submit_report") return undefined;
	if (state.toolSignal.aborted) return "The call was not run: the time is over.";
	const results = finished.reduce((sum, outcome) => sum + estimateTextTokens(outcome.block.content), 0);
	const closing = measuredPrompt(state) + results + outputLimit(state, "wrap-up");
	if (totalTokens(state.usage) + closing <= state.assignment.limits.tokenBudget) return undefined;
	return "The call was not run: the token budget is used up.";
}

function keepOutcome(state: ChildState, tool: string, outcome: ToolCallOutcome): void {
	const { output } = outcome;
	for (const path of output.filesRead ?? []) state.filesRead.add(path);
	if (isTaskListUpdate(output.data)) state.taskList = output.data.items;
	if (output.code !== undefined)
		state.refused.push({ code: output.code, text: cutText(`${tool}: ${outcome.block.content}`, SHOWN_REFUSAL_CHARS) });
	if (tool === "submit_report" && output.isError !== true && isChildReport(output.data)) state.report = output.data;
}

/** The tool has checked the report against its schema; this only tells it from a result without one. */
function isChildReport(data: unknown): data is ChildReport {
	return typeof data === "object" && data !== null && "summary" in data && "findings" in data && Array.isArray(data.findings);
}

function isLastStep(state: ChildState): boolean {
	return state.steps === state.assignment.limits.maxSteps - 1;
}

function lastStepNote(state: ChildState): string {
	const reports = state.tools.some((tool) => tool.spec.name === "submit_report");
	return `Your next step is the last one. ${reports ? "Call submit_report now" : "Give your answer now"} and name what is still open.`;
}

function showProgress(state: ChildState, call: ToolUseBlock): void {
	const { environment } = state;
	environment.events?.({
		kind: "tool",
		session: environment.session,
		step: state.steps,
		tool: call.name,
		argument: environment.redact(shownArgument(call.input)),
	});
}

/** The first text of the input: a path, a pattern, a command. One line. */
function shownArgument(input: unknown): string {
	if (typeof input !== "object" || input === null) return "";
	const first = Object.values(input).find((value): value is string => typeof value === "string") ?? "";
	const line = first.replace(/\s+/g, " ").trim();
	return line.length > SHOWN_ARGUMENT_CHARS ? `${cutText(line, SHOWN_ARGUMENT_CHARS)}…` : line;
}
