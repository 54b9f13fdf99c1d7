import type { AgentDefinition } from "../domain/agent.ts";
import type { ChildLimits } from "../domain/child-run.ts";
import { lowest } from "../domain/lowest.ts";
import type { Settings } from "../domain/settings.ts";
import type { PolicyLimits } from "../domain/team-policy.ts";

/** Characters of a child's last answer (S-086). */
const ANSWER_CHARS = 20_000;
const EXPLORE_ANSWER_CHARS = 10_000;

/**
 * The limits of one child: the least of agent file, settings (with the inputs in them) and policy (S-045, S-090).
 * @param share what the budget planner grants, when it has spoken
 */
export function childLimits(
	agent: Pick<AgentDefinition, "kind" | "maxTurns">,
	settings: Pick<Settings, "moe" | "subagents">,
	policy: PolicyLimits = {},
	share?: number,
): ChildLimits {
	const block = agent.kind === "specialist" || agent.kind === "generalist" ? settings.moe : settings.subagents;
	const tokens = agent.kind === "explore" ? settings.subagents.exploreTokenBudget : block.tokenBudget;
	const seconds = settings.subagents.timeoutSeconds;
	return {
		maxSteps: lowest(agent.maxTurns, block.maxSteps, policy.maxSteps) ?? block.maxSteps,
		tokenBudget: lowest(tokens, policy.tokenBudget, share) ?? tokens,
		timeoutMs: (lowest(seconds, policy.timeoutSeconds) ?? seconds) * 1_000,
		answerChars: agent.kind === "explore" ? EXPLORE_ANSWER_CHARS : ANSWER_CHARS,
	};
}
