import type { WorkspaceChanges } from "../seams.ts";

/** A change without some of its files. */
export interface KeptChange {
	/** Undefined: nothing is left. */
	readonly changes: WorkspaceChanges | undefined;
	/** Paths that were left out, as a proposal for a person. */
	readonly left: readonly string[];
}

/**
 * Takes files out of a change: a tool that goes over the whole repository also touches what a job may not change, and
 * the rest is worth having (BR-50). The patch holds one section a file, in the order of the list. Throws when it does not.
 */
export function leaveOut(changes: WorkspaceChanges | undefined, isWanted: (path: string) => boolean): KeptChange {
	if (changes === undefined) return { changes, left: [] };
	const left = changes.files.filter((path) => !isWanted(path));
	if (left.length === 0) return { changes, left };
	const sections = splitPatch(changes.patch);
	if (sections.length !== changes.files.length) {
		throw new Error(`a patch of ${changes.files.length} files has ${sections.length} sections`);
	}
	const kept = changes.files.flatMap((path, index) => (isWanted(path) ? [{ path, section: sections[index] ?? Buffer.alloc(0) }] : []));
	if (kept.length === 0) return { changes: undefined, left };
	return {
		changes: { ...changes, files: kept.map(({ path }) => path), patch: Buffer.concat(kept.map(({ section }) => section)) },
		left,
	};
}

const HEADER = Buffer.from("diff --git ");

/** Inside a section each line starts with a mark of its own or is base85, which has no blank: a header stands only before one. */
function splitPatch(patch: Buffer): readonly Buffer[] {
	const starts: number[] = [];
	for (let at = 0; at < patch.length; ) {
		if (patch.subarray(at, at + HEADER.length).equals(HEADER)) starts.push(at);
		const end = patch.indexOf(0x0a, at);
		at = end < 0 ? patch.length : end + 1;
	}
	return starts.map((start, index) => patch.subarray(start, starts[index + 1] ?? patch.length));
}
