import type { LanguageProfile } from "../agents/experts/language-profile.ts";
import { findLanguage } from "../agents/experts/table.ts";

interface LanguageChoice {
	readonly profile: LanguageProfile;
	/** The files given that belong to it; empty when words decided. */
	readonly files: readonly string[];
}

export type InferredLanguage =
	| { readonly kind: "languages"; readonly choices: readonly LanguageChoice[]; readonly reason: string }
	| { readonly kind: "generalist"; readonly reason: string };

/** A path named in the task says more than a tool's name. */
const PATH_SCORE = 2;
const PATH_IN_TEXT = /(?<![\w@])[\w.-]+(?:\/[\w.-]+)*\.[A-Za-z]{1,10}(?!\w)/g;

/**
 * The languages of a task that a model delegates with `auto`: the files given decide, each language with its own;
 * when they decide nothing, names in the task are scored, never taken first come first served (S-017, D-03 to D-05).
 * Nothing decides: the generalist, or the language the settings name. The automatic review never asks here, since
 * the text of a pull request must not choose its reviewer.
 */
export function inferLanguage(
	request: { readonly task: string; readonly files: readonly string[] },
	profiles: readonly LanguageProfile[],
	defaultLanguage?: string,
): InferredLanguage {
	const byFiles = groupByLanguage(request.files, profiles);
	if (byFiles.length > 0) {
		const names = byFiles.map((choice) => `${choice.profile.id} (${choice.files.length})`).join(", ");
		return { kind: "languages", choices: byFiles, reason: `by file names: ${names}` };
	}
	const scores = profiles
		.map((profile) => ({ profile, found: findEvidence(request.task, profile, profiles) }))
		.filter(({ found }) => found.score > 0)
		.sort((a, b) => b.found.score - a.found.score);
	const [best, second] = scores;
	if (best !== undefined && best.found.score > (second?.found.score ?? 0)) {
		return {
			kind: "languages",
			choices: [{ profile: best.profile, files: [] }],
			reason: `by names in the task: ${best.found.names.join(", ")}`,
		};
	}
	const why =
		best === undefined
			? "neither files nor names in the task tell a language"
			: `names in the task speak for ${best.profile.id} and ${second?.profile.id} alike`;
	const configured = profiles.find((profile) => profile.id === defaultLanguage);
	if (configured === undefined) return { kind: "generalist", reason: why };
	return { kind: "languages", choices: [{ profile: configured, files: [] }], reason: `${why}; moe.defaultLanguage is ${configured.id}` };
}

function groupByLanguage(files: readonly string[], profiles: readonly LanguageProfile[]): readonly LanguageChoice[] {
	const groups = new Map<LanguageProfile, string[]>();
	for (const file of files) {
		const found = findLanguage(file, profiles);
		if (found !== undefined) groups.set(found.profile, [...(groups.get(found.profile) ?? []), file]);
	}
	return [...groups].map(([profile, own]) => ({ profile, files: own })).sort((a, b) => b.files.length - a.files.length);
}

function findEvidence(
	task: string,
	profile: LanguageProfile,
	profiles: readonly LanguageProfile[],
): { readonly score: number; readonly names: readonly string[] } {
	const words = profile.keywords.filter((keyword) => containsWord(task, keyword));
	const paths = (task.match(PATH_IN_TEXT) ?? []).filter((path) => findLanguage(path, profiles)?.profile.id === profile.id);
	return { score: words.length + PATH_SCORE * new Set(paths).size, names: [...new Set([...words, ...paths])] };
}

function containsWord(text: string, word: string): boolean {
	const escaped = word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
	return new RegExp(`(?<![\\w.-])${escaped}(?![\\w-]|\\.\\w)`, "i").test(text);
}
