import type { Severity } from "../domain/finding.ts";
import { lowest } from "../domain/lowest.ts";
import type { ExpertSettings, Settings } from "../domain/settings.ts";
import { NO_POLICY, type PolicyLimits, type TeamPolicy } from "../domain/team-policy.ts";
import { type GarudaFile, HIGHEST_MAX_STEPS, type SettingsFile } from "./settings-schema.ts";

/** What holds when nobody says anything (DESIGN.md 8; D-09, D-11, D-13 to D-15). */
export const DEFAULT_SETTINGS: Settings = {
	model: "claude-sonnet-5-5",
	models: { explore: "claude-haiku-5-5" },
	agentModels: {},
	effort: "medium",
	moe: { enabled: true, maxSteps: 20, tokenBudget: 150_000, experts: {} },
	subagents: {
		enabled: true,
		maxSteps: 20,
		tokenBudget: 150_000,
		exploreTokenBudget: 50_000,
		timeoutSeconds: 300,
		maxConcurrent: 4,
		maxDepth: 1,
	},
	review: {
		auto: true,
		drafts: false,
		labels: [],
		paths: [],
		pathsIgnore: [],
		minConfidence: 80,
		maxInline: 8,
		maxInlinePerPullRequest: 20,
		maxRunsPerDay: 50,
		maxReviewers: 4,
		failOn: "never",
		verify: true,
		facts: "model",
		suggestions: true,
		overview: false,
		reviewers: [],
	},
	budget: { runUsd: 2, runTokens: 2_000_000 },
	checks: {},
	sandbox: { dependencies: [], allowHosts: [] },
	commit: "api",
	maintenance: {},
	agents: { trust: "base" },
};

/** What the workflow's inputs say about settings. */
export interface SettingsOverrides {
	readonly model?: string;
	readonly failOn?: Severity | "never";
	readonly trust?: "base" | "pinned";
	/** Bounds; they can lower what the files say, and stand in for the default where the files say nothing. */
	readonly limits?: PolicyLimits;
}

export interface SettingsSources {
	readonly garuda?: GarudaFile;
	readonly rookery?: SettingsFile;
	readonly overrides?: SettingsOverrides;
	readonly policy?: TeamPolicy;
}

export interface MergedSettings {
	readonly settings: Settings;
	/** Where policy or an input is stricter than what a file asks for; for the plan and the report. */
	readonly notes: readonly string[];
}

/**
 * Defaults, then `.garuda/settings.json`'s two blocks, then `.rookery/settings.json`, then inputs; each limit is the
 * least of those that file, input and policy give, and the default only where none of the first two does (S-021,
 * S-045, S-090). Turning custom agents on or off says nothing about the specialists (S-022).
 */
export function mergeSettings(sources: SettingsSources): MergedSettings {
	const { garuda, rookery = {}, overrides = {}, policy = NO_POLICY } = sources;
	const bounds = collectBounds(overrides.limits ?? {}, policy.limits);
	const base = DEFAULT_SETTINGS;
	const moe = { ...pickBlock(garuda?.moe), ...dropUndefined(rookery.moe ?? {}) };
	const subagents = { ...pickBlock(garuda?.subagents), ...dropUndefined(rookery.subagents ?? {}) };
	const budget = dropUndefined(rookery.budget ?? {});
	const bound = bounds.apply;
	const settings: Settings = {
		...base,
		...dropUndefined({ model: rookery.model, effort: rookery.effort }),
		models: { ...base.models, ...dropUndefined(rookery.models ?? {}) },
		agentModels: rookery.agentModels ?? base.agentModels,
		moe: {
			...base.moe,
			...moe,
			experts: toExperts(rookery.moe?.experts ?? {}),
			maxSteps: bound("moe.maxSteps", "maxSteps", moe.maxSteps, base.moe.maxSteps),
			tokenBudget: bound("moe.tokenBudget", "tokenBudget", moe.tokenBudget, base.moe.tokenBudget),
		},
		subagents: {
			...base.subagents,
			...subagents,
			maxSteps: bound("subagents.maxSteps", "maxSteps", subagents.maxSteps, base.subagents.maxSteps),
			tokenBudget: bound("subagents.tokenBudget", "tokenBudget", subagents.tokenBudget, base.subagents.tokenBudget),
			exploreTokenBudget: bound(
				"subagents.exploreTokenBudget",
				"tokenBudget",
				subagents.exploreTokenBudget ?? base.subagents.exploreTokenBudget,
				base.subagents.exploreTokenBudget,
			),
			timeoutSeconds: bound("subagents.timeoutSeconds", "timeoutSeconds", subagents.timeoutSeconds, base.subagents.timeoutSeconds),
			maxConcurrent: bound("subagents.maxConcurrent", "maxConcurrent", subagents.maxConcurrent, base.subagents.maxConcurrent),
			maxDepth: bound("subagents.maxDepth", "maxDepth", subagents.maxDepth, base.subagents.maxDepth),
		},
		review: { ...base.review, ...dropUndefined(rookery.review ?? {}), ...dropUndefined({ failOn: overrides.failOn }) },
		budget: { ...base.budget, ...budget, runUsd: bound("budget.runUsd", "runUsd", budget.runUsd, base.budget.runUsd) },
		checks: rookery.checks ?? base.checks,
		...(rookery.packages === undefined ? {} : { packages: rookery.packages }),
		sandbox: {
			dependencies: rookery.sandbox?.dependencies ?? base.sandbox.dependencies,
			allowHosts: rookery.sandbox?.allowHosts ?? base.sandbox.allowHosts,
		},
		commit: rookery.commit ?? base.commit,
		maintenance: rookery.maintenance ?? base.maintenance,
		agents: { trust: overrides.trust === "pinned" ? "pinned" : (rookery.agents?.trust ?? base.agents.trust) },
		...(rookery.hooks === undefined ? {} : { hooks: rookery.hooks }),
	};
	const withModel = overrides.model === undefined ? settings : overrideModel(settings, overrides.model);
	return { settings: withModel, notes: bounds.notes };
}

/** An input's model is for everything that reviews; explore keeps its cheap one. */
function overrideModel(settings: Settings, model: string): Settings {
	const { explore, orchestrator } = settings.models;
	return { ...settings, model, models: dropUndefined({ explore, orchestrator }) };
}

interface Bounds {
	readonly notes: readonly string[];
	apply(key: string, limit: keyof PolicyLimits, given: number | undefined, fallback: number): number;
}

function collectBounds(inputs: PolicyLimits, policy: PolicyLimits): Bounds {
	const notes: string[] = [];
	return {
		notes,
		apply(key, limit, given, fallback) {
			const wanted = given ?? inputs[limit] ?? fallback;
			const hard = limit === "maxSteps" ? HIGHEST_MAX_STEPS : undefined;
			const value = lowest(wanted, inputs[limit], policy[limit], hard) ?? fallback;
			if (value < wanted) {
				const by = value === policy[limit] ? "the team policy" : value === inputs[limit] ? "an input" : "the highest possible value";
				notes.push(`${key} is ${value} instead of ${wanted}: ${by} sets the bound`);
			}
			return value;
		},
	};
}

/** The keys of a Garuda block that mean the same here. */
function pickBlock(block: { enabled?: boolean | undefined; maxSteps?: number | undefined; tokenBudget?: number | undefined } | undefined): {
	enabled?: boolean;
	maxSteps?: number;
	tokenBudget?: number;
	exploreTokenBudget?: number;
	timeoutSeconds?: number;
	maxConcurrent?: number;
	maxDepth?: number;
} {
	return dropUndefined({ enabled: block?.enabled, maxSteps: block?.maxSteps, tokenBudget: block?.tokenBudget });
}

function toExperts(experts: NonNullable<NonNullable<SettingsFile["moe"]>["experts"]>): Readonly<Record<string, ExpertSettings>> {
	return Object.fromEntries(Object.entries(experts).map(([id, expert]) => [id, dropUndefined(expert)]));
}

function dropUndefined<T extends object>(record: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
	return Object.fromEntries(Object.entries(record).filter(([, value]) => value !== undefined)) as {
		[K in keyof T]?: Exclude<T[K], undefined>;
	};
}
