import type { ExpertSettings } from "../../domain/settings.ts";
import { CPP } from "./further/cpp.ts";
import { CSHARP } from "./further/csharp.ts";
import { KOTLIN } from "./further/kotlin.ts";
import { PHP } from "./further/php.ts";
import { RUBY } from "./further/ruby.ts";
import { SHELL } from "./further/shell.ts";
import { SQL } from "./further/sql.ts";
import { SWIFT } from "./further/swift.ts";
import { TERRAFORM } from "./further/terraform.ts";
import { WORKFLOWS } from "./further/workflows.ts";
import { GO } from "./go.ts";
import { JAVA } from "./java.ts";
import type { LanguageProfile } from "./language-profile.ts";
import { PYTHON } from "./python.ts";
import { RUST } from "./rust.ts";
import { TYPESCRIPT } from "./typescript.ts";

/** The built-in languages, one line each. Routing, inference and prompts all read this one table (D-06). */
export const LANGUAGES: readonly LanguageProfile[] = [GO, RUST, PYTHON, JAVA, TYPESCRIPT];

/** Languages beyond the five, on the same mechanism. `/experts` names those that a repository has files of. */
export const FURTHER_LANGUAGES: readonly LanguageProfile[] = [CPP, CSHARP, RUBY, PHP, KOTLIN, SWIFT, SHELL, SQL, TERRAFORM, WORKFLOWS];

/** All that are built in: what a run's table starts from (`extendTable`). The five come first and win where two claim a name. */
export const BUILT_IN_LANGUAGES: readonly LanguageProfile[] = [...LANGUAGES, ...FURTHER_LANGUAGES];

/** The language of a path and what told it; undefined for what belongs to no language. */
export function findLanguage(
	path: string,
	profiles: readonly LanguageProfile[],
): { readonly profile: LanguageProfile; readonly by: "file name" | "manifest" | "extension" } | undefined {
	const name = path.slice(path.lastIndexOf("/") + 1);
	const byName = profiles.find(
		(profile) => profile.filenames.includes(name) || profile.paths?.some((pattern) => pattern.test(path)) === true,
	);
	if (byName !== undefined) return { profile: byName, by: "file name" };
	const byManifest = profiles.find((profile) => profile.manifests.some((pattern) => fitsPattern(name, pattern)));
	if (byManifest !== undefined) return { profile: byManifest, by: "manifest" };
	const lowered = name.toLowerCase();
	// The longest extension wins, so that a language may claim `.blade.php` before `.php`.
	const candidates = profiles
		.flatMap((profile) => profile.extensions.map((extension) => ({ profile, extension })))
		.filter(({ extension }) => lowered.endsWith(extension) && lowered.length > extension.length)
		.sort((a, b) => b.extension.length - a.extension.length);
	return candidates[0] === undefined ? undefined : { profile: candidates[0].profile, by: "extension" };
}

function fitsPattern(name: string, pattern: string): boolean {
	const star = pattern.indexOf("*");
	if (star < 0) return name === pattern;
	const [before, after] = [pattern.slice(0, star), pattern.slice(star + 1)];
	return name.length >= before.length + after.length && name.startsWith(before) && name.endsWith(after);
}

/**
 * The table with what the settings add: text behind a built-in language's guidance, never in its place (S-015);
 * further extensions; languages of their own; and without those that are switched off.
 */
export function extendTable(
	profiles: readonly LanguageProfile[],
	experts: Readonly<Record<string, ExpertSettings>>,
	checks: Readonly<Record<string, string>> = {},
): readonly LanguageProfile[] {
	const extended = profiles
		.filter((profile) => experts[profile.id]?.enabled !== false)
		.map((profile) => {
			const added = experts[profile.id];
			return added === undefined ? profile : addTo(profile, added);
		});
	const own = Object.entries(experts)
		.filter(([id, expert]) => expert.enabled !== false && !profiles.some((profile) => profile.id === id))
		.map(([id, expert]) => addTo(emptyProfile(id), expert));
	return [...extended, ...own].map((profile) => {
		const command = checks[profile.id];
		return command === undefined ? profile : { ...profile, testCommand: () => command };
	});
}

function emptyProfile(id: string): LanguageProfile {
	return {
		id,
		displayName: id,
		extensions: [],
		filenames: [],
		manifests: [],
		keywords: [],
		guidance: "",
		checkCommands: [],
		testCommand: () => undefined,
	};
}

function addTo(profile: LanguageProfile, added: ExpertSettings): LanguageProfile {
	const { test } = added;
	return {
		...profile,
		displayName: added.displayName ?? profile.displayName,
		extensions: [...new Set([...profile.extensions, ...(added.extensions ?? []).map((extension) => extension.toLowerCase())])],
		filenames: [...new Set([...profile.filenames, ...(added.filenames ?? [])])],
		manifests: [...new Set([...profile.manifests, ...(added.manifests ?? [])])],
		...(added.guidance === undefined ? {} : { addedGuidance: added.guidance.trim() }),
		testCommand: test === undefined ? profile.testCommand : () => test,
	};
}
