import type { LanguageProfile } from "../agents/experts/language-profile.ts";
import { findCheckFolders } from "../checks/find-check-folders.ts";
import { quoteForShell } from "../domain/quote-for-shell.ts";
import type { PackageSettings } from "../domain/settings.ts";
import { quotePath } from "./quote-path.ts";

/** What is particular to the part of a repository that one child reads. */
export interface PackageFacts {
	/** The command that runs the tests there, from the repository's top. */
	readonly testCommand: string | undefined;
	/** Text of the settings behind the role; empty when no package of these files has any. */
	readonly guidance: string;
}

/** Looking for the manifests above more folders than this would cost more than the command is worth. */
const MAX_FOLDERS = 60;

/**
 * Tests and guidance of the packages that files lie in. When all of them lie in one package, its tests are run
 * there: by its settings, else by the nearest manifest. Files of several packages have the tests of the top, if any. Pure.
 * @param files paths that the child reads; @param all all paths at the head
 */
export function resolvePackage(
	profile: LanguageProfile | undefined,
	files: readonly string[],
	all: ReadonlySet<string>,
	packages: Readonly<Record<string, PackageSettings>> = {},
): PackageFacts {
	const owners = [...new Set(files.map((file) => packageOf(file, packages)))];
	const guidance = owners
		.flatMap((folder) => (folder === undefined ? [] : describeGuidance(folder, packages[folder]?.guidance)))
		.join("\n\n");
	return { testCommand: profile === undefined ? undefined : chooseTests(profile, files, all, owners, packages), guidance };
}

function packageOf(file: string, packages: Readonly<Record<string, PackageSettings>>): string | undefined {
	const fitting = Object.keys(packages).filter((folder) => file.startsWith(`${folder}/`));
	return fitting.sort((a, b) => b.length - a.length)[0];
}

function describeGuidance(folder: string, guidance: string | undefined): readonly string[] {
	return guidance === undefined ? [] : [`In ${quotePath(folder)}, too:\n${guidance.trim()}`];
}

function chooseTests(
	profile: LanguageProfile,
	files: readonly string[],
	all: ReadonlySet<string>,
	owners: readonly (string | undefined)[],
	packages: Readonly<Record<string, PackageSettings>>,
): string | undefined {
	const [owner] = owners;
	const own = owners.length === 1 && owner !== undefined ? packages[owner]?.checks?.[profile.id] : undefined;
	if (own !== undefined && owner !== undefined) return runIn(owner, own);
	const top = profile.testCommand(all);
	if (new Set(files.map((file) => file.slice(0, file.lastIndexOf("/") + 1))).size > MAX_FOLDERS) return top;
	const [folder, ...more] = findCheckFolders(profile, [...all], files);
	if (folder === undefined || more.length > 0) return top;
	const command = profile.testCommand(folder.files);
	return command === undefined ? top : runIn(folder.path, command);
}

function runIn(folder: string, command: string): string {
	if (folder === "") return command;
	return `cd ${/^[\w./@-]+$/.test(folder) && !folder.startsWith("-") ? folder : quoteForShell(folder)} && ${command}`;
}
