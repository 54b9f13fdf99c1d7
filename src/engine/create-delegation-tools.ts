import type { SubagentReport } from "../domain/child-run.ts";
import type { DelegateRequest, DelegateRunner, Tool, ToolOutput } from "../seams.ts";
import type { ExpertCall } from "../tools/delegate-expert.ts";
import { createDelegateExpertTool } from "../tools/delegate-expert.ts";
import type { ExploreCall } from "../tools/explore.ts";
import { createExploreTool } from "../tools/explore.ts";
import { createTaskTool } from "../tools/task.ts";
import type { AgentToolOptions, ResolvedCall } from "./create-agent-tools.ts";
import { createAgentTools } from "./create-agent-tools.ts";
import type { CallSummary } from "./render-delegated-result.ts";
import { renderExpertResult, renderExploreResult, summariseCalls } from "./render-delegated-result.ts";
import type { ChildRequest } from "./scheduler-options.ts";

/** Which ways of delegating there are; the trusted settings and policy say so (S-010). */
export interface DelegationSwitches {
	readonly explore: boolean;
	readonly experts: boolean;
	readonly agents: boolean;
	readonly task: boolean;
}

/** One specialist that a call stands for. */
export interface ExpertRequest {
	readonly request: ChildRequest;
	readonly displayName: string;
	/** Id of the language. */
	readonly language: string;
}

/** Specialists of a call, one a language (S-017, D-03), or why there is none. */
export type ResolvedExperts =
	| { readonly ok: true; readonly experts: readonly ExpertRequest[]; readonly reason: string }
	| { readonly ok: false; readonly reason: string };

export interface DelegationOptions extends AgentToolOptions {
	readonly switches: DelegationSwitches;
	readonly languages: readonly string[];
	resolveExplore(call: ExploreCall): ChildRequest;
	resolveExperts(call: ExpertCall): ResolvedExperts;
	/** Carries out `task`; absent together with the reason (S-050). */
	readonly runner?: DelegateRunner;
	readonly noRunner?: string;
}

/**
 * All tools with which a primary delegates. What each starts goes through the one scheduler and the one engine
 * (S-011, S-012); a tool that is switched off is not there, and nothing else changes (S-010).
 */
export async function createDelegationTools(options: DelegationOptions): Promise<readonly Tool[]> {
	const { switches, self, maxDepth, timeoutMs } = options;
	if (self.depth >= maxDepth) return [];
	const tools: Tool[] = [];
	if (switches.explore) {
		tools.push(createExploreTool({ timeoutMs, ask: (call, signal, callId) => askExplore(options, call, signal, callId) }));
	}
	if (switches.experts) {
		const ask = (call: ExpertCall, signal: AbortSignal, callId: string | undefined) => askExperts(options, call, signal, callId);
		tools.push(createDelegateExpertTool({ languages: options.languages, timeoutMs, ask }));
	}
	if (switches.agents) tools.push(...createAgentTools(options));
	if (switches.task) {
		const unavailable = options.noRunner === undefined ? {} : { unavailable: options.noRunner };
		tools.push(await createTaskTool({ ...(options.runner === undefined ? unavailable : { runner: options.runner }), timeoutMs }));
	}
	return tools;
}

async function askExplore(
	options: DelegationOptions,
	call: ExploreCall,
	signal: AbortSignal,
	callId: string | undefined,
): Promise<ToolOutput> {
	const started = startForeground(options, options.resolveExplore(call), signal, callId);
	if ("refusal" in started) return refused(started.refusal);
	const report = await started.report;
	return renderExploreResult(report, await readCalls(options, report));
}

async function askExperts(
	options: DelegationOptions,
	call: ExpertCall,
	signal: AbortSignal,
	callId: string | undefined,
): Promise<ToolOutput> {
	const resolved = options.resolveExperts(call);
	if (!resolved.ok) return { content: `Refused: ${resolved.reason}`, isError: true };
	const parts = await Promise.all(
		resolved.experts.map(async ({ request, displayName, language }) => {
			const started = startForeground(options, request, signal, callId);
			if ("refusal" in started) return refused(started.refusal);
			const report = await started.report;
			return renderExpertResult(report, displayName, language, await readCalls(options, report));
		}),
	);
	const content = parts.map((part) => part.content).join("\n\n");
	const why = call.language === "auto" ? `\n\nchosen: ${resolved.reason}` : "";
	return { content: `${content}${why}`, ...(parts.every((part) => part.isError === true) ? { isError: true as const } : {}) };
}

function startForeground(
	options: Pick<DelegationOptions, "scheduler" | "self">,
	request: ChildRequest,
	signal: AbortSignal,
	callId: string | undefined,
): { readonly report: Promise<SubagentReport> } | { readonly refusal: string } {
	const withCall = callId === undefined ? request : { ...request, callId };
	const started = options.scheduler.spawn(withCall, options.self, { background: false, signal });
	return started.ok ? { report: started.report } : { refusal: started.refusal };
}

function refused(refusal: string): ToolOutput {
	return { content: `Refused: ${refusal}`, isError: true, code: "E_LIMIT" };
}

/** What the child did, by its journal; nothing when that is not at hand. */
async function readCalls(options: DelegationOptions, report: SubagentReport): Promise<CallSummary> {
	return summariseCalls((await options.options.readEntries?.(report.session)) ?? []);
}

export interface DelegateRunnerOptions extends Pick<DelegationOptions, "scheduler" | "self"> {
	/** Names that `task` may use. */
	readonly agents: readonly string[];
	resolve(request: DelegateRequest): Promise<ResolvedCall>;
	/** Whether a report meets its objective; completed unless a rule says more (D-43). */
	isMet?(report: SubagentReport): boolean;
}

/** The engine as a `DelegateRunner`: what `task` starts is a child like any other (D-41, D-50). */
export function createDelegateRunner(options: DelegateRunnerOptions): DelegateRunner {
	return {
		listAgents: () => options.agents,
		async run(request, signal = new AbortController().signal) {
			const resolved = await options.resolve(request);
			if (!resolved.ok) return { ok: false, report: `Refused: ${resolved.reason}` };
			const started = startForeground(options, resolved.request, signal, undefined);
			if ("refusal" in started) return { ok: false, report: `Refused: ${started.refusal}` };
			const report = await started.report;
			return {
				ok: (options.isMet ?? isCompleted)(report),
				report: report.text,
				agent: report.agent,
				usage: report.usage,
				costUsd: report.costUsd,
				...(report.journal === undefined ? {} : { artifacts: [report.journal] }),
			};
		},
	};
}

function isCompleted(report: SubagentReport): boolean {
	return report.status === "completed";
}
