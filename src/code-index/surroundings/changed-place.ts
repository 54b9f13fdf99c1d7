import type { FilePatch, Hunk } from "../../domain/change-set.ts";
import { keyOf, listShared } from "../changes/shared-definitions.ts";
import type { Definition, FileFacts } from "../types.ts";

/** A changed file of a known language, with the lines that the change touches. */
export interface ChangedPlace {
	readonly path: string;
	readonly facts: FileFacts;
	readonly text: string;
	readonly patch: FilePatch;
	/** Head lines that the change added, or beside which it took lines away. */
	readonly touched: ReadonlySet<number>;
	/** Head lines that the diff shows. */
	readonly shown: ReadonlySet<number>;
}

export function readPlace(patch: FilePatch, text: string, facts: FileFacts): ChangedPlace {
	const touched = new Set<number>();
	const shown = new Set<number>();
	for (const hunk of patch.hunks) {
		for (const line of touchedLines(hunk)) touched.add(line);
		for (const line of hunk.lines) if (line.newLine !== undefined) shown.add(line.newLine);
	}
	return { path: patch.path, facts, text, patch, touched, shown };
}

/** Added lines, and for lines taken away the head line that stands there now. */
function touchedLines(hunk: Hunk): readonly number[] {
	let next = Math.max(1, hunk.newStart);
	return hunk.lines.map((line) => {
		if (line.kind === "deleted") return next;
		next = (line.newLine ?? next) + 1;
		return line.kind === "added" ? next - 1 : 0;
	});
}

/** Key of the innermost shared definition around the first touched line of each hunk; "" where there is none. */
export function nameHunks({ facts, patch }: ChangedPlace): readonly string[] {
	const shared = listShared(facts).filter(({ definition }) => definition.endLine > definition.startLine);
	return patch.hunks.map((hunk) => {
		const line = touchedLines(hunk).find((one) => one > 0) ?? hunk.newStart;
		const around = shared.filter(({ definition }) => definition.startLine <= line && line <= definition.endLine);
		const innermost = around.sort((a, b) => length(a.definition) - length(b.definition))[0];
		return innermost === undefined ? "" : keyOf(facts, innermost.position);
	});
}

export function length(definition: Definition): number {
	return definition.endLine - definition.startLine;
}

/** Shared definitions with a touched line, members rather than the types that hold them. */
export function touchedDefinitions({
	facts,
	touched,
}: ChangedPlace): readonly { readonly position: number; readonly definition: Definition }[] {
	const hit = listShared(facts).filter(({ definition }) =>
		[...touched].some((line) => definition.startLine <= line && line <= definition.endLine),
	);
	return hit.filter(
		({ position, definition }) =>
			definition.kind === "function" || definition.kind === "method" || !hit.some((other) => other.definition.container === position),
	);
}
