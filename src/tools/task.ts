import * as z from "zod";
import { errorText } from "../domain/errors.ts";
import type { DelegateRequest, DelegateResult, DelegateRunner, Tool, ToolOutput } from "../seams.ts";
import { defineTool } from "./define-tool.ts";

const schema = z.strictObject({
	objective: z.string().trim().min(10).max(50_000).describe("one bounded, self-contained objective"),
	agent: z.string().min(1).max(100).optional(),
	context: z.string().max(50_000).optional().describe("what it must know and cannot find out"),
});

/**
 * The structured side of a result, kept in the journal and the run report (S-053). `delegated`: a runner has handled it.
 * `ok`: the objective is met. `agent`: the profile that ran.
 */
export interface TaskDetails {
	readonly delegated: boolean;
	readonly ok: boolean;
	readonly agent?: string;
	/** Why nothing was delegated, or what went wrong. */
	readonly reason?: string;
	readonly result?: DelegateResult;
}

export interface TaskToolOptions {
	/** Absent: the tool is there all the same and says that delegation is not available (S-049, S-050). */
	readonly runner?: DelegateRunner | undefined;
	/** Why there is no runner: dry run, no model key, policy. */
	readonly unavailable?: string;
	readonly timeoutMs?: number;
}

const TIMEOUT_MS = 3_600_000;
const NO_RUNNER = "no delegate runner is set up";
const DESCRIPTION =
	"Hand one well-scoped objective to an agent that starts fresh. Use it when your context is already large, or when the task is narrow and its intermediate steps are of no use to you.";

/** The tool that hands work to whatever runner there is. Always built; never throws; an abort ends it at once (S-055). */
export async function createTaskTool(options: TaskToolOptions = {}): Promise<Tool> {
	const { runner } = options;
	const names = runner?.listAgents === undefined ? [] : await runner.listAgents();
	const agents = names.length === 0 ? "" : ` Agents: ${names.join(", ")}.`;
	return defineTool({
		name: "task",
		description: `${DESCRIPTION}${agents}`,
		schema,
		effect: "delegate",
		timeoutMs: options.timeoutMs ?? TIMEOUT_MS,
		run: (input, signal) => {
			if (runner === undefined) return Promise.resolve(notAvailable(options.unavailable ?? NO_RUNNER));
			return runDelegate(runner, toRequest(input), signal);
		},
	});
}

function toRequest({ objective, agent, context }: z.output<typeof schema>): DelegateRequest {
	return { objective, ...(agent === undefined ? {} : { agent }), ...(context === undefined ? {} : { context }) };
}

function notAvailable(reason: string): ToolOutput {
	const details: TaskDetails = { delegated: false, ok: false, reason };
	return { content: `Delegation is not available: ${reason}. Do the work yourself.`, data: details };
}

/** A runner that does not listen to the signal is left behind: the tool answers as soon as the signal says so. */
async function runDelegate(runner: DelegateRunner, request: DelegateRequest, signal: AbortSignal): Promise<ToolOutput> {
	const stopped = new Promise<"cancelled">((resolve) => {
		signal.addEventListener("abort", () => resolve("cancelled"), { once: true });
	});
	try {
		const result = await Promise.race([runner.run(request, signal), stopped]);
		if (result === "cancelled") return cancelled(request);
		const agent = result.agent ?? request.agent;
		const details: TaskDetails = { delegated: true, ok: result.ok, ...(agent === undefined ? {} : { agent }), result };
		return { content: result.report, ...(result.ok ? {} : { isError: true }), data: details };
	} catch (error) {
		if (signal.aborted) return cancelled(request);
		return failed(request, errorText(error), `The agent failed: ${errorText(error)}`);
	}
}

function cancelled(request: DelegateRequest): ToolOutput {
	return failed(request, "cancelled", "cancelled: the run was stopped before the agent had an answer");
}

function failed(request: DelegateRequest, reason: string, content: string): ToolOutput {
	const agent = request.agent === undefined ? {} : { agent: request.agent };
	const details: TaskDetails = { delegated: true, ok: false, ...agent, reason };
	return { content, isError: true, data: details };
}
