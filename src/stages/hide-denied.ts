import type { FilePatch } from "../domain/change-set.ts";
import type { PathRules } from "../guard/path-rules.ts";
import type { Change } from "./load-change.ts";

/**
 * The change as children and comments may see it: of files that policy or their name hides, the name is left and nothing
 * else (S-110, S-111). A file that was renamed is hidden by either of its names.
 */
export function hideDenied(change: Change, paths: PathRules): Change {
	const previous = new Map(change.changeSet.files.map((file) => [file.path, file.previousPath]));
	const isVisible = (path: string): boolean => paths.isVisible(path) && paths.isVisible(previous.get(path) ?? path);
	return {
		...change,
		async readPatches(paths) {
			const wanted = [...new Set(paths)];
			const patches = new Map((await change.readPatches(wanted.filter(isVisible))).map((patch) => [patch.path, patch]));
			return wanted.flatMap((path): readonly FilePatch[] => {
				const patch = patches.get(path);
				if (patch !== undefined) return [patch];
				return isVisible(path) || !previous.has(path) ? [] : [{ path, binary: false, hunks: [] }];
			});
		},
		readHead: async (path) => (isVisible(path) ? change.readHead(path) : undefined),
		trustDiff: change.trustDiff.map((row) => {
			if (isVisible(row.path)) return row;
			const { patch: _patch, ...rest } = row;
			return rest;
		}),
	};
}
