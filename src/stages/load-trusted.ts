import { type AgentFolderEntry, listCommittedAgentFiles } from "../agents/agent-folders.ts";
import { EXPLORE_AGENT, PLAN_AGENT } from "../agents/built-in.ts";
import { CODE_OWNERS_PATHS } from "../agents/code-owners.ts";
import { buildCatalogue, type Catalogue } from "../agents/catalogue.ts";
import type { SkillSource } from "../agents/skills.ts";
import { loadExperts } from "../agents/experts/expert-file.ts";
import type { AgentDefinition } from "../domain/agent.ts";
import type { ReviewPlan } from "../domain/review-plan.ts";
import { UserError } from "../domain/errors.ts";
import { type Hook, parseHooks } from "../guard/hooks/hook-settings.ts";
import { parseJsonWithComments } from "../trust/parse-json-with-comments.ts";
import { readTrustedFile } from "../trust/read-trusted-file.ts";
import { computeClosures } from "../trust/closure-hash.ts";
import { applyConsent } from "../trust/consent.ts";
import { loadTrustLock } from "../trust/trust-lock.ts";
import { loadInstructions } from "../trust/instructions.ts";
import { loadSuppressions } from "../trust/suppressions.ts";
import { loadPolicy } from "../trust/load-policy.ts";
import { loadSettings } from "../trust/load-settings.ts";
import type { Sha } from "../domain/ids.ts";
import type { Settings } from "../domain/settings.ts";
import type { Suppression } from "../domain/suppression.ts";
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
	/** Text of CODEOWNERS, for rules that select reviewers by owner; absent when there is none. */
	readonly codeOwners?: string;
	/** Custom agents that may run: merged, and in the strict mode pinned (S-039). */
	readonly agents: readonly AgentDefinition[];
	/** Where organisation agents keep their skills. */
	readonly organisation?: SkillSource;
	/** Agents and files that may not, with the reason. */
	readonly refusedAgents: ReviewPlan["skippedAgents"];
	/** Commands of the trusted ref around children, tool calls and task lists. */
	readonly hooks: readonly Hook[];
	/** Text of `.worktreeinclude`; empty without one. */
	readonly worktreeInclude: string;
	/** What the team has said no to for every pull request. */
	readonly suppressions: readonly Suppression[];
	readonly notes: readonly string[];
}

export interface TrustedInput {
	readonly reader: RepositoryReader;
	readonly trusted: Sha;
	readonly settingsPath?: string;
	readonly overrides?: SettingsOverrides;
	/** Managed policies: of the organisation, of the `policy` input. */
	readonly managedPolicies?: readonly { readonly source: string; readonly text: string }[];
	/** Agents of the organisation and of the runner, which come before the repository's (S-037, S-041). */
	readonly furtherAgents?: { readonly entries: readonly AgentFolderEntry[]; readonly skills?: SkillSource };
}

/**
 * Reads settings, policy and instructions by object id. Throws a UserError for a broken settings or policy file: a run
 * without the limits somebody wrote down would be a surprise (S-108, BR-77).
 */
export async function loadTrusted(input: TrustedInput): Promise<Trusted> {
	const { reader, trusted } = input;
	const policy = await loadPolicy({ reader, trusted, ...(input.managedPolicies === undefined ? {} : { managed: input.managedPolicies }) });
	const [merged, instructions, gitattributes, worktreeInclude, suppressions, codeOwners] = await Promise.all([
		loadSettings({
			reader,
			trusted,
			policy,
			...(input.settingsPath === undefined ? {} : { path: input.settingsPath }),
			...(input.overrides === undefined ? {} : { overrides: input.overrides }),
		}),
		loadInstructions({ reader, trusted }),
		reader.readFile(trusted, ".gitattributes"),
		readTrustedFile(reader, trusted, ".worktreeinclude"),
		loadSuppressions(reader, trusted),
		loadCodeOwners(reader, trusted),
	]);
	const [agents, hooks, languages] = await Promise.all([
		loadAgents(input, merged.settings),
		loadHooks(input, merged.settings),
		loadExperts(reader, trusted, merged.settings.moe.experts),
	]);
	const experts = languages.experts;
	return {
		settings: { ...merged.settings, moe: { ...merged.settings.moe, experts } },
		policy,
		instructions: instructions.text,
		gitattributes: gitattributes?.toString("utf8") ?? "",
		...(codeOwners === undefined ? {} : { codeOwners }),
		agents: agents.consented,
		...(input.furtherAgents?.skills === undefined ? {} : { organisation: input.furtherAgents.skills }),
		refusedAgents: agents.refused,
		hooks,
		worktreeInclude: worktreeInclude.kind === "file" ? worktreeInclude.bytes.toString("utf8") : "",
		suppressions,
		notes: [
			...merged.notes,
			...instructions.notes,
			...languages.problems.map(({ path, code, reason }) => `${path} is not used (${code}): ${reason}`),
			...agents.notes,
		],
	};
}

async function loadCodeOwners(reader: RepositoryReader, trusted: Sha): Promise<string | undefined> {
	for (const path of CODE_OWNERS_PATHS) {
		const found = await readTrustedFile(reader, trusted, path);
		if (found.kind === "file") return found.bytes.toString("utf8");
	}
	return undefined;
}

const CLAUDE_SETTINGS = ".claude/settings.json";

/** Hooks of our settings and of Claude Code's, in this order. A file that cannot be read stops the run: a gate is missing. */
async function loadHooks({ reader, trusted, settingsPath }: TrustedInput, settings: Settings): Promise<readonly Hook[]> {
	const own = parseHooks(settings.hooks, settingsPath ?? ".rookery/settings.json");
	const found = await readTrustedFile(reader, trusted, CLAUDE_SETTINGS);
	if (found.kind === "absent") return own;
	if (found.kind === "link") throw new UserError(`${CLAUDE_SETTINGS}: found a symbolic link, wanted a file`, { code: "E_LINK" });
	const value = parseJsonWithComments(found.bytes.toString("utf8"), CLAUDE_SETTINGS, "E_POLICY");
	// Of that file nothing but its hooks means anything here: no variables, no permissions, no servers (A29).
	if (typeof value !== "object" || value === null || !("hooks" in value)) return own;
	if ("disableAllHooks" in value && value.disableAllHooks === true) return own;
	return [...own, ...parseHooks(value.hooks, CLAUDE_SETTINGS)];
}

/** The catalogue of the trusted ref, less what nobody consented to. */
async function loadAgents(
	{ reader, trusted, furtherAgents }: TrustedInput,
	settings: Settings,
): Promise<{
	readonly consented: readonly AgentDefinition[];
	readonly refused: ReviewPlan["skippedAgents"];
	readonly notes: readonly string[];
}> {
	if (!settings.subagents.enabled) return { consented: [], refused: [], notes: [] };
	const repository = await listCommittedAgentFiles(reader, trusted);
	const organisation = furtherAgents?.entries ?? [];
	if (repository.length + organisation.length === 0) return { consented: [], refused: [], notes: [] };
	const catalogue = await buildCatalogue({ builtIn: [EXPLORE_AGENT, PLAN_AGENT], organisation, repository });
	const custom = catalogue.agents.filter((agent) => agent.tier !== "built-in");
	const mode = settings.agents.trust;
	const closures = mode === "pinned" ? await computeClosures(reader, trusted, custom) : new Map();
	const { consented, refused } = applyConsent(custom, { mode, closures, lock: await loadTrustLock(reader, trusted) });
	return {
		consented,
		refused: [
			...refused.map(({ agent, code, reason }) => ({ name: agent.name, reason: `${code}: ${reason}` })),
			...catalogue.problems.map(({ name, path, code, reason }) => ({ name: name ?? path, reason: `${code}: ${path}: ${reason}` })),
		],
		notes: describeNotes(catalogue.notes),
	};
}

const MAX_NOTES = 5;

/** Repairs and remarks of agent files that are used; the whole list is the linter's. */
function describeNotes(notes: Catalogue["notes"]): readonly string[] {
	const shown = notes.slice(0, MAX_NOTES).map(({ path, text }) => `${path}: ${text}`);
	const rest = notes.length - shown.length;
	return rest > 0 ? [...shown, `${rest} more remarks on agent files; \`rookery agents lint\` lists them`] : shown;
}
