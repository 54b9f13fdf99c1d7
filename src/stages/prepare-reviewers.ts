import { putSkillsFirst, resolveSkills, type Skill, type SkillSource, skillSourcesFor } from "../agents/skills.ts";
import type { AgentDefinition } from "../domain/agent.ts";
import type { Assignment } from "../domain/child-run.ts";
import type { ReviewPlan } from "../domain/review-plan.ts";

/** Custom agents that could be started, and those that are refused before anything of them is (S-137). */
export interface PreparedReviewers {
	readonly agents: readonly AgentDefinition[];
	readonly refused: ReviewPlan["skippedAgents"];
	/** Puts an agent's skills in front of its task, with what there is to say about their size (S-149, S-151). */
	brief(assignment: Assignment): Assignment;
}

/**
 * Checks what can refuse a reviewer, in the order of S-137: isolation, then skills. The repository's skills are
 * read at the trusted ref. Rejects only when objects cannot be read.
 */
export async function prepareReviewers(
	agents: readonly AgentDefinition[],
	repository: SkillSource,
	organisation?: SkillSource,
): Promise<PreparedReviewers> {
	const ready: AgentDefinition[] = [];
	const refused: { name: string; reason: string }[] = [];
	const skills = new Map<AgentDefinition, { readonly texts: readonly Skill[]; readonly warnings: readonly string[] }>();
	for (const agent of agents) {
		const isolation = refuseIsolation(agent);
		if (isolation !== undefined) {
			refused.push({ name: agent.name, reason: isolation });
			continue;
		}
		if (agent.skills.length > 0) {
			const resolved = await resolveSkills(agent, skillSourcesFor(agent, repository, organisation));
			if (!resolved.ok) {
				refused.push({ name: agent.name, reason: `${resolved.code}: ${resolved.reason}` });
				continue;
			}
			skills.set(agent, { texts: resolved.skills, warnings: resolved.warnings });
		}
		ready.push(agent);
	}
	const byName = new Map([...skills].map(([agent, found]) => [agent.name, found]));
	return {
		agents: ready,
		refused,
		brief(assignment) {
			const found = assignment.agent.kind === "reviewer" ? byName.get(assignment.agent.name) : undefined;
			if (found === undefined) return assignment;
			const warnings = [...(assignment.warnings ?? []), ...found.warnings];
			return {
				...assignment,
				task: putSkillsFirst(found.texts, assignment.task),
				...(warnings.length === 0 ? {} : { warnings }),
			};
		},
	};
}

/** S-182: a reviewer that asks for walls that are not there does not run without them. */
export function refuseIsolation(agent: AgentDefinition): string | undefined {
	if (agent.unsupportedIsolation === undefined) return undefined;
	const asked = JSON.stringify(agent.unsupportedIsolation.slice(0, 40));
	return `E_POLICY: agent ${agent.name} asks for isolation ${asked}; supported: worktree`;
}
