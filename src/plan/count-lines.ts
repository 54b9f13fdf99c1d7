import type { ChangedFile } from "../domain/change-set.ts";

/** Changed lines, the weight of files everywhere in a plan. */
export function countLines(files: readonly Pick<ChangedFile, "additions" | "deletions">[]): number {
	return files.reduce((sum, file) => sum + file.additions + file.deletions, 0);
}
