import { listCommittedAgentFiles } from "../agents/agent-folders.ts";
import { EXPLORE_AGENT, PLAN_AGENT } from "../agents/built-in.ts";
import { buildCatalogue } from "../agents/catalogue.ts";
import type { AgentDefinition } from "../domain/agent.ts";
import type { ReviewPlan } from "../domain/review-plan.ts";
import { computeClosures } from "../trust/closure-hash.ts";
import { applyConsent } from "../trust/consent.ts";
import { loadTrustLock } from "../trust/trust-lock.ts";
import { loadInstructions } from "../trust/instructions.ts";
import { loadPolicy } from "../trust/load-policy.ts";
import { loadSettings } from "../trust/load-settings.ts";
import type { Sha } from "../domain/ids.ts";
import type { Settings } from "../domain/settings.ts";
import type { TeamPolicy } from "../domain/team-policy.ts";
import type { RepositoryReader } from "../seams.ts";
import type { SettingsOverrides } from "../trust/settings.ts";

/** What steers a run, as it stands on the trusted ref; the head's version of any of it is data. */
export interface Trusted {
	readonly settings: Settings;
	readonly policy: TeamPolicy;
	readonly instructions: string;
	/** Text of `.gitattributes` at the top, for generated and vendored files. */
	readonly gitattributes: string;
	/** Custom agents that may run: merged, and in the strict mode pinned (S-039). */
	readonly agents: readonly AgentDefinition[];
	/** Agents and files that may not, with the reason. */
	readonly refusedAgents: ReviewPlan["skippedAgents"];
	readonly notes: readonly string[];
}

export interface TrustedInput {
	readonly reader: RepositoryReader;
	readonly trusted: Sha;
	readonly settingsPath?: string;
	readonly overrides?: SettingsOverrides;
	/** Managed policies: of the organisation, of the `policy` input. */
	readonly managedPolicies?: readonly { readonly source: string; readonly text: string }[];
}

/**
 * Reads settings, policy and instructions by object id. Throws a UserError for a broken settings or policy file: a run
 * without the limits somebody wrote down would be a surprise (S-108, BR-77).
 */
export async function loadTrusted(input: TrustedInput): Promise<Trusted> {
	const { reader, trusted } = input;
	const policy = await loadPolicy({ reader, trusted, ...(input.managedPolicies === undefined ? {} : { managed: input.managedPolicies }) });
	const [merged, instructions, gitattributes] = await Promise.all([
		loadSettings({
			reader,
			trusted,
			policy,
			...(input.settingsPath === undefined ? {} : { path: input.settingsPath }),
			...(input.overrides === undefined ? {} : { overrides: input.overrides }),
		}),
		loadInstructions({ reader, trusted }),
		reader.readFile(trusted, ".gitattributes"),
	]);
	const agents = await loadAgents(input, merged.settings);
	return {
		settings: merged.settings,
		policy,
		instructions: instructions.text,
		gitattributes: gitattributes?.toString("utf8") ?? "",
		agents: agents.consented,
		refusedAgents: agents.refused,
		notes: [...merged.notes, ...instructions.notes],
	};
}

/** The catalogue of the trusted ref, less what nobody consented to. */
async function loadAgents(
	{ reader, trusted }: TrustedInput,
	settings: Settings,
): Promise<{ readonly consented: readonly AgentDefinition[]; readonly refused: ReviewPlan["skippedAgents"] }> {
	if (!settings.subagents.enabled) return { consented: [], refused: [] };
	const repository = await listCommittedAgentFiles(reader, trusted);
	if (repository.length === 0) return { consented: [], refused: [] };
	const catalogue = await buildCatalogue({ builtIn: [EXPLORE_AGENT, PLAN_AGENT], repository });
	const custom = catalogue.agents.filter((agent) => agent.tier !== "built-in");
	const mode = settings.agents.trust;
	const closures = mode === "pinned" ? await computeClosures(reader, trusted, custom) : new Map();
	const { consented, refused } = applyConsent(custom, { mode, closures, lock: await loadTrustLock(reader, trusted) });
	return {
		consented,
		refused: [
			...refused.map(({ agent, reason }) => ({ name: agent.name, reason })),
			...catalogue.problems.map((problem) => ({ name: problem.name ?? problem.path, reason: `${problem.path}: ${problem.reason}` })),
		],
	};
}
