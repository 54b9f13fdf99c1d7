import { errorText } from "../domain/errors.ts";
import type { ModelReply, ToolUseBlock } from "../domain/model-message.ts";
import type { ChildState } from "./child-state.ts";
import { appendAssistant, appendUser, textBlock } from "./child-state.ts";
import { makeRoom } from "./compaction.ts";
import type { LoopEnd } from "./loop-end.ts";
import { answerUnrun, runStepCalls } from "./run-step-calls.ts";

/** Tries for a call whose input does not parse, continuations of a paused turn, replies that were cut off. */
const INVALID_INPUT_TRIES = 2;
const PAUSES = 5;
const CONTINUATIONS = 1;

/** The error of a child whose history the provider will not take again (R12). */
export const REFUSED = "not reviewed: the model refused the request";

/** Failures that say nothing about the request: another model or another time may do. */
const OUTAGES: ReadonlySet<string> = new Set(["overloaded", "rate-limited", "server", "connection", "stalled"]);

type Next = LoopEnd | "continue";

/**
 * What a reply means. Its stop reason is read first: only `tool-use` runs calls, and everything that is not known to
 * be an answer is never taken for one (SECURITY.md 5.1, R09 to R15, BR-73, BR-76).
 */
export async function reactToReply(state: ChildState, reply: ModelReply): Promise<Next> {
	switch (reply.stop) {
		case "tool-use":
			return takeToolCalls(state, reply);
		case "end-turn":
			return takeAnswer(state, reply);
		case "max-tokens":
			return takeCutReply(state, reply);
		case "pause-turn":
			return takePause(state, reply);
		case "refusal":
			// Going on with this history would be refused again; it is not used for anything any more (R12).
			return { kind: "failed", error: REFUSED, incomplete: false };
		case "context-window":
			return takeOverflow(state, "the reply ran into the end of the model's context");
		case "aborted":
			return endAborted(state);
		case "error":
			return takeFailure(state, reply);
		case "unknown":
			return { kind: "failed", error: "not reviewed: the model stopped for a reason that is not known", incomplete: false };
	}
}

function callsOf(reply: ModelReply): readonly ToolUseBlock[] {
	return reply.content.filter((block): block is ToolUseBlock => block.type === "tool-use");
}

/** Not trimmed, because parts of one answer are joined where they were cut. */
function rawText(reply: ModelReply): string {
	return reply.content.map((block) => (block.type === "text" ? block.text : "")).join("");
}

async function takeToolCalls(state: ChildState, reply: ModelReply): Promise<Next> {
	const calls = callsOf(reply);
	if (calls.length === 0) return takeAnswer(state, reply);
	await appendAssistant(state, reply.content);
	state.openText = "";
	state.moreRoom = false;
	await runStepCalls(state, calls);
	if (state.report !== undefined) return offerAnswer(state, state.report.summary);
	state.patience.invalidInput = calls.some((call) => call.invalidInput !== undefined) ? state.patience.invalidInput + 1 : 0;
	if (state.patience.invalidInput >= INVALID_INPUT_TRIES) {
		return {
			kind: "failed",
			error: `incomplete: the input of a tool call was not valid JSON ${INVALID_INPUT_TRIES} times`,
			incomplete: true,
		};
	}
	return "continue";
}

async function takeAnswer(state: ChildState, reply: ModelReply): Promise<Next> {
	const calls = callsOf(reply);
	await appendAssistant(state, reply.content);
	if (calls.length > 0) return takeCallsWithoutStop(state, calls);
	const text = joinContinued(state, rawText(reply));
	if (text === "") return askAfterSilence(state);
	state.lastText = text;
	if (await waitForChildren(state)) return "continue";
	if (mayAskForReport(state)) {
		state.patience.askedForReport = true;
		state.finalText = text;
		await appendUser(state, [textBlock("Hand this in now with one call of submit_report: summary, findings, open.")]);
		return "continue";
	}
	return offerAnswer(state, betterAnswer(state.finalText, text));
}

/** S-176: the answer counts unless a hook sends it back with a reason; then it is kept for the case that no other comes. */
async function offerAnswer(state: ChildState, text: string): Promise<Next> {
	const more = await askBeforeEnd(state, text);
	if (more === undefined) return { kind: "done", text };
	state.patience.sentBack += 1;
	state.patience.askedForReport = false;
	state.earlierReport = state.report ?? state.earlierReport;
	state.report = undefined;
	state.finalText = text;
	await appendUser(state, [textBlock(more)]);
	return "continue";
}

async function askBeforeEnd(state: ChildState, text: string): Promise<string | undefined> {
	const { environment } = state;
	try {
		return await environment.beforeEnd?.({ text, asked: state.patience.sentBack });
	} catch (error) {
		await environment.journal.append({ type: "note", text: `the check of the answer failed: ${errorText(error)}` });
		return undefined;
	}
}

function mayAskForReport(state: ChildState): boolean {
	return !state.patience.askedForReport && state.tools.some((tool) => tool.spec.name === "submit_report");
}

/** Asked to hand it in, a model may answer with little more than a word of thanks: the fuller text is the answer. */
function betterAnswer(first: string | undefined, second: string): string {
	return first !== undefined && first.length > second.length ? first : second;
}

/** R11: the parts of an answer that was cut off once belong together. */
function joinContinued(state: ChildState, text: string): string {
	const joined = (state.openText + text).trim();
	state.openText = "";
	state.moreRoom = false;
	return joined;
}

async function askAfterSilence(state: ChildState): Promise<Next> {
	state.patience.emptyReply += 1;
	if (state.patience.emptyReply > 1) return { kind: "failed", error: "incomplete: the model gave an empty answer twice", incomplete: true };
	await appendUser(state, [textBlock("Your answer was empty. Give your result now.")]);
	return "continue";
}

async function takeCallsWithoutStop(state: ChildState, calls: readonly ToolUseBlock[]): Promise<Next> {
	await answerUnrun(state, calls, "The call was not run: the turn ended without asking for tools. Send it again if you need it.");
	state.patience.callsWithoutStop += 1;
	if (state.patience.callsWithoutStop > 1)
		return { kind: "failed", error: "incomplete: tool calls came with the end of the turn twice", incomplete: true };
	return "continue";
}

/** R10, R11, BR-73: nothing that was cut off is run; it is asked for once more, then the work is incomplete. */
async function takeCutReply(state: ChildState, reply: ModelReply): Promise<Next> {
	const calls = callsOf(reply);
	await appendAssistant(state, reply.content);
	state.moreRoom = true;
	if (calls.length > 0) {
		state.patience.cutCall += 1;
		const note = "The call was not run: the reply was cut off at its length limit. Send it again, smaller or in parts.";
		await answerUnrun(state, calls, note);
		if (state.patience.cutCall > CONTINUATIONS)
			return { kind: "failed", error: "incomplete: a tool call was cut off at the length limit twice", incomplete: true };
		return "continue";
	}
	state.patience.cutText += 1;
	state.openText += rawText(reply);
	if (state.openText.trim() !== "") state.lastText = state.openText.trim();
	if (state.patience.cutText > CONTINUATIONS)
		return { kind: "failed", error: "incomplete: the answer was cut off at the length limit twice", incomplete: true };
	await appendUser(state, [
		textBlock("Your answer was cut off at its length limit. Go on exactly where it stopped, without repeating anything."),
	]);
	return "continue";
}

/** R13: the content goes back as it came, and the model goes on. */
async function takePause(state: ChildState, reply: ModelReply): Promise<Next> {
	await appendAssistant(state, reply.content);
	state.patience.paused += 1;
	if (state.patience.paused > PAUSES)
		return { kind: "failed", error: `incomplete: the model paused more than ${PAUSES} times`, incomplete: true };
	return "continue";
}

/** R15: room is made once; a second time the child ends with what it has. */
async function takeOverflow(state: ChildState, detail: string): Promise<Next> {
	state.patience.madeRoom += 1;
	if (state.patience.madeRoom > 1 || !(await makeRoom(state))) return { kind: "limit", limit: "context_overflow", detail };
	return "continue";
}

async function takeFailure(state: ChildState, reply: ModelReply): Promise<Next> {
	const failure = reply.failure;
	if (failure === undefined) return { kind: "failed", error: "the model call failed", incomplete: false };
	if (failure.kind === "too-long") return takeOverflow(state, "the conversation no longer fits the model's context");
	if (failure.kind === "deadline") return { kind: "limit", limit: "timeout", detail: `the deadline came first: ${failure.message}` };
	if (failure.fatal) state.environment.onFatal?.(failure);
	return {
		kind: "failed",
		error: `${failure.kind}: ${failure.message}`,
		incomplete: false,
		...(OUTAGES.has(failure.kind) ? { outage: true as const } : {}),
	};
}

function endAborted(state: ChildState): LoopEnd {
	if (state.timedOut)
		return {
			kind: "limit",
			limit: "timeout",
			detail: `the time limit of ${Math.round(state.assignment.limits.timeoutMs / 1000)} s is reached`,
		};
	if (state.environment.signal.aborted) return { kind: "cancelled" };
	return { kind: "failed", error: "the model call was broken off", incomplete: false };
}

/** S-144: an answer is not the last word while children of this agent still run or news of them waits. */
async function waitForChildren(state: ChildState): Promise<boolean> {
	const inbox = state.environment.inbox;
	if (inbox === undefined || !inbox.isExpecting()) return false;
	await inbox.next(state.hardSignal);
	return true;
}
