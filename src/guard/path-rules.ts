import picomatch from "picomatch";
import { checkPath } from "./path-guard.ts";
import { HARMLESS_PATHS, PROTECTED_PATHS, SENSITIVE_PATHS } from "./sensitive-paths.ts";

/** A rule that covers a path: what it is called in refusals and in the audit. */
export interface PathRule {
	/** `sensitive .env`, `denyPaths secrets/**`, `protected .github/workflows/**`. */
	readonly id: string;
	readonly kind: "sensitive" | "denied" | "protected";
}

/** What may be said about paths of one run. Paths are repository paths; odd spellings are put in their normal form first. */
export interface PathRules {
	/** The rule that hides a path from every tool; undefined when it may be read. */
	hiddenBy(path: string): PathRule | undefined;
	/** The rule that forbids writing it; hidden paths are forbidden, too. */
	readOnlyBy(path: string): PathRule | undefined;
	/** The filter for search tools, the code index and the diff (S-110). False as well for what is no repository path. */
	isVisible(path: string): boolean;
}

export interface PathRulesOptions {
	/** Globs of the policy that no tool may read or write. */
	readonly denyPaths: readonly string[];
	/** Globs of the policy that may be read and never written; they stand beside the built-in ones. */
	readonly protectedPaths: readonly string[];
	/** Globs of trusted rules such as `Edit(.github/workflows/**)`: they lift the built-in protection, never the policy's. */
	readonly writablePaths?: readonly string[];
}

/**
 * Compiles the path rules of a run. Names are compared without regard to case and Unicode form, because the file
 * system of a later checkout may fold both (A67).
 */
export function createPathRules(options: PathRulesOptions): PathRules {
	const denied = options.denyPaths.map((glob) => compile(glob, "denied", "denyPaths"));
	const sensitive = SENSITIVE_PATHS.map((glob) => compile(glob, "sensitive", "sensitive"));
	const harmless = HARMLESS_PATHS.map((glob) => compile(glob, "sensitive", "harmless"));
	const protectedByPolicy = options.protectedPaths.map((glob) => compile(glob, "protected", "protectedPaths"));
	const protectedAlways = PROTECTED_PATHS.map((glob) => compile(glob, "protected", "protected"));
	const writable = (options.writablePaths ?? []).map((glob) => compile(glob, "protected", "writable"));
	// The tools ask for whole file lists, again and again.
	const known = new Map<string, PathRule | undefined>();

	const hiddenBy = (path: string): PathRule | undefined => {
		if (known.has(path)) return known.get(path);
		const folded = fold(path);
		const rule = find(denied, folded) ?? (find(harmless, folded) === undefined ? find(sensitive, folded) : undefined);
		if (known.size < 200_000) known.set(path, rule);
		return rule;
	};
	return {
		hiddenBy,
		readOnlyBy(path) {
			const folded = fold(path);
			const hidden = hiddenBy(path) ?? find(protectedByPolicy, folded);
			if (hidden !== undefined) return hidden;
			return find(writable, folded) === undefined ? find(protectedAlways, folded) : undefined;
		},
		isVisible: (path) => checkPath(path).ok && hiddenBy(path) === undefined,
	};
}

interface CompiledRule extends PathRule {
	matches(folded: string): boolean;
}

function find(rules: readonly CompiledRule[], folded: string): PathRule | undefined {
	const rule = rules.find((candidate) => candidate.matches(folded));
	return rule === undefined ? undefined : { id: rule.id, kind: rule.kind };
}

/** A glob without a slash names files and folders anywhere; a folder stands for all that is in it. */
function compile(glob: string, kind: PathRule["kind"], name: string): CompiledRule {
	const trimmed = foldText(glob)
		.replace(/^(\.?\/)+/, "")
		.replace(/\/+$/, "");
	const anywhere = trimmed.includes("/") ? trimmed : `**/${trimmed}`;
	const matcher = picomatch([anywhere, `${anywhere}/**`], { dot: true, nocase: true, nonegate: true });
	return { id: `${name} ${glob}`, kind, matches: matcher };
}

function fold(path: string): string {
	const checked = checkPath(path);
	return foldText(checked.ok ? checked.path : path);
}

function foldText(text: string): string {
	return text
		.normalize("NFKC")
		.replace(/[\u00ad\u200b-\u200f\u2060-\u2064\ufeff]/g, "")
		.toLowerCase();
}
