import { UserError } from "../domain/errors.ts";
import type { RunContext } from "../domain/run-context.ts";
import { hashPolicy } from "../guard/policy-hash.ts";
import type { Trusted } from "./load-trusted.ts";
import { openSandboxedTools } from "./open-tools.ts";
import type { PipelineSeams } from "./pipeline-seams.ts";
import type { SandboxState } from "./run-sandbox.ts";

/** Who runs and what steers it; enough to decide whether the sandbox has to be known before the plan. */
export interface SettledFor {
	readonly context: Pick<RunContext, "runId" | "tier" | "tierReason">;
	readonly trusted: Pick<Trusted, "policy" | "settings"> & { readonly hooks?: Trusted["hooks"] };
}

/**
 * Decides once, before the plan, where this run's tools and hooks run, and opens the chain of its audit.
 *
 * With a model behind it, a child's tools run in a sandboxed process. Without one nobody can steer the calls: the offline
 * analyst reads in this process behind the descriptor checks, which spares a process and its grammars for each child,
 * unless the policy demands the sandbox. The probe is only waited for where commands, hooks or the policy depend on it.
 *
 * Throws a UserError before any model call: `E_SANDBOX` when the policy demands a sandbox and there is none (S-118),
 * `E_AUDIT` when the audit cannot be written (R38).
 */
export async function settleSandbox(run: SettledFor, seams: PipelineSeams): Promise<PipelineSeams> {
	const { policy, hooks = [] } = run.trusted;
	await seams.audit?.append({
		type: "opened",
		run: run.context.runId,
		policyHash: hashPolicy(policy),
		policySources: policy.sources,
	});
	const { sandbox } = seams;
	if (sandbox === undefined) {
		if (policy.requireSandbox && seams.openTools === undefined) throw missingSandbox(undefined);
		return seams;
	}
	const steered = seams.model.provider !== "offline" || policy.requireSandbox;
	const openTools: PipelineSeams["openTools"] = async (child) => openSandboxedTools(child, run.trusted, sandbox, seams);
	const withTools = steered ? { openTools } : {};
	const commands = run.context.tier !== "T0" && seams.model.provider !== "offline";
	if (!policy.requireSandbox && hooks.length === 0 && !commands) return { ...seams, ...withTools };
	const state = await sandbox.probe();
	if (state.available) return { ...seams, ...withTools, hookRunner: (workspace) => sandbox.hookRunner(workspace) };
	if (policy.requireSandbox) throw missingSandbox(state);
	return { ...seams, noSandbox: `${state.reason}. ${state.fix}` };
}

/** One line for the banner: what the sandbox is, and what the run may do. */
export async function describeSandbox(context: Pick<RunContext, "tier" | "tierReason">, seams: PipelineSeams): Promise<string> {
	return `${await describeUse(seams)}; ${context.tier}: ${context.tierReason}`;
}

async function describeUse(seams: PipelineSeams): Promise<string> {
	if (seams.noSandbox !== undefined) return `none: ${seams.noSandbox}`;
	if (seams.sandbox === undefined) return "none";
	if (seams.openTools === undefined && seams.hookRunner === undefined) return "not needed: the offline analyst only reads";
	const state = await seams.sandbox.probe();
	return state.available ? state.name : `none: ${state.reason}`;
}

/** Remarks for the summary where commands would have been possible but for the sandbox (`E_SANDBOX`). */
export function explainMissingSandbox(state: SandboxState | undefined, code: string | undefined, provider: string): readonly string[] {
	if (state === undefined || state.available || code !== "E_SANDBOX" || provider === "offline") return [];
	return [`E_SANDBOX: commands and tests were not run: no sandbox on this runner (${state.reason}). ${state.fix}`];
}

function missingSandbox(state: SandboxState | undefined): UserError {
	const why = state?.available === false ? `${state.reason}. ${state.fix}` : "this way of running has none";
	return new UserError(`policy requireSandbox: there is no sandbox on this machine: ${why}`, { code: "E_SANDBOX" });
}
