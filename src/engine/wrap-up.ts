import type { ModelRequest } from "../domain/model-message.ts";
import type { ChildState } from "./child-state.ts";
import { outputLimit, textOf } from "./child-state.ts";
import { withNote } from "./compaction.ts";
import { buildRequest } from "./request-layout.ts";
import { spend } from "./spend.ts";
import type { Limit } from "./stop-conditions.ts";

export type WrapUp = { readonly ran: true; readonly text: string } | { readonly ran: false; readonly why: string };

/**
 * The one extra call at a limit: an answer from what is known, and no more tools (S-082). The request is the
 * conversation as it stands with a note at its end, so that nearly all of it is read from the cache; it is built
 * first and then goes through the same checks and reservations as every other call (S-084). It also runs when the
 * child has not made a step yet (S-085).
 */
export async function wrapUp(state: ChildState, limit: Limit, detail: string): Promise<WrapUp> {
	if (limit === "context_overflow") return { ran: false, why: detail };
	if (state.hardSignal.aborted) return { ran: false, why: "no time is left" };
	const note = wrapUpNote(
		detail,
		state.tools.some((tool) => tool.spec.name === "submit_report"),
	);
	const spent = await spend(state, "wrap-up", buildWrapUpRequest(state, note));
	if (spent.kind === "limit") return { ran: false, why: spent.detail };
	const { reply } = spent;
	await state.environment.journal.append({ type: "run.data", name: "wrap-up", data: { note, stop: reply.stop, answer: reply.content } });
	// Calls in the reply are not looked at. What was cut off is still worth more than nothing.
	const text = reply.stop === "end-turn" || reply.stop === "tool-use" || reply.stop === "max-tokens" ? textOf(reply.content) : "";
	return text === "" ? { ran: false, why: "the closing call gave no answer" } : { ran: true, text };
}

function buildWrapUpRequest(state: ChildState, note: string): ModelRequest {
	return buildRequest({
		model: state.environment.modelId,
		effort: state.environment.effort,
		maxTokens: outputLimit(state, "wrap-up"),
		prefix: state.environment.brief,
		tools: state.tools,
		messages: withNote(state.messages, note),
	});
}

function wrapUpNote(detail: string, reports: boolean): string {
	const form = reports
		? "Answer with one JSON object in the shape that submit_report takes: summary, findings, open."
		: "Answer in plain text, with path:line for each statement.";
	return `This is your last answer: ${detail}. No tool is run any more. Say what you have found and what is still open. ${form}`;
}
