import { runGit, runGitBytes } from "./git-command.ts";

export interface HunkRange {
	readonly oldStart: number;
	readonly oldLines: number;
	readonly newStart: number;
	readonly newLines: number;
	/** The `@@` line followed by the hunk's lines, with their prefixes. */
	readonly lines: readonly string[];
}

export interface DiffFile {
	readonly path: string;
	readonly previousPath: string | undefined;
	readonly status: "added" | "removed" | "modified" | "renamed" | "copied" | "changed";
	readonly additions: number;
	readonly deletions: number;
	readonly blob: string;
	/** From the first `@@` on, as the API gives it; undefined for binary, very large and unchanged content (BR-10). */
	readonly patch: string | undefined;
	readonly hunks: readonly HunkRange[];
}

/** GitHub shows no patch of a single file beyond these. */
const FILE_PATCH_BYTES = 500_000;
const FILE_PATCH_LINES = 20_000;

const STATUS: Readonly<Record<string, DiffFile["status"]>> = {
	A: "added",
	D: "removed",
	M: "modified",
	R: "renamed",
	C: "copied",
	T: "changed",
};

/** Options that make a diff depend on the two commits alone (BR-09). */
const DIFF = ["diff", "--no-ext-diff", "--no-textconv", "--no-color", "--find-renames", "--submodule=short", "--ignore-submodules=none"];

interface RawEntry {
	readonly letter: string;
	readonly blob: string;
	readonly path: string;
	readonly previousPath: string | undefined;
}

function parseRaw(text: string): { entries: RawEntry[]; rest: string[] } {
	const fields = text.split("\0");
	const entries: RawEntry[] = [];
	let index = 0;
	while (fields[index]?.startsWith(":")) {
		const [, , oldBlob, newBlob, status] = (fields[index] ?? "").split(" ");
		const letter = (status ?? "M").charAt(0);
		const renamed = letter === "R" || letter === "C";
		const first = fields[index + 1] ?? "";
		const path = renamed ? (fields[index + 2] ?? "") : first;
		entries.push({ letter, path, previousPath: renamed ? first : undefined, blob: (letter === "D" ? oldBlob : newBlob) ?? "" });
		index += renamed ? 3 : 2;
	}
	return { entries, rest: fields.slice(index) };
}

/** Numbers in the order of the raw entries; binary files count as zero. */
function parseNumstat(fields: readonly string[]): { additions: number; deletions: number }[] {
	const numbers: { additions: number; deletions: number }[] = [];
	for (const field of fields) {
		const match = /^(\d+|-)\t(\d+|-)\t/.exec(field);
		if (match !== null) numbers.push({ additions: Number(match[1]) || 0, deletions: Number(match[2]) || 0 });
	}
	return numbers;
}

/** Splits by the header line: every line of content starts with a blank, `+`, `-`, `\` or `@`. */
function splitSections(patch: string): string[] {
	return patch.split(/(?<=^|\n)(?=diff --git )/).filter((section) => section !== "");
}

function parseHunks(patch: string): readonly HunkRange[] {
	const hunks: { header: RegExpExecArray; lines: string[] }[] = [];
	for (const line of patch.split("\n")) {
		const header = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/.exec(line);
		if (header !== null) hunks.push({ header, lines: [line] });
		else hunks.at(-1)?.lines.push(line);
	}
	return hunks.map(({ header, lines }) => ({
		oldStart: Number(header[1]),
		oldLines: Number(header[2] ?? "1"),
		newStart: Number(header[3]),
		newLines: Number(header[4] ?? "1"),
		lines,
	}));
}

function patchOf(sections: readonly string[]): string | undefined {
	const bodies = sections
		.map((section) => section.indexOf("\n@@ "))
		.map((at, index) => (at < 0 ? "" : (sections[index] ?? "").slice(at + 1)));
	const patch = bodies.join("").replace(/\n$/, "");
	if (patch === "" || patch.length > FILE_PATCH_BYTES) return undefined;
	return patch.split("\n").length > FILE_PATCH_LINES ? undefined : patch;
}

/** Reads the changed files between two commits (or trees) with counts, patches and hunks. */
export async function readDiff(bare: string, from: string, to: string): Promise<readonly DiffFile[]> {
	const [summary, full] = await Promise.all([
		runGit(bare, [...DIFF, "--raw", "--numstat", "-z", "--abbrev=40", from, to, "--"]),
		runGit(bare, [...DIFF, "--patch", from, to, "--"]),
	]);
	const { entries, rest } = parseRaw(summary);
	const numbers = parseNumstat(rest);
	const sections = splitSections(full.endsWith("\n") ? full : `${full}\n`);
	let next = 0;
	return entries.map((entry, index) => {
		// A type change (file to link) is printed as a removal and an addition.
		const count = entry.letter === "T" ? 2 : 1;
		const own = sections.slice(next, next + count);
		next += count;
		const patch = patchOf(own);
		return {
			path: entry.path,
			previousPath: entry.previousPath,
			status: STATUS[entry.letter] ?? "changed",
			additions: numbers[index]?.additions ?? 0,
			deletions: numbers[index]?.deletions ?? 0,
			blob: entry.blob,
			patch,
			hunks: patch === undefined ? [] : parseHunks(patch),
		};
	});
}

/** The unified diff as the diff media type gives it. */
export async function readDiffText(bare: string, from: string, to: string): Promise<Buffer> {
	return runGitBytes(bare, [...DIFF, "--patch", from, to, "--"]);
}

/** The commits as mails, as the patch media type gives them. */
export async function readPatchText(bare: string, from: string, to: string): Promise<Buffer> {
	return runGitBytes(bare, ["format-patch", "--stdout", "--no-signature", `${from}..${to}`]);
}

/**
 * Where a line of one commit's file is in another's: undefined when it was changed or removed in between,
 * or when the file is gone. `path` is the name in both commits.
 */
export async function mapLine(bare: string, from: string, to: string, path: string, line: number): Promise<number | undefined> {
	const patch = await runGit(bare, [...DIFF, "--patch", "--unified=0", from, to, "--", `:(literal)${path}`]);
	if (/^deleted file mode /m.test(patch)) return undefined;
	let offset = 0;
	for (const hunk of parseHunks(patch)) {
		const first = hunk.oldLines === 0 ? hunk.oldStart + 1 : hunk.oldStart;
		if (line < first) break;
		if (line < first + hunk.oldLines) return undefined;
		offset += hunk.newLines - hunk.oldLines;
	}
	return line + offset;
}
