import * as z from "zod";
import type { Tool, ToolOutput } from "../seams.ts";
import { defineTool } from "../tools/define-tool.ts";
import { renderAgentResult, renderLaunch } from "./render-agent-result.ts";
import type { Restored } from "./restore-child.ts";
import type { Scheduler } from "./scheduler.ts";
import type { Caller, ChildRequest, SchedulerOptions } from "./scheduler-options.ts";
import { sendMessage } from "./send-message.ts";

/** What a model asks for with the `agent` tool (S-136). */
const agentCall = z.strictObject({
	agent: z.string().min(1).max(100),
	description: z.string().min(1).max(80).describe("short label"),
	prompt: z.string().min(10).max(50_000).describe("bounded, self-contained task"),
	files: z.array(z.string().max(4_096)).max(200).optional(),
	model: z.string().max(100).optional(),
	name: z
		.string()
		.regex(/^[a-z0-9-]{1,40}$/)
		.optional()
		.describe("address for messages"),
	run_in_background: z.boolean().optional(),
	isolation: z.string().max(40).optional(),
});

export type AgentCall = z.output<typeof agentCall>;

/** A call turned into a child, or the first reason against it: unknown agent, isolation, skills, model, in this order (S-137). */
export type ResolvedCall = { readonly ok: true; readonly request: ChildRequest } | { readonly ok: false; readonly reason: string };

export interface AgentToolOptions {
	readonly scheduler: Scheduler;
	readonly options: Pick<SchedulerOptions, "registry" | "readEntries">;
	/** The agent that will hold these tools. */
	readonly self: Caller;
	/** Depth at which nobody may start others any more; 1 unless settings and policy allow more (S-148). */
	readonly maxDepth: number;
	/** One line an agent, fixed for the session (S-048). */
	readonly catalogue: string;
	/** Time limit of a call: longer than any child's own, which ends first. */
	readonly timeoutMs: number;
	resolve(call: AgentCall): Promise<ResolvedCall>;
	readonly isShell?: (id: string) => boolean;
	readonly restore?: (idOrName: string) => Promise<Restored | undefined>;
}

/**
 * The tools with which an agent starts and addresses others. At the depth limit there are none (S-148); the two come
 * and go together (S-071). Nothing here decides what a child may do: that is `resolve`, the scheduler and the gate.
 */
export function createAgentTools(options: AgentToolOptions): readonly Tool[] {
	if (options.self.depth >= options.maxDepth) return [];
	return [createAgentTool(options), createSendMessageTool(options)];
}

function createAgentTool(options: AgentToolOptions): Tool {
	const tool = defineTool({
		name: "agent",
		description: `Start an agent on a task of its own; it sees nothing of this conversation.\n${options.catalogue}`,
		schema: agentCall,
		effect: "delegate",
		timeoutMs: options.timeoutMs,
		run: async (input, signal) => startAgent(options, input, signal, undefined),
	});
	// The id of the very call goes to the child, also when several calls run at once (S-146).
	return { ...tool, run: (input, signal, call) => startAgent(options, input as AgentCall, signal, call?.id) };
}

async function startAgent(
	options: AgentToolOptions,
	call: AgentCall,
	signal: AbortSignal,
	callId: string | undefined,
): Promise<ToolOutput> {
	const resolved = await options.resolve(call);
	if (!resolved.ok) return { content: `Refused: ${resolved.reason}`, isError: true };
	const request = { ...resolved.request, ...(callId === undefined ? {} : { callId }) };
	const { agent } = request.assignment;
	const background = call.run_in_background ?? agent.background;
	const started = options.scheduler.spawn(request, options.self, { background, signal });
	if (!started.ok) return { content: `Refused: ${started.refusal}`, isError: true, code: "E_LIMIT" };
	const { agentId } = started.identity;
	if (background) return { content: renderLaunch(request, agentId) };
	return renderAgentResult(await started.report, { agentId, oneShot: agent.oneShot });
}

function createSendMessageTool(options: AgentToolOptions): Tool {
	return defineTool({
		name: "send_message",
		description: "Send a message to an agent you know by id or name; one that has ended goes on with it in the background.",
		schema: z.strictObject({ to: z.string().min(1).max(100), message: z.string().min(1).max(50_000) }),
		effect: "delegate",
		timeoutMs: 10_000,
		run: (input) =>
			sendMessage(input.to, input.message, options.self, {
				scheduler: options.scheduler,
				options: options.options,
				...(options.isShell === undefined ? {} : { isShell: options.isShell }),
				...(options.restore === undefined ? {} : { restore: options.restore }),
			}),
	});
}
