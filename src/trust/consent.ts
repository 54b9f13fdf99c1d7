import type { AgentDefinition } from "../domain/agent.ts";
import { describeGrants } from "../domain/describe-grants.ts";
import type { ReasonCode } from "../domain/errors.ts";
import type { Closure } from "./closure-hash.ts";
import { TRUST_LOCK_PATH, type TrustLock } from "./trust-lock.ts";

/** base: what is merged is consented. pinned: the closure must be in the lock file of the trusted ref (S-039). */
export type ConsentMode = "base" | "pinned";

export type Consent =
	| { readonly ok: true; readonly why: "tier" | "merged" | "pinned" }
	| { readonly ok: false; readonly code: ReasonCode; readonly reason: string };

/**
 * Whether an agent of the catalogue may run. There is nobody to ask, so consent is what is merged, and in the strict
 * mode what is pinned by path and hash. Built-in and organisation agents need no pin (S-038).
 * @param closure of the agent at the trusted ref; undefined refuses in the strict mode
 */
export function decideConsent(options: {
	readonly mode: ConsentMode;
	readonly agent: AgentDefinition;
	readonly closure: Closure | undefined;
	readonly lock: TrustLock;
}): Consent {
	const { mode, agent, closure, lock } = options;
	if (agent.tier !== "repository") return { ok: true, why: "tier" };
	if (mode === "base") return { ok: true, why: "merged" };
	const path = agent.source?.path ?? "";
	const pin = Object.hasOwn(lock.agents, path) ? lock.agents[path] : undefined;
	if (closure !== undefined && pin?.closure === closure.hash) return { ok: true, why: "pinned" };
	const found = closure?.hash.slice(0, 12) ?? "unknown";
	const tools = describeGrants(agent).join(", ") || "none";
	const why =
		pin === undefined
			? `${TRUST_LOCK_PATH} on the trusted ref does not list it`
			: `${TRUST_LOCK_PATH} on the trusted ref lists ${pin.closure.slice(0, 12)}`;
	return {
		ok: false,
		code: "E_CONSENT",
		reason: `agent ${agent.name} (${path}, hash ${found}, tools: ${tools}) is not run: ${why}; comment /trust ${agent.name} to propose the pin`,
	};
}

/** Splits the catalogue by consent; what is refused keeps its reason for the report. */
export function applyConsent(
	agents: readonly AgentDefinition[],
	options: { readonly mode: ConsentMode; readonly closures: ReadonlyMap<string, Closure>; readonly lock: TrustLock },
): {
	readonly consented: readonly AgentDefinition[];
	readonly refused: readonly { readonly agent: AgentDefinition; readonly code: ReasonCode; readonly reason: string }[];
} {
	const consented: AgentDefinition[] = [];
	const refused: { agent: AgentDefinition; code: ReasonCode; reason: string }[] = [];
	for (const agent of agents) {
		const closure = options.closures.get(agent.source?.path ?? "");
		const decision = decideConsent({ mode: options.mode, agent, closure, lock: options.lock });
		if (decision.ok) consented.push(agent);
		else refused.push({ agent, code: decision.code, reason: decision.reason });
	}
	return { consented, refused };
}
