import type { Risk } from "./audit-entry.ts";
import type { CallFacts } from "./call-facts.ts";
import type { RuleDecision } from "./permissions.ts";

/** How much a call can do; a refusal by policy, of a system file or of a secret is the most serious thing there is (S-109, S-120). */
export function judgeRisk(call: CallFacts, decision: RuleDecision): Risk {
	if (!decision.allow) {
		if (decision.by === "policy" || decision.code === "E_PROC" || decision.rule.startsWith("sensitive")) return "critical";
		return decision.code === "E_POLICY" && call.effect === "read" ? "medium" : "high";
	}
	switch (call.effect) {
		case "none":
		case "read":
			return "low";
		case "delegate":
			return "medium";
		case "execute":
			return decision.rule.startsWith("reading") ? "low" : "medium";
		case "write":
		case "network":
			return "high";
	}
}
