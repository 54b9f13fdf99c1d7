import type { AgentDefinition, AgentProblem } from "../domain/agent.ts";
import { foldNameCase, foldNameLooks } from "./agent-name.ts";

export interface SettledNames {
	readonly kept: readonly AgentDefinition[];
	readonly problems: readonly AgentProblem[];
	/** A word to the author about an agent that is kept all the same. */
	readonly notes: readonly { readonly path: string; readonly text: string }[];
}

/**
 * Who keeps a name within one tier. The same name twice: the first in the given order wins and the others are
 * listed (BR-63). Names that differ only in case or look alike: none of them is used, since a reader of a comment
 * could not tell which one ran (A103). Against a higher tier, the lower one always loses, also by a look-alike name,
 * and never takes the higher one down with it (S-041).
 * @param agents in order of precedence
 * @param higher agents of the tiers above
 */
export function settleNames(agents: readonly AgentDefinition[], higher: readonly AgentDefinition[]): SettledNames {
	const problems: AgentProblem[] = [];
	const notes: { path: string; text: string }[] = [];
	const firstByName = new Map<string, AgentDefinition>();
	const foldedHigher = higher.map(foldName);
	for (const agent of agents) {
		const folded = foldName(agent);
		const above = foldedHigher.find((other) => looksLike(other, folded))?.agent;
		if (above !== undefined) {
			problems.push(
				refuse(
					agent,
					"E_POLICY",
					`the ${above.tier} agent ${above.name}${placeOf(above)} keeps this name; rename ${pathOf(agent)} to use it`,
				),
			);
			continue;
		}
		const first = firstByName.get(agent.name);
		if (first !== undefined) {
			problems.push(
				refuse(agent, "E_POLICY", `the name ${agent.name} is taken by ${pathOf(first)}, which comes first; rename one of the two`),
			);
			notes.push({ path: pathOf(first), text: `the name ${agent.name} stands in ${pathOf(agent)} as well; that file is not used` });
			continue;
		}
		firstByName.set(agent.name, agent);
	}
	const candidates = [...firstByName.values()].map(foldName);
	const kept: AgentDefinition[] = [];
	for (const candidate of candidates) {
		const { agent } = candidate;
		const twins = candidates.filter((other) => other !== candidate && looksLike(other, candidate));
		if (twins.length === 0) kept.push(agent);
		else {
			const others = twins.map((twin) => `${twin.agent.name} in ${pathOf(twin.agent)}`).join(", ");
			problems.push(refuse(agent, "E_CONSENT", `the name ${agent.name} cannot be told apart from ${others}; rename all but one`));
		}
	}
	return { kept, problems, notes };
}

interface FoldedName {
	readonly agent: AgentDefinition;
	readonly byCase: string;
	readonly byLooks: string;
}

function foldName(agent: AgentDefinition): FoldedName {
	return { agent, byCase: foldNameCase(agent.name), byLooks: foldNameLooks(agent.name) };
}

function looksLike(a: FoldedName, b: FoldedName): boolean {
	return a.byCase === b.byCase || a.byLooks === b.byLooks;
}

function refuse(agent: AgentDefinition, code: "E_POLICY" | "E_CONSENT", reason: string): AgentProblem {
	return { path: pathOf(agent), name: agent.name, code, reason };
}

function pathOf(agent: AgentDefinition): string {
	return agent.source?.path ?? `built-in ${agent.name}`;
}

function placeOf(agent: AgentDefinition): string {
	return agent.source === undefined ? "" : ` (${agent.source.path})`;
}
