import { createHash } from "node:crypto";
import type { ChangedFile, FilePatch } from "./change-set.ts";

/**
 * 16 hex digits for what a pull request does to one file: its lines with their context, without their numbers. Merging
 * `main` or a rebase leaves it as it is unless it touches the same lines, as `git patch-id` does. Undefined where
 * no lines tell the change (binary files, moves, submodules): then the blob has to be the same.
 */
export function changeId(file: ChangedFile, patch: FilePatch | undefined): string | undefined {
	if (file.binary || file.submodule !== undefined || patch === undefined || patch.hunks.length === 0) return undefined;
	if (patch.binary || patch.combined === true || patch.problem !== undefined) return undefined;
	const lines = patch.hunks.map((hunk) => hunk.lines.map((line) => [line.kind, line.text, line.noNewline === true]));
	return createHash("sha256")
		.update(JSON.stringify([file.status, file.previousPath ?? "", file.newMode, lines]))
		.digest("hex")
		.slice(0, 16);
}
