import type { AgentDefinition } from "../domain/agent.ts";
import { WRITE_TOOLS } from "../domain/agent.ts";
import { cutText } from "../domain/cut-text.ts";
import type { ReasonCode } from "../domain/errors.ts";
import { replaceHidden } from "../domain/hidden-text.ts";
import { lowest } from "../domain/lowest.ts";
import type { TrustDiffRow } from "../domain/synthesis.ts";

const MAX_DESCRIPTION_CHARACTERS = 300;

export type FoundAgent =
	| { readonly ok: true; readonly agent: AgentDefinition }
	| { readonly ok: false; readonly code: ReasonCode; readonly reason: string };

/**
 * Looks a called agent up in the trusted catalogue; the refusal lists what is there (S-047). Nothing is made
 * before this has answered.
 * @param trustDiff rows of the pull request: an agent that only its head has gets its own answer (A26, A27)
 */
export function findAgent(agents: readonly AgentDefinition[], name: string, trustDiff: readonly TrustDiffRow[] = []): FoundAgent {
	const agent = agents.find((candidate) => candidate.name === name);
	if (agent !== undefined) return { ok: true, agent };
	const row = trustDiff.find((candidate) => candidate.agent?.name === name && candidate.change !== "removed");
	if (row !== undefined) {
		const hash = row.newHash?.slice(0, 12) ?? "unknown";
		return {
			ok: false,
			code: "E_CONSENT",
			reason: `agent ${name} stands only in the head of this pull request (${row.path}, ${hash}); it can be used after the merge`,
		};
	}
	const known = agents.map((candidate) => candidate.name).join(", ");
	return { ok: false, code: "E_POLICY", reason: `there is no agent ${JSON.stringify(name.slice(0, 80))}; available: ${known || "none"}` };
}

/**
 * One line an agent for the description of the `agent` tool, fixed for the session (S-048). Descriptions are
 * repository text, so they are cut, put on one line and stripped of what looks like markup or control.
 */
export function describeAgents(agents: readonly AgentDefinition[]): string {
	return agents.map((agent) => `- ${cleanLine(agent.name)}: ${cleanLine(agent.description)}`).join("\n");
}

function cleanLine(text: string): string {
	const oneLine = text.replace(/\\n/g, " ").replace(/[\s\u2028\u2029]+/g, " ");
	const plain = replaceHidden(oneLine, () => "")
		.replaceAll("<", "‹")
		.replaceAll(">", "›")
		.replace(/ +/g, " ")
		.trim();
	return plain.length <= MAX_DESCRIPTION_CHARACTERS ? plain : `${cutText(plain, MAX_DESCRIPTION_CHARACTERS - 1).trimEnd()}…`;
}

/** True when the agent could change files after its deny list is applied. */
export function canWrite(agent: AgentDefinition): boolean {
	return agent.tools.some((tool) => WRITE_TOOLS.includes(tool) && !agent.disallowedTools.includes(tool));
}

/**
 * How one call of an agent shares the tree (S-046): readers and those with a worktree of their own run side by
 * side, a writer in the shared tree overlaps with nothing. Decided a call, not for the whole catalogue.
 */
export function decideLock(agent: AgentDefinition): "shared" | "exclusive" {
	return canWrite(agent) && agent.isolation !== "worktree" ? "exclusive" : "shared";
}

/** Nobody can raise a child above this (S-077). */
const HIGHEST_STEPS = 200;

/** The step limit of one child: `maxTurns` of its file can lower what settings, input and policy allow, never raise it (S-045). */
export function resolveStepLimit(
	agent: AgentDefinition,
	bounds: { readonly settings: number; readonly input?: number | undefined; readonly policy?: number | undefined },
): number {
	return lowest(agent.maxTurns, bounds.settings, bounds.input, bounds.policy, HIGHEST_STEPS) ?? HIGHEST_STEPS;
}
