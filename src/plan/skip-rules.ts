import picomatch from "picomatch";
import type { ChangedFile } from "../domain/change-set.ts";
import { GENERATED_PATHS, VENDORED_PATHS } from "./linguist-data.ts";
import { readGitAttributes } from "./read-git-attributes.ts";

/** Written by package managers; what matters in them is said by the manifest beside them. */
const LOCK_FILES: ReadonlySet<string> = new Set([
	"Cargo.lock",
	"Gemfile.lock",
	"Gopkg.lock",
	"MODULE.bazel.lock",
	"Package.resolved",
	"Pipfile.lock",
	"Podfile.lock",
	"bun.lock",
	"bun.lockb",
	"composer.lock",
	"deno.lock",
	"flake.lock",
	"go.sum",
	"go.work.sum",
	"gradle.lockfile",
	"mix.lock",
	"npm-shrinkwrap.json",
	"package-lock.json",
	"packages.lock.json",
	"pdm.lock",
	"pixi.lock",
	"pnpm-lock.yaml",
	"poetry.lock",
	"pubspec.lock",
	"uv.lock",
	"yarn.lock",
	".terraform.lock.hcl",
]);

/** Marks that generators write; as a comment near the top, so that text about generators is not taken for one. */
const GENERATED_MARKS: readonly RegExp[] = [
	/^\s*(?:\/\/|#|--|;|\/?\*+|<!--|%|')?\s*Code generated\b.{0,200}\bDO NOT EDIT\b/im,
	/^\s*(?:\/\/|#|--|;|\/?\*+|<!--|%|').{0,100}@generated\b/m,
	/^\s*(?:\/\/|#|--|;|\/?\*+|<!--|%|').{0,100}\b(?:auto-?generated|automatically generated)\b.{0,200}\bdo not (?:edit|modify)\b/im,
];

/** Lines at the top in which a mark counts. */
const MARK_LINES = 40;

/** Text that people write has short lines; minifiers make a few very long ones. */
const MINIFIED_AVERAGE = 500;
const MINIFIED_EXTENSIONS = /\.(?:[cm]?js|css|json|html?|svg)$/i;

export interface SkipFacts {
	/** `.gitattributes` at the root of the trusted ref; empty for none. */
	readonly gitAttributes: string;
	/**
	 * The first lines of files, by path, where somebody read them. Their author can write any mark there, so the
	 * caller passes the base side's text, or the head's where the author is trusted.
	 */
	readonly heads: ReadonlyMap<string, string>;
	/** Globs of the settings: what to review (empty: all), and what to leave out. */
	readonly paths: readonly string[];
	readonly pathsIgnore: readonly string[];
	/** The rule that hides a path from every tool. */
	readonly hiddenBy?: (path: string) => string | undefined;
}

/** Says why nobody needs to read a file; undefined for one that is reviewed. */
export type SkipRule = (file: ChangedFile) => string | undefined;

/**
 * Builds the rule for a run. A renamed file is judged by both of its names (BR-12): moving code into a folder of
 * other people's code does not take it out of the review.
 */
export function buildSkipRule(facts: SkipFacts): SkipRule {
	const attributes = readGitAttributes(facts.gitAttributes);
	const isVendored = matchAny(VENDORED_PATHS);
	const isGenerated = matchAny(GENERATED_PATHS);
	const isListed = facts.paths.length === 0 ? () => true : picomatch([...facts.paths], { dot: true });
	const isIgnored = picomatch([...facts.pathsIgnore], { dot: true });
	return (file) => {
		const structural = skipByStructure(file);
		if (structural !== undefined) return structural;
		const names = file.previousPath === undefined ? [file.path] : [file.path, file.previousPath];
		const hidden = names.map((path) => facts.hiddenBy?.(path)).find((rule) => rule !== undefined);
		if (hidden !== undefined) return `hidden by the rule ${hidden}`;
		const all = (test: (path: string) => boolean): boolean => names.every(test);
		if (!names.some((path) => isListed(path))) return "outside of review.paths";
		if (all((path) => isIgnored(path))) return "review.pathsIgnore";
		if (all((path) => LOCK_FILES.has(path.slice(path.lastIndexOf("/") + 1)))) return "lock file";
		const generated = attributes.generated(file.path);
		const vendored = attributes.vendored(file.path);
		if (generated === true) return "generated (.gitattributes)";
		if (vendored === true) return "vendored (.gitattributes)";
		const head = facts.heads.get(file.path);
		if (generated !== false && all(isGenerated)) return "generated (path)";
		if (generated !== false && head !== undefined && hasGeneratedMark(head)) return "generated (mark in the file)";
		if (vendored !== false && all(isVendored)) return "vendored (path)";
		if (generated !== false && head !== undefined && MINIFIED_EXTENSIONS.test(file.path) && looksMinified(head)) return "minified";
		return undefined;
	};
}

/** What the change itself tells: nothing in it that a reviewer could read. */
function skipByStructure(file: ChangedFile): string | undefined {
	if (file.submodule !== undefined) return "submodule";
	if (file.binary) return "binary";
	const lines = file.additions + file.deletions;
	if (lines > 0) return undefined;
	if (file.status === "renamed") return "moved without a change";
	if (file.status === "copied") return "copied without a change";
	if (file.status === "mode-changed" || (file.status === "modified" && file.oldMode !== file.newMode)) return "only the mode changed";
	return "no line changed";
}

function hasGeneratedMark(text: string): boolean {
	const top = text.split("\n", MARK_LINES).join("\n").slice(0, 8_000);
	return GENERATED_MARKS.some((mark) => mark.test(top));
}

function looksMinified(text: string): boolean {
	const lines = text.split("\n").filter((line) => line.trim() !== "");
	return lines.length > 0 && text.length / lines.length > MINIFIED_AVERAGE;
}

function matchAny(sources: readonly string[]): (path: string) => boolean {
	const pattern = new RegExp(sources.map((source) => `(?:${source})`).join("|"));
	return (path) => pattern.test(path);
}
