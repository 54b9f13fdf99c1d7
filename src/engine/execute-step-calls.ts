import pLimit from "p-limit";
import type { ToolUseBlock } from "../domain/model-message.ts";
import type { Tool, ToolEffect } from "../seams.ts";
import type { ToolCallContext, ToolCallOutcome } from "./execute-tool-call.ts";
import { executeToolCall, refuseToolCall } from "./execute-tool-call.ts";

/** Effects that cannot disturb each other. Children take their own locks in the scheduler (S-046). */
const SIDE_BY_SIDE: ReadonlySet<ToolEffect> = new Set<ToolEffect>(["none", "read", "delegate"]);
const AT_ONCE = 8;

/**
 * The calls of one step: at the same time when none of them can disturb another, else one after the other. Results
 * keep the order of the calls (S-145). Each call is checked on its own, and `roomFor` is asked before each one starts:
 * what it refuses is answered with that reason and not run (A100).
 */
export async function executeStepCalls(
	calls: readonly ToolUseBlock[],
	context: ToolCallContext,
	roomFor: (finished: readonly ToolCallOutcome[], call: ToolUseBlock) => string | undefined,
): Promise<readonly ToolCallOutcome[]> {
	const finished: ToolCallOutcome[] = [];
	const limit = pLimit(canRunTogether(calls, context.tools) ? AT_ONCE : 1);
	return Promise.all(
		calls.map((call) =>
			limit(async () => {
				const refusal = roomFor(finished, call);
				const outcome = await (refusal === undefined ? executeToolCall(call, context) : refuseToolCall(call, refusal, context, "E_LIMIT"));
				finished.push(outcome);
				return outcome;
			}),
		),
	);
}

function canRunTogether(calls: readonly ToolUseBlock[], tools: readonly Tool[]): boolean {
	return calls.every((call) => {
		const effect = tools.find((tool) => tool.spec.name === call.name)?.effect;
		return effect === undefined || SIDE_BY_SIDE.has(effect);
	});
}
