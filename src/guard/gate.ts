import { errorText, type ReasonCode } from "../domain/errors.ts";
import type { Clock, Tool, ToolOutput, ToolWorker } from "../seams.ts";
import type { AuditWriter } from "./audit.ts";
import { type AuditEvent, type Risk, sha256 } from "./audit-entry.ts";
import { type CallFacts, describeCall, type GatedCall } from "./call-facts.ts";
import type { PathRules } from "./path-rules.ts";
import { createPermissions, type PermissionOptions, type Permissions, type RuleDecision } from "./permissions.ts";
import { hashPolicy } from "./policy-hash.ts";
import { judgeRisk } from "./risk.ts";

/** The engine's answer type; the rule and the policy's revision go with it (S-116). */
export type GateDecision =
	| { readonly allow: true; readonly rule: string; readonly policyHash: string }
	| {
			readonly allow: false;
			readonly code: ReasonCode;
			readonly by: string;
			readonly reason: string;
			readonly rule: string;
			readonly policyHash: string;
	  };

/** Code of the trusted ref around a call. It can block and never allow; a crash blocks. `stop` ends this child only (S-178). */
export interface ToolHooks {
	before?(call: GatedCall): Promise<{ readonly block?: string; readonly stop?: string }>;
	/** Text for the model behind the result. */
	after?(call: GatedCall, output: ToolOutput): Promise<{ readonly note?: string; readonly stop?: string }>;
}

export type GateStep = "policy" | "permissions" | "pre-hook" | "decision" | "execute" | "post-hook" | "outcome";

/** A refused call, for the report's list. */
export interface Refusal {
	readonly child: string;
	readonly tool: string;
	readonly code: ReasonCode;
	readonly by: string;
	readonly rule: string;
	readonly reason: string;
}

export interface GateOptions extends PermissionOptions {
	/** Session of the child: calls of several children share one audit. */
	readonly child: string;
	readonly audit: AuditWriter;
	readonly clock: Clock;
	readonly hooks?: ToolHooks;
	/** True: what cannot be audited is not done (D-46). Always so in fix mode. */
	readonly auditRequired?: boolean;
	/** Told once when the audit cannot be written; the run ends with `E_AUDIT` (R38). */
	readonly onAuditFailure?: (error: unknown) => void;
	/** A hook asked for this child to end. */
	readonly onStop?: (reason: string) => void;
	readonly onRefusal?: (refusal: Refusal) => void;
	/** Each step of each call in its order; for tests and debugging. */
	readonly observe?: (step: GateStep, call: GatedCall) => void;
}

/**
 * The one gate of a child (S-107). `gate` decides before the call; `guard` makes tools that only run what it has allowed,
 * so that there is no way around it.
 */
export interface ToolGate {
	readonly gate: (call: GatedCall) => Promise<GateDecision>;
	guard(worker: ToolWorker): ToolWorker;
	/** For a call that was refused before the gate was asked, such as one of a tool the child does not have (S-031). */
	recordRefusal(
		call: Omit<GatedCall, "effect">,
		denial: { readonly code?: ReasonCode; readonly by: string; readonly reason: string },
	): Promise<void>;
	readonly policyHash: string;
	readonly paths: PathRules;
}

/** How long a tool may take to clean up after its end was asked for; the engine gives it as long. */
const ABANDON_MS = 2_500;

/** Throws `E_POLICY` when a rule cannot be read. */
export function createGate(options: GateOptions): ToolGate {
	const state: GateState = {
		options,
		permissions: createPermissions(options),
		policyHash: hashPolicy(options.policy),
		record: createRecorder(options),
		allowed: new Map(),
	};
	return {
		gate: (call) => decideCall(state, call),
		recordRefusal: async (call, { code, by, reason }) => {
			const { tool, id } = call;
			if (code !== undefined) options.onRefusal?.({ child: options.child, tool, code, by, rule: by, reason });
			const { target } = describeCall({ ...call, effect: "none" });
			const event = {
				type: "decision",
				child: options.child,
				call: id,
				tool,
				effect: "none",
				target,
				decision: "deny",
				risk: code === undefined ? "low" : "high",
			} as const;
			await state.record({ ...event, rule: by, by, ...(code === undefined ? {} : { code }), reason, policyHash: state.policyHash });
		},
		policyHash: state.policyHash,
		paths: state.permissions.paths,
		guard: (worker) => ({
			tools: worker.tools.map((tool) => ({ ...tool, run: (input, signal, call) => runAllowed(state, tool, input, signal, call?.id) })),
			[Symbol.asyncDispose]: () => worker[Symbol.asyncDispose](),
		}),
	};
}

interface GateState {
	readonly options: GateOptions;
	readonly permissions: Permissions;
	readonly policyHash: string;
	/** False when the event had to be written and could not be. */
	readonly record: (event: AuditEvent) => Promise<boolean>;
	/** Calls that may run now, once each, by id. */
	readonly allowed: Map<string, { readonly call: GatedCall; readonly risk: Risk }>;
}

function createRecorder(options: GateOptions): GateState["record"] {
	const required = options.auditRequired ?? options.mode === "fix";
	let failed = false;
	return async (event) => {
		try {
			await options.audit.append(event);
			return true;
		} catch (error) {
			if (!failed) options.onAuditFailure?.(error);
			failed = true;
			return !required;
		}
	};
}

async function decideCall(state: GateState, call: GatedCall): Promise<GateDecision> {
	const { options, policyHash } = state;
	const { child } = options;
	const facts = describeCall(call);
	const decision = await askRules(state, call, facts);
	const risk = judgeRisk(facts, decision);
	options.observe?.("decision", call);
	const written = await state.record({
		...{ type: "decision", child, call: call.id, tool: call.tool, effect: call.effect, target: facts.target, policyHash, risk },
		...(decision.allow ? { decision: "allow" } : { decision: "deny", code: decision.code, reason: decision.reason }),
		...{ rule: decision.rule, by: decision.allow ? "permissions" : decision.by },
	});
	if (!decision.allow) {
		const { code, by, rule, reason } = decision;
		options.onRefusal?.({ child, tool: call.tool, code, by, rule, reason });
		return { allow: false, code, by, reason, rule, policyHash };
	}
	if (!written) {
		const reason = "The audit cannot be written, so nothing is done any more.";
		return { allow: false, code: "E_AUDIT", by: "audit", reason, rule: "audit", policyHash };
	}
	state.allowed.set(call.id, { call, risk });
	return { allow: true, rule: decision.rule, policyHash };
}

async function askRules({ options, permissions }: GateState, call: GatedCall, facts: CallFacts): Promise<RuleDecision> {
	options.observe?.("policy", call);
	const byPolicy = permissions.decidePolicy(facts);
	options.observe?.("permissions", call);
	// What the policy refuses is refused: the second answer could only be a second refusal.
	const byPermission = byPolicy.allow ? permissions.decidePermission(facts) : byPolicy;
	if (!byPermission.allow) return byPermission;
	const rule = byPolicy.rule === "policy" ? byPermission.rule : byPolicy.rule;
	if (options.hooks?.before === undefined) return { allow: true, rule };
	options.observe?.("pre-hook", call);
	return (await askHook(options, call)) ?? { allow: true, rule };
}

async function runAllowed(state: GateState, tool: Tool, input: unknown, signal: AbortSignal, id: string | undefined): Promise<ToolOutput> {
	const { options, allowed } = state;
	const found = id === undefined ? undefined : allowed.get(id);
	if (found === undefined || found.call.tool !== tool.spec.name || found.call.input !== input) {
		return { content: "The call was not run: no check has allowed this very call.", isError: true, code: "E_POLICY" };
	}
	allowed.delete(found.call.id);
	const { call, risk } = found;
	options.observe?.("execute", call);
	const startedAt = options.clock.now();
	const ran = await runToEnd(tool, input, signal, call.id, options.clock);
	// A clock may jump back; a duration is never below zero (R42).
	const durationMs = Math.max(0, Math.round(options.clock.now() - startedAt));
	const output = ran === "abandoned" ? { content: "The tool did not end.", isError: true as const } : await askAfter(options, call, ran);
	options.observe?.("outcome", call);
	const { content, isError, code } = output;
	const written = await state.record({
		...{
			type: "outcome",
			child: options.child,
			call: call.id,
			tool: call.tool,
			ok: isError !== true,
			...(code === undefined ? {} : { code }),
		},
		...(ran === "abandoned" ? { abandoned: true as const } : {}),
		...{ durationMs, outputHash: sha256(content), outputChars: content.length, risk },
	});
	if (written) return output;
	return { content: "The audit cannot be written, so the result is not used.", isError: true, code: "E_AUDIT" };
}

async function askHook(options: GateOptions, call: GatedCall): Promise<RuleDecision | undefined> {
	const deny = (reason: string): RuleDecision => ({ allow: false, rule: "pre-hook", by: "pre-hook", code: "E_POLICY", reason });
	try {
		const answer = await options.hooks?.before?.(call);
		if (answer?.stop !== undefined) options.onStop?.(answer.stop);
		const block = answer?.block ?? answer?.stop;
		return block === undefined ? undefined : deny(`Blocked by a hook: ${block}`);
	} catch (error) {
		return deny(`The hook before this call failed, so the call was not run: ${errorText(error)}`);
	}
}

async function askAfter(options: GateOptions, call: GatedCall, output: ToolOutput): Promise<ToolOutput> {
	if (options.hooks?.after === undefined) return output;
	options.observe?.("post-hook", call);
	try {
		const answer = await options.hooks.after(call, output);
		if (answer.stop !== undefined) options.onStop?.(answer.stop);
		return answer.note === undefined ? output : { ...output, content: `${output.content}\n\n${answer.note}` };
	} catch (error) {
		return { ...output, content: `${output.content}\n\n(the hook after this call failed: ${errorText(error)})` };
	}
}

/** A tool that throws has failed; one that ignores its end is left behind, and the audit says so. */
async function runToEnd(tool: Tool, input: unknown, signal: AbortSignal, id: string, clock: Clock): Promise<ToolOutput | "abandoned"> {
	const finished = new AbortController();
	const running = tool
		.run(input, signal, { id })
		.catch((error: unknown): ToolOutput => ({ content: `${tool.spec.name} failed: ${errorText(error)}`, isError: true }));
	const abandoned = new Promise<"abandoned">((resolve) => {
		const onAbort = (): void => {
			void clock.sleep(ABANDON_MS, finished.signal).then(() => resolve("abandoned"));
		};
		if (signal.aborted) onAbort();
		else signal.addEventListener("abort", onAbort, { once: true, signal: finished.signal });
	});
	const result = await Promise.race([running, abandoned]);
	finished.abort();
	return result;
}
