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
	const namesAbove = indexNames(higher.map(foldName));
	for (const agent of agents) {
		const folded = foldName(agent);
		const above = namesAbove.find(folded)[0]?.agent;
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
	const names = indexNames(candidates);
	const kept: AgentDefinition[] = [];
	for (const candidate of candidates) {
		const { agent } = candidate;
		const twins = names.find(candidate).filter((other) => other !== candidate);
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

/** Those that are taken for a given one, in their order, without comparing each with each. */
function indexNames(names: readonly FoldedName[]): { find(name: FoldedName): readonly FoldedName[] } {
	const byFolded = new Map<string, FoldedName[]>();
	for (const name of names) {
		for (const key of keysOf(name)) byFolded.set(key, [...(byFolded.get(key) ?? []), name]);
	}
	const places = new Map(names.map((name, place) => [name, place]));
	return {
		find: (name) =>
			[...new Set(keysOf(name).flatMap((key) => byFolded.get(key) ?? []))].sort((a, b) => (places.get(a) ?? 0) - (places.get(b) ?? 0)),
	};
}

function keysOf(name: FoldedName): readonly string[] {
	return [`case ${name.byCase}`, `looks ${name.byLooks}`];
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
