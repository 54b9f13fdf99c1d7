import { checkCommandsFor, type LanguageProfile } from "../agents/experts/language-profile.ts";
import { findLanguage } from "../agents/experts/table.ts";

/** A folder in which a language's commands are run. */
export interface CheckFolder {
	/** Relative to the tree; empty for its top. */
	readonly path: string;
	/** Paths below it, relative to it, and the names of inherited files above it: what the choice of a command looks at. */
	readonly files: ReadonlySet<string>;
}

/**
 * The folders whose checks cover the given files of a language: for each file the package it belongs to (the nearest
 * manifest above it, or the topmost where one build covers all). Folders in byte order, none twice. A command that is the
 * same everywhere (of the settings) runs once, at the top. Pure.
 * @param files all paths of the tree
 * @param changed paths that matter; all files of the language when absent
 */
export function findCheckFolders(profile: LanguageProfile, files: readonly string[], changed?: readonly string[]): readonly CheckFolder[] {
	if (profile.testCommand(new Set()) !== undefined) return [describeFolder(profile, files, "")];
	const wanted = changed ?? files.filter((file) => findLanguage(file, [profile]) !== undefined);
	const byFolder = groupByFolder(files);
	const found = new Map<string, CheckFolder>();
	const known = new Map<string, string | undefined>();
	for (const file of wanted) {
		const start = parentOf(file);
		if (!known.has(start)) known.set(start, chooseFolder(profile, byFolder, files, start));
		const folder = known.get(start);
		if (folder !== undefined && !found.has(folder)) found.set(folder, describeFolder(profile, files, folder));
	}
	return [...found.values()].sort((a, b) => (a.path < b.path ? -1 : 1));
}

/** The package of a file for a language: the folder of its manifest; undefined when no folder above it can be checked. */
function chooseFolder(
	profile: LanguageProfile,
	byFolder: ReadonlyMap<string, readonly string[]>,
	files: readonly string[],
	start: string,
): string | undefined {
	const candidates: string[] = [];
	for (let folder: string | undefined = start; folder !== undefined; folder = folder === "" ? undefined : parentOf(folder)) {
		const names = byFolder.get(folder) ?? [];
		if (names.some((name) => findLanguage(name, [profile])?.by === "manifest")) candidates.push(folder);
	}
	if (!candidates.includes("")) candidates.push("");
	const usable = candidates.filter((folder) => {
		const { files: below } = describeFolder(profile, files, folder);
		return profile.testCommand(below) !== undefined || checkCommandsFor(profile, below).length > 0;
	});
	const withTests = usable.filter((folder) => profile.testCommand(describeFolder(profile, files, folder).files) !== undefined);
	const chosen = withTests.length > 0 ? withTests : usable;
	return profile.buildRoot === "topmost" ? chosen.at(-1) : chosen[0];
}

function describeFolder(profile: LanguageProfile, files: readonly string[], folder: string): CheckFolder {
	const prefix = folder === "" ? "" : `${folder}/`;
	const below = new Set(files.filter((file) => file.startsWith(prefix)).map((file) => file.slice(prefix.length)));
	for (let above = folder; above !== ""; ) {
		above = parentOf(above);
		for (const name of profile.inherited ?? []) if (files.includes(above === "" ? name : `${above}/${name}`)) below.add(name);
	}
	return { path: folder, files: below };
}

function groupByFolder(files: readonly string[]): Map<string, string[]> {
	const groups = new Map<string, string[]>();
	for (const file of files) {
		const folder = parentOf(file);
		const names = groups.get(folder) ?? [];
		names.push(file.slice(folder === "" ? 0 : folder.length + 1));
		groups.set(folder, names);
	}
	return groups;
}

function parentOf(path: string): string {
	const slash = path.lastIndexOf("/");
	return slash < 0 ? "" : path.slice(0, slash);
}
