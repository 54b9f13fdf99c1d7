import type { ChangedFile } from "../domain/change-set.ts";

/** The changed files by every name a report may use for them. */
export interface ChangedPaths {
	readonly byPath: ReadonlyMap<string, ChangedFile>;
	/** Old name to file, for renames and copies: comments always go to the head-side name (BR-19). */
	readonly byPreviousPath: ReadonlyMap<string, ChangedFile>;
	/** Lower-case name to file; only names that stay unique. */
	readonly byLowerCase: ReadonlyMap<string, ChangedFile>;
}

export function indexChangedPaths(files: readonly ChangedFile[]): ChangedPaths {
	const byPath = new Map(files.map((file) => [file.path, file]));
	const byPreviousPath = new Map<string, ChangedFile>();
	const lower = new Map<string, ChangedFile[]>();
	for (const file of files) {
		if (file.previousPath !== undefined && !byPreviousPath.has(file.previousPath)) byPreviousPath.set(file.previousPath, file);
		const key = file.path.toLowerCase();
		lower.set(key, [...(lower.get(key) ?? []), file]);
	}
	const byLowerCase = new Map<string, ChangedFile>();
	for (const [key, named] of lower) if (named.length === 1 && named[0] !== undefined) byLowerCase.set(key, named[0]);
	return { byPath, byPreviousPath, byLowerCase };
}

/** The changed file a report means; without one, the cleaned path, which may name an unchanged file. */
export function findChangedFile(reported: string, paths: ChangedPaths): { readonly path: string; readonly file: ChangedFile | undefined } {
	const spellings = spellingsOf(reported);
	for (const names of [paths.byPath, paths.byPreviousPath]) {
		for (const spelling of spellings) {
			const file = names.get(spelling);
			if (file !== undefined) return { path: file.path, file };
		}
	}
	for (const spelling of spellings) {
		const file = paths.byLowerCase.get(spelling.toLowerCase());
		if (file !== undefined) return { path: file.path, file };
	}
	return { path: spellings[1] ?? reported, file: undefined };
}

/** As written first, then cleaned (`./`, backslashes, a leading slash), then without a diff's `a/` or `b/`. */
function spellingsOf(reported: string): readonly string[] {
	const cleaned = reported
		.replaceAll("\\", "/")
		.split("/")
		.filter((part, index, parts) => part !== "." && (part !== "" || index === parts.length - 1))
		.join("/");
	const bare = /^[ab]\/(.+)$/.exec(cleaned)?.[1];
	return bare === undefined ? [reported, cleaned] : [reported, cleaned, bare];
}
