import type { ChangedFile } from "../domain/change-set.ts";
import { countLines } from "./count-lines.ts";

/**
 * What one child can read with care: about 20,000 tokens of diff, and as many files as it can name in its steps. More
 * lowers what is found in each (COST.md part 3).
 */
export const MAX_LINES_PER_CHILD = 1_500;
export const MAX_FILES_PER_CHILD = 40;

/**
 * Splits files among children, each within the two limits, by folder so that what belongs together stays together.
 * A file that is larger than a child's share is a shard of its own.
 */
export function shardFiles(files: readonly ChangedFile[]): readonly (readonly ChangedFile[])[] {
	const ordered = [...files].sort((a, b) => (a.path < b.path ? -1 : 1));
	const lines = countLines(ordered);
	const wanted = Math.max(Math.ceil(lines / MAX_LINES_PER_CHILD), Math.ceil(ordered.length / MAX_FILES_PER_CHILD), 1);
	// Even shares: 1,600 lines are two times 800 and not 1,500 and 100.
	const target = Math.min(MAX_LINES_PER_CHILD, Math.ceil(lines / wanted));
	const shards: ChangedFile[][] = [];
	let current: ChangedFile[] = [];
	let size = 0;
	for (const file of ordered) {
		const own = countLines([file]);
		const full = current.length >= MAX_FILES_PER_CHILD || size + own > MAX_LINES_PER_CHILD || size >= target;
		if (current.length > 0 && full) {
			shards.push(current);
			current = [];
			size = 0;
		}
		current.push(file);
		size += own;
	}
	if (current.length > 0) shards.push(current);
	return shards;
}
