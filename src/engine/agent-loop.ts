import { appendUser, contextWindow, measuredPrompt, outputLimit, textBlock } from "./child-state.ts";
import type { ChildState } from "./child-state.ts";
import { isNearlyFull, makeRoom } from "./compaction.ts";
import { estimateMessages, estimateRequest } from "./estimate-tokens.ts";
import type { LoopEnd } from "./loop-end.ts";
import { reactToReply } from "./react-to-reply.ts";
import { buildRequest } from "./request-layout.ts";
import { spend } from "./spend.ts";

/** Steps must hold at least this part of the context window before room is made of them. */
const WORTHWHILE_SHARE = 0.2;

/**
 * The core of every agent, primary and child alike (S-011, S-076). A step is one model call and the tool calls it
 * asked for; the loop goes on until an answer asks for none, or a limit is met. It writes no end record and it does
 * not wrap up: that is its caller's part.
 */
export async function runAgentLoop(state: ChildState): Promise<LoopEnd> {
	for (;;) {
		await deliverMessages(state);
		await makeRoomInTime(state);
		state.environment.events?.({ kind: "step", session: state.environment.session, step: state.steps + 1 });
		const spent = await spend(state, "step", buildStepRequest(state));
		if (spent.kind === "limit") return endAtLimit(state, spent);
		const next = await reactToReply(state, spent.reply);
		if (next !== "continue") return next;
	}
}

/** Messages and news of children go in before the next request (S-143). */
async function deliverMessages(state: ChildState): Promise<void> {
	for (const message of state.environment.inbox?.take() ?? []) await appendUser(state, [textBlock(message.text)], message.notification);
}

async function makeRoomInTime(state: ChildState): Promise<void> {
	// Where the brief alone fills the window nothing can be won, and trying would cost a call at every step.
	if (estimateMessages(state.messages.slice(1)) < contextWindow(state) * WORTHWHILE_SHARE) return;
	const next = Math.max(measuredPrompt(state), estimateRequest(buildStepRequest(state)));
	if (isNearlyFull(state, next)) await makeRoom(state);
}

function buildStepRequest(state: ChildState) {
	return buildRequest({
		model: state.environment.modelId,
		effort: state.environment.effort,
		maxTokens: outputLimit(state, "step"),
		prefix: state.environment.brief,
		tools: state.tools,
		messages: state.messages,
	});
}

/** An answer in text that was only asked for in another form counts, also when there is no room to ask. */
function endAtLimit(state: ChildState, stop: Extract<LoopEnd, { kind: "limit" }>): LoopEnd {
	if (state.finalText === undefined) return stop;
	state.report ??= state.earlierReport;
	return { kind: "done", text: state.finalText };
}
