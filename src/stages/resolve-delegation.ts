import { EXPLORE_AGENT } from "../agents/built-in.ts";
import type { LanguageProfile } from "../agents/experts/language-profile.ts";
import { buildGeneralist } from "../agents/generalist.ts";
import { canWrite, decideLock, findAgent } from "../agents/invoke-agent.ts";
import type { resolveModel } from "../agents/resolve-model.ts";
import { putSkillsFirst, resolveSkills, type SkillSource, skillSourcesFor } from "../agents/skills.ts";
import { buildSpecialist } from "../agents/specialist-prompt.ts";
import type { AgentDefinition } from "../domain/agent.ts";
import type { AssignedFile, Assignment } from "../domain/child-run.ts";
import type { Sha } from "../domain/ids.ts";
import type { Settings } from "../domain/settings.ts";
import type { TrustDiffRow } from "../domain/synthesis.ts";
import type { PolicyLimits } from "../domain/team-policy.ts";
import type { AgentCall, ResolvedCall } from "../engine/create-agent-tools.ts";
import type { ResolvedExperts } from "../engine/create-delegation-tools.ts";
import type { ChildRequest } from "../engine/scheduler-options.ts";
import { childLimits } from "../plan/child-limits.ts";
import { inferLanguage } from "../plan/infer-language.ts";
import type { DelegateRequest, RepositoryReader } from "../seams.ts";
import type { ExpertCall } from "../tools/delegate-expert.ts";
import type { ExploreCall } from "../tools/explore.ts";

/** What calls of delegating tools are resolved against: all of it from the trusted ref. */
export interface DelegationFacts {
	/** Built-in and consented custom agents. */
	readonly agents: readonly AgentDefinition[];
	readonly profiles: readonly LanguageProfile[];
	readonly settings: Settings;
	readonly limits: PolicyLimits | undefined;
	readonly trustDiff: readonly TrustDiffRow[];
	readonly reader: RepositoryReader;
	readonly trusted: Sha;
	/** Where organisation agents keep their skills. */
	readonly organisation?: SkillSource;
	/** Paths at the head: they tell how tests are run. */
	readonly headFiles: ReadonlySet<string>;
	/** Sizes of changed files by path. */
	readonly changed: ReadonlyMap<string, AssignedFile>;
	modelFor(agent: AgentDefinition, call?: string): ReturnType<typeof resolveModel>;
}

/** The one place where a call of a model becomes a child (D-50). Nothing is started and nothing is written here. */
export interface DelegationResolver {
	explore(call: ExploreCall): ChildRequest;
	experts(call: ExpertCall): ResolvedExperts;
	/** Refusals in their order: unknown agent, isolation, skills, model (S-137). */
	agent(call: AgentCall): Promise<ResolvedCall>;
	task(request: DelegateRequest): Promise<ResolvedCall>;
}

export function createDelegationResolver(facts: DelegationFacts): DelegationResolver {
	return {
		explore: (call) => ({ assignment: assign(facts, EXPLORE_AGENT, exploreTask(call), [], "explore was called") }),
		experts: (call) => resolveExperts(facts, call),
		agent: (call) => resolveAgent(facts, call),
		task: ({ objective, agent = EXPLORE_AGENT.name, context }) =>
			resolveAgent(facts, {
				agent,
				description: "task",
				prompt: context === undefined ? objective : `${objective}\n\n# Context\n\n${context}`,
			}),
	};
}

function exploreTask(call: ExploreCall): string {
	return call.paths === undefined || call.paths.length === 0 ? call.question : `${call.question}\n\nBegin with: ${call.paths.join(", ")}`;
}

/** An assignment by today's definition and limits. Files that did not change are named without sizes. */
function assign(facts: DelegationFacts, agent: AgentDefinition, task: string, files: readonly string[], reason: string): Assignment {
	return {
		agent,
		task,
		reason,
		files: files.map((path) => facts.changed.get(path) ?? { path, additions: 0, deletions: 0 }),
		limits: childLimits(agent, facts.settings, facts.limits),
		access: "read",
	};
}

function resolveExperts(facts: DelegationFacts, call: ExpertCall): ResolvedExperts {
	const files = call.files ?? [];
	const one = (profile: LanguageProfile | undefined, own: readonly string[], reason: string) => {
		const testCommand = profile?.testCommand(facts.headFiles);
		const agent = profile === undefined ? buildGeneralist({ testCommand }) : buildSpecialist(profile, { testCommand });
		const assignment = assign(facts, agent, call.task, own, reason);
		return {
			request: { assignment: testCommand === undefined ? assignment : { ...assignment, testCommand } },
			displayName: profile?.displayName ?? "General",
			language: profile?.id ?? "general",
		};
	};
	if (call.language !== "auto") {
		const profile = facts.profiles.find((candidate) => candidate.id === call.language);
		if (profile === undefined) return { ok: false, reason: `there is no specialist for ${call.language}` };
		return { ok: true, experts: [one(profile, files, `delegate_expert named ${profile.id}`)], reason: `named ${profile.id}` };
	}
	const inferred = inferLanguage({ task: call.task, files }, facts.profiles, facts.settings.moe.defaultLanguage);
	const { reason } = inferred;
	if (inferred.kind === "generalist") return { ok: true, experts: [one(undefined, files, reason)], reason };
	return { ok: true, experts: inferred.choices.map((choice) => one(choice.profile, choice.files, reason)), reason };
}

async function resolveAgent(facts: DelegationFacts, call: AgentCall): Promise<ResolvedCall> {
	const found = findAgent(facts.agents, call.agent, facts.trustDiff);
	if (!found.ok) return found;
	const { agent } = found;
	const unsupported =
		agent.unsupportedIsolation ?? (call.isolation === undefined || call.isolation === "worktree" ? undefined : call.isolation);
	if (unsupported !== undefined) {
		return { ok: false, reason: `agent ${agent.name} asks for isolation ${JSON.stringify(unsupported.slice(0, 40))}; supported: worktree` };
	}
	const skills = await resolveSkills(agent, skillSourcesFor(agent, { reader: facts.reader, commit: facts.trusted }, facts.organisation));
	if (!skills.ok) return skills;
	const model = facts.modelFor(agent, call.model);
	if (!model.ok) return model;
	const task = putSkillsFirst(skills.skills, call.prompt);
	const assignment = assign(facts, { ...agent, model: model.model }, task, call.files ?? [], `called as ${call.description}`);
	const warnings = [...skills.warnings, ...(model.warning ? [model.reason] : []), ...(canWrite(agent) ? [READS_ONLY(agent)] : [])];
	return {
		ok: true,
		request: {
			assignment,
			description: call.description,
			...(call.name === undefined ? {} : { name: call.name }),
			...(warnings.length === 0 ? {} : { warnings }),
			// Its tools are cut to those that read, so it disturbs nobody; the lock is for the day they are not.
			...(assignment.access === "write" && decideLock(agent) === "exclusive" ? { alone: true } : {}),
		},
	};
}

const READS_ONLY = (agent: AgentDefinition): string => `agent ${agent.name}: this run only reads, so its tools that write are left out`;
