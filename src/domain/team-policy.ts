/**
 * The team's policy: the merge of the organisation's and the repository's policy files, the stricter value of each
 * key (S-108). An absent list means that no policy speaks of the matter; an empty `allowHosts` or `allowedModels`
 * means that nothing is allowed.
 */
export interface TeamPolicy {
	/** Command patterns as in `Bash(...)`: `git push:*`. */
	readonly denyCommands: readonly string[];
	/** Globs that no tool may read or write. */
	readonly denyPaths: readonly string[];
	/** Globs that may be read and never written. */
	readonly protectedPaths: readonly string[];
	/** Host names, `*.example.com` for every host below. */
	readonly allowHosts?: readonly string[];
	/** Full model ids, a `*` at the end for a prefix. */
	readonly allowedModels?: readonly string[];
	readonly limits: PolicyLimits;
	/** True: no sandbox, no run. */
	readonly requireSandbox: boolean;
	/** Tool rules such as `Bash(npm test:*)`. `deny` wins; an absent `allow` leaves the rest to tier and settings. */
	readonly permissions: { readonly allow?: readonly string[]; readonly deny: readonly string[] };
	/** Files it was merged from, for attribution. */
	readonly sources: readonly string[];
}

/** Upper bounds; absent means that no policy speaks of it. */
export interface PolicyLimits {
	readonly maxSteps?: number;
	readonly tokenBudget?: number;
	readonly timeoutSeconds?: number;
	readonly maxConcurrent?: number;
	readonly maxDepth?: number;
	readonly runUsd?: number;
}

/** No policy file at all. */
export const NO_POLICY: TeamPolicy = {
	denyCommands: [],
	denyPaths: [],
	protectedPaths: [],
	limits: {},
	requireSandbox: false,
	permissions: { deny: [] },
	sources: [],
};
