import type { FilePatch, Hunk } from "../domain/change-set.ts";
import { revealMarks } from "../domain/hidden-text.ts";
import { quotePath } from "./quote-path.ts";

/** One file alone never takes more than this share, so that a generated-looking giant does not push out the rest. */
const LARGEST_FILE_SHARE = 0.5;

export interface ChosenDiffs {
	readonly text: string;
	readonly characters: number;
	/** Files whose whole patch is inside. */
	readonly complete: ReadonlySet<string>;
	/** Indexes of the hunks that are inside, by path; a file without any has no entry. */
	readonly shown: ReadonlyMap<string, readonly number[]>;
	/** Files of which something, or everything, did not fit. */
	readonly leftOut: readonly string[];
}

/** Name of what encloses a hunk, for its header; "" for none. */
export type NameHunk = (patch: FilePatch, hunk: number) => string;

/**
 * Packs the most places into the budget: whole patches first, smallest first, then single hunks of the larger ones, again
 * smallest first (COST.md 3.2). What is inside keeps the order of the change. Pure and deterministic.
 */
export function chooseDiffs(patches: readonly FilePatch[], budgetChars: number, nameHunk: NameHunk): ChosenDiffs {
	const rendered = patches
		.filter((patch) => patch.hunks.length > 0)
		.map((patch) => ({
			path: patch.path,
			header: renderHeader(patch),
			hunks: patch.hunks.map((hunk, index) => renderHunk(hunk, nameHunk(patch, index))),
		}))
		.map((file) => ({ ...file, size: file.header.length + file.hunks.reduce((sum, hunk) => sum + hunk.length, 0) }));
	const shown = new Map<string, number[]>();
	let used = 0;
	for (const file of [...rendered].sort((a, b) => a.size - b.size || compare(a.path, b.path))) {
		if (used + file.size > budgetChars) break;
		if (rendered.length > 1 && file.size > budgetChars * LARGEST_FILE_SHARE) continue;
		shown.set(
			file.path,
			file.hunks.map((_, index) => index),
		);
		used += file.size;
	}
	const rest = rendered
		.filter((file) => !shown.has(file.path))
		.flatMap((file) => file.hunks.map((hunk, index) => ({ file, index, size: hunk.length })))
		.sort((a, b) => a.size - b.size || compare(a.file.path, b.file.path) || a.index - b.index);
	for (const { file, index, size } of rest) {
		const cost = size + (shown.has(file.path) ? 0 : file.header.length);
		if (used + cost > budgetChars) break;
		shown.set(
			file.path,
			[...(shown.get(file.path) ?? []), index].sort((a, b) => a - b),
		);
		used += cost;
	}
	const isComplete = (file: (typeof rendered)[number]) => shown.get(file.path)?.length === file.hunks.length;
	return {
		text: rendered
			.filter((file) => shown.has(file.path))
			.map((file) => file.header + (shown.get(file.path) ?? []).map((index) => file.hunks[index]).join(""))
			.join("\n"),
		characters: used,
		complete: new Set(rendered.filter(isComplete).map((file) => file.path)),
		shown,
		leftOut: rendered.filter((file) => !isComplete(file)).map((file) => file.path),
	};
}

function compare(a: string, b: string): number {
	return a < b ? -1 : a > b ? 1 : 0;
}

function renderHeader(patch: FilePatch): string {
	return `=== ${patch.previousPath === undefined ? "" : `${quotePath(patch.previousPath)} -> `}${quotePath(patch.path)}\n`;
}

/** As unified text, CR at line ends left out for reading (BR-13). */
function renderHunk(hunk: Hunk, name: string): string {
	const lines = hunk.lines.map(
		(line) => `${line.kind === "added" ? "+" : line.kind === "deleted" ? "-" : " "}${revealMarks(line.text.replace(/\r$/, ""))}\n`,
	);
	const section = name === "" ? hunk.section : `in ${name}`;
	return `@@ -${hunk.oldStart},${hunk.oldLines} +${hunk.newStart},${hunk.newLines} @@${section === "" ? "" : ` ${section}`}\n${lines.join("")}`;
}
