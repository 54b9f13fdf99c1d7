import { cutText } from "../domain/cut-text.ts";
import type { ReasonCode } from "../domain/errors.ts";
import { errorText } from "../domain/errors.ts";
import type { ToolResultBlock, ToolUseBlock } from "../domain/model-message.ts";
import type { Clock, Journal, Tool, ToolOutput } from "../seams.ts";
import { isTaskListUpdate } from "../tools/task-list.ts";
import type { Gate, RecordRefusal } from "./child-environment.ts";

/** How long a tool may take to clean up after its time is over; then its call is given up. */
const STOP_GRACE_MS = 2_000;
const DEFAULT_RESULT_CHARS = 40_000;

export interface ToolCallContext {
	readonly tools: readonly Tool[];
	readonly gate: Gate | undefined;
	readonly recordRefusal?: RecordRefusal | undefined;
	readonly journal: Journal;
	readonly clock: Clock;
	readonly signal: AbortSignal;
	readonly resultChars: number | undefined;
	redact(text: string): string;
}

/** A finished call: what the model is told and what the engine keeps. */
export interface ToolCallOutcome {
	readonly block: ToolResultBlock;
	readonly output: ToolOutput;
}

/**
 * One tool call, from the model's wish to the model's result: known tool, input, gate, run within its time, redaction,
 * size, journal. Nothing on the way throws to the loop: what fails is an error result that the child can act on
 * (S-019, S-095). Rejects only when the journal cannot be written.
 */
export async function executeToolCall(call: ToolUseBlock, context: ToolCallContext): Promise<ToolCallOutcome> {
	const startedAt = context.clock.now();
	await context.journal.append({ type: "tool.call", call: call.id, tool: call.name, input: call.input });
	const output = await prepareAndRun(call, context);
	return finishToolCall(call, output, context, startedAt);
}

/** A result for a call that is not run at all; `why` goes to the model. */
export async function refuseToolCall(
	call: ToolUseBlock,
	why: string,
	context: ToolCallContext,
	code?: ReasonCode,
): Promise<ToolCallOutcome> {
	await context.journal.append({ type: "tool.call", call: call.id, tool: call.name, input: call.input });
	await record(call, { by: "engine", reason: why, ...(code === undefined ? {} : { code }) }, context);
	const output: ToolOutput = { content: why, isError: true, ...(code === undefined ? {} : { code }) };
	return finishToolCall(call, output, context, context.clock.now());
}

async function prepareAndRun(call: ToolUseBlock, context: ToolCallContext): Promise<ToolOutput> {
	const tool = context.tools.find((candidate) => candidate.spec.name === call.name);
	if (tool === undefined) {
		const available = context.tools.map((candidate) => candidate.spec.name).join(", ");
		const reason = `The tool ${call.name} is not available here. Available: ${available || "none"}.`;
		const denial = { code: "E_POLICY", by: "grant", reason } as const;
		await record(call, denial, context);
		return deny(call, denial, context);
	}
	// The provider's own reader mends cut input; running the mended form would run something nobody asked for (R09).
	if (call.invalidInput !== undefined)
		return refuseInput(call, `The call was not run: its input is not valid JSON (${call.invalidInput}). Send it again, complete.`, context);
	const parsed = tool.parse(call.input);
	if (!parsed.ok) return refuseInput(call, `The call was not run: ${parsed.error}`, context);
	const decision = await decide(call, tool, parsed.value, context.gate);
	if (!decision.allow) return deny(call, decision, context);
	if (context.signal.aborted) return failure("The call was not run: the run is ending.");
	return runWithin(tool, parsed.value, call.id, context);
}

async function refuseInput(call: ToolUseBlock, why: string, context: ToolCallContext): Promise<ToolOutput> {
	await record(call, { by: "schema", reason: why }, context);
	return failure(why);
}

/** Each call in the journal has a decision in the audit, also one that no gate was asked about (S-120). */
async function record(call: ToolUseBlock, denial: Parameters<RecordRefusal>[1], context: ToolCallContext): Promise<void> {
	await context.recordRefusal?.({ id: call.id, tool: call.name, input: call.input }, denial);
}

async function decide(call: ToolUseBlock, tool: Tool, input: unknown, gate: Gate | undefined): ReturnType<Gate> {
	if (gate === undefined) return { allow: true };
	try {
		return await gate({ id: call.id, tool: tool.spec.name, effect: tool.effect, input });
	} catch (error) {
		return { allow: false, code: "E_POLICY", by: "gate", reason: `The check of this call failed: ${errorText(error)}` };
	}
}

async function deny(
	call: ToolUseBlock,
	denial: { readonly code: ReasonCode; readonly by: string; readonly reason: string },
	context: ToolCallContext,
): Promise<ToolOutput> {
	await context.journal.append({
		type: "permission.denied",
		call: call.id,
		tool: call.name,
		code: denial.code,
		by: denial.by,
		reason: denial.reason,
	});
	return { content: denial.reason, isError: true, code: denial.code };
}

/** Runs with the tool's own time limit and the child's signal. A tool that ignores both is left behind after a grace. */
async function runWithin(tool: Tool, input: unknown, id: string, context: ToolCallContext): Promise<ToolOutput> {
	const finished = new AbortController();
	const timer = new AbortController();
	const signal = AbortSignal.any([context.signal, timer.signal]);
	const overdue = context.clock.sleep(tool.timeoutMs, AbortSignal.any([context.signal, finished.signal])).then(async () => {
		if (!finished.signal.aborted && !context.signal.aborted) timer.abort(new Error("timed out"));
		await context.clock.sleep(STOP_GRACE_MS, finished.signal);
		return failure("(no output)");
	});
	const output = await Promise.race([runSafely(tool, input, signal, id), overdue]);
	finished.abort();
	const seconds = Math.round(tool.timeoutMs / 100) / 10;
	if (timer.signal.aborted)
		return { ...output, isError: true, content: `${tool.spec.name} was stopped: timed out after ${seconds} s.\n${output.content}` };
	if (context.signal.aborted)
		return { ...output, isError: true, content: `${tool.spec.name} was stopped: the run is ending.\n${output.content}` };
	return output;
}

async function runSafely(tool: Tool, input: unknown, signal: AbortSignal, id: string): Promise<ToolOutput> {
	try {
		return await tool.run(input, signal, { id });
	} catch (error) {
		return failure(`${tool.spec.name} failed: ${errorText(error)}`);
	}
}

async function finishToolCall(
	call: ToolUseBlock,
	output: ToolOutput,
	context: ToolCallContext,
	startedAt: number,
): Promise<ToolCallOutcome> {
	const content = limitResult(context.redact(output.content), context.resultChars ?? DEFAULT_RESULT_CHARS);
	await context.journal.append({
		type: "tool.result",
		call: call.id,
		tool: call.name,
		isError: output.isError === true,
		...(output.code === undefined ? {} : { code: output.code }),
		chars: content.length,
		durationMs: context.clock.now() - startedAt,
	});
	if (isTaskListUpdate(output.data)) await context.journal.append({ type: "todo.updated", items: output.data.items });
	const block: ToolResultBlock = {
		type: "tool-result",
		toolUseId: call.id,
		content,
		...(output.isError === true ? { isError: true } : {}),
	};
	return { block, output };
}

/** Never empty, because the provider refuses an empty result (BR-69); never longer than the cap, and it says so. */
function limitResult(content: string, limit: number): string {
	if (content.trim() === "") return "(no output)";
	if (content.length <= limit) return content;
	return `${cutText(content, limit)}\n[cut: ${limit} of ${content.length} characters shown; ask for a smaller part]`;
}

function failure(content: string): ToolOutput {
	return { content, isError: true };
}
