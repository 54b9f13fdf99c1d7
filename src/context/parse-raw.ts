import type { ChangedFile, FileStatus } from "../domain/change-set.ts";

const NUL = 0;
const COLON = 0x3a;
const SUBMODULE_MODE = "160000";
const NO_MODE = "000000";

/**
 * Reads the output of `git diff --raw --numstat -z --no-abbrev`: the one truth for names, modes and object ids.
 *
 * Names are taken by their place and never searched for, so none can be mistaken for syntax; a rename has two
 * (BR-03, R44). A name that is no UTF-8 is shown with replacement characters. A submodule whose commit did not move
 * is no change and is left out (BR-07). Throws when the output is cut off or malformed: that is never "no changes".
 */
export function parseRaw(output: Buffer): ChangedFile[] {
	const fields = splitFields(output);
	const files: ChangedFile[] = [];
	let position = 0;
	while (fields[position]?.[0] === COLON) {
		const [entry, next] = readEntry(fields, position);
		files.push(entry);
		position = next;
	}
	const counted: ChangedFile[] = [];
	for (const file of files) {
		const counts = readCounts(fields, position);
		position = counts.next;
		if (counts.path !== file.path) throw new Error(`git diff: line counts of ${counts.path} where ${file.path} was due`);
		counted.push({ ...file, binary: counts.binary, additions: counts.additions, deletions: counts.deletions });
	}
	if (position !== fields.length) throw new Error(`git diff: ${fields.length - position} fields too many in the list of changes`);
	return counted.filter((file) => !(file.submodule !== undefined && file.oldBlob === file.newBlob));
}

function splitFields(output: Buffer): Buffer[] {
	const fields: Buffer[] = [];
	for (let start = 0; start < output.length; ) {
		const end = output.indexOf(NUL, start);
		if (end === -1) throw new Error("git diff: the list of changes is cut off");
		fields.push(output.subarray(start, end));
		start = end + 1;
	}
	return fields;
}

/** `:MODE MODE ID ID STATUS` and one name, or two for a rename or copy. */
function readEntry(fields: readonly Buffer[], position: number): [ChangedFile, number] {
	const text = fields[position]?.toString("latin1") ?? "";
	const match = /^:(\d{6}) (\d{6}) ([0-9a-f]{40}) ([0-9a-f]{40}) ([A-Z])\d*$/.exec(text);
	const first = fields[position + 1]?.toString("utf8");
	if (match === null || first === undefined) throw new Error(`git diff: entry ${JSON.stringify(text)} cannot be read`);
	const [, oldMode = "", newMode = "", oldBlob = "", newBlob = "", letter = ""] = match;
	const moved = letter === "R" || letter === "C";
	const second = moved ? fields[position + 2]?.toString("utf8") : first;
	if (second === undefined) throw new Error(`git diff: entry ${JSON.stringify(text)} has one name, two are due`);
	const submodule = [oldMode, newMode].every((mode) => mode === SUBMODULE_MODE || mode === NO_MODE);
	const file: ChangedFile = {
		path: second,
		...(moved ? { previousPath: first } : {}),
		status: statusOf(letter, oldMode !== newMode, oldBlob === newBlob),
		oldMode,
		newMode,
		oldBlob,
		newBlob,
		binary: false,
		additions: 0,
		deletions: 0,
		...(submodule ? { submodule: { from: oldBlob, to: newBlob } } : {}),
	};
	return [file, position + (moved ? 3 : 2)];
}

function statusOf(letter: string, modeChanged: boolean, sameBlob: boolean): FileStatus {
	switch (letter) {
		case "A":
			return "added";
		case "D":
			return "deleted";
		case "R":
			return "renamed";
		case "C":
			return "copied";
		case "T":
			return "type-changed";
		case "M":
			return modeChanged && sameBlob ? "mode-changed" : "modified";
		default:
			throw new Error(`git diff: status ${letter} is not expected between two commits`);
	}
}

interface Counts {
	readonly path: string;
	readonly additions: number;
	readonly deletions: number;
	readonly binary: boolean;
	readonly next: number;
}

/** `ADDED TAB DELETED TAB NAME`; for a rename the name is empty and two more fields follow. `-` counts mean binary. */
function readCounts(fields: readonly Buffer[], position: number): Counts {
	const field = fields[position] ?? Buffer.alloc(0);
	const firstTab = field.indexOf(0x09);
	const secondTab = field.indexOf(0x09, firstTab + 1);
	const counts = /^(\d+|-)\t(\d+|-)\t$/.exec(field.toString("latin1", 0, secondTab + 1));
	if (counts === null) throw new Error("git diff: a line count is missing in the list of changes");
	const name = field.subarray(secondTab + 1);
	const moved = name.length === 0;
	const path = (moved ? fields[position + 2] : name)?.toString("utf8");
	if (path === undefined) throw new Error("git diff: the list of changes is cut off");
	return {
		path,
		additions: Number(counts[1] === "-" ? 0 : counts[1]),
		deletions: Number(counts[2] === "-" ? 0 : counts[2]),
		binary: counts[1] === "-",
		next: position + (moved ? 3 : 1),
	};
}
