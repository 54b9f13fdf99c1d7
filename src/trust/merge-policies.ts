import { lowest } from "../domain/lowest.ts";
import type { PolicyLimits, TeamPolicy } from "../domain/team-policy.ts";
import type { PolicyFile } from "./policy-file.ts";

/**
 * The stricter value of each key wins: what is denied anywhere is denied, what is allowed must be allowed by every
 * policy that speaks of it, and of limits the smallest counts (S-108, A36).
 */
export function mergePolicies(policies: readonly { readonly source: string; readonly file: PolicyFile }[]): TeamPolicy {
	const files = policies.map((policy) => policy.file);
	const allowHosts = intersect(
		files.map((file) => file.allowHosts),
		coversHost,
	);
	const allowedModels = intersect(
		files.map((file) => file.allowedModels),
		coversModel,
	);
	const allow = intersect(
		files.map((file) => file.permissions?.allow),
		(wide, narrow) => wide === narrow,
	);
	return {
		denyCommands: unite(files.map((file) => file.denyCommands)),
		denyPaths: unite(files.map((file) => file.denyPaths)),
		protectedPaths: unite(files.map((file) => file.protectedPaths)),
		...(allowHosts === undefined ? {} : { allowHosts }),
		...(allowedModels === undefined ? {} : { allowedModels }),
		limits: lowestLimits(files),
		requireSandbox: files.some((file) => file.requireSandbox === true),
		permissions: { ...(allow === undefined ? {} : { allow }), deny: unite(files.map((file) => file.permissions?.deny)) },
		sources: policies.map((policy) => policy.source),
	};
}

function unite(lists: readonly (readonly string[] | undefined)[]): readonly string[] {
	return [...new Set(lists.flatMap((list) => list ?? []))];
}

/** Entries of each list that every other list covers; undefined when no list was given at all. */
function intersect(
	lists: readonly (readonly string[] | undefined)[],
	covers: (wide: string, narrow: string) => boolean,
): readonly string[] | undefined {
	const given = lists.filter((list): list is readonly string[] => list !== undefined);
	if (given.length === 0) return undefined;
	const entries = [...new Set(given.flat())];
	return entries.filter((entry) => given.every((list) => list.some((wide) => covers(wide, entry))));
}

function coversHost(wide: string, narrow: string): boolean {
	const [a, b] = [wide.toLowerCase(), narrow.toLowerCase()];
	return a === b || (a.startsWith("*.") && b.replace(/^\*\./, "x.").endsWith(a.slice(1)));
}

function coversModel(wide: string, narrow: string): boolean {
	return wide === narrow || (wide.endsWith("*") && narrow.startsWith(wide.slice(0, -1)));
}

const LIMIT_KEYS = ["maxSteps", "tokenBudget", "timeoutSeconds", "maxConcurrent", "maxDepth", "runUsd"] as const;

function lowestLimits(files: readonly PolicyFile[]): PolicyLimits {
	const limits: { -readonly [key in keyof PolicyLimits]: PolicyLimits[key] } = {};
	for (const key of LIMIT_KEYS) {
		const value = lowest(...files.map((file) => file.limits?.[key]));
		if (value !== undefined) limits[key] = value;
	}
	return limits;
}
