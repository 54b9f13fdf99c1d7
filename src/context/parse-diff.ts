import type { DiffLine, FilePatch, Hunk } from "../domain/change-set.ts";
import { readDiffHeader } from "./read-diff-header.ts";
import { DiffScanner, HUNK_FIELDS, type ScannedSection } from "./scan-diff.ts";

const LINE_FEED = 0x0a;
const PLUS = 0x2b;
const MINUS = 0x2d;
const BACKSLASH = 0x5c;
const NO_OBJECT = "0".repeat(40);
/** A submodule section is four short header lines and two lines of content; longer ones need no second look. */
const LONGEST_SUBMODULE_BYTES = 16_384;

/** One file's section of a diff. Keeping it keeps its bytes; drop it after use to stay small on a large diff. */
export interface DiffSection extends ScannedSection {
	/** Head-side path; for a deleted file, its last path. */
	readonly path: string;
	readonly previousPath: string | undefined;
	readonly oldMode: string | undefined;
	readonly newMode: string | undefined;
	/** Object ids as the `index` line has them, full length only when the diff was made with `--full-index`. */
	readonly oldBlob: string | undefined;
	readonly newBlob: string | undefined;
	readonly binary: boolean;
	readonly submodule: { readonly from: string; readonly to: string } | undefined;
}

/**
 * Reads a unified diff of git from a stream of bytes, one section at a time.
 *
 * Sections come in the order of the stream; a 200 MB diff needs no more memory than its largest section. What cannot
 * be read is marked in `problem` and never dropped. Rejects only when the source does.
 */
export async function* parseDiff(source: AsyncIterable<Buffer>): AsyncGenerator<DiffSection, void, undefined> {
	const scanner = new DiffScanner();
	for await (const chunk of source) for (const scanned of scanner.push(chunk)) yield describeSection(scanned);
	for (const scanned of scanner.end()) yield describeSection(scanned);
}

/** `parseDiff` for a diff that is in memory. */
export function parseDiffBuffer(bytes: Buffer): DiffSection[] {
	const scanner = new DiffScanner();
	return [...scanner.push(bytes), ...scanner.end()].map(describeSection);
}

/** The `patch` text of one file as GitHub's API gives it: hunks without any header (BR-10, BR-12). */
export function parsePatchText(text: string, names: { readonly path: string; readonly previousPath?: string }): FilePatch {
	const scanner = new DiffScanner({ patch: true });
	const scanned = [...scanner.push(Buffer.from(text, "utf8")), ...scanner.end()][0];
	const named = { path: names.path, ...(names.previousPath === undefined ? {} : { previousPath: names.previousPath }), binary: false };
	if (scanned === undefined) return { ...named, hunks: [] };
	const submodule = readSubmodule(scanned, undefined);
	return {
		...named,
		...(submodule === undefined ? {} : { submodule }),
		...(scanned.problem === undefined ? {} : { problem: scanned.problem }),
		hunks: submodule === undefined ? readHunks(scanned) : [],
	};
}

/** A section's patch with all lines as text. */
export function toFilePatch(section: DiffSection): FilePatch {
	return {
		path: section.path,
		...(section.previousPath === undefined ? {} : { previousPath: section.previousPath }),
		binary: section.binary,
		...(section.combined ? { combined: true as const } : {}),
		...(section.submodule === undefined ? {} : { submodule: section.submodule }),
		...(section.problem === undefined ? {} : { problem: section.problem }),
		hunks: section.submodule === undefined ? readHunks(section) : [],
	};
}

/** Makes the text of a section's hunks: the only place where lines become strings. */
export function readHunks(section: ScannedSection): Hunk[] {
	const hunks: Hunk[] = [];
	for (let index = 0; index < section.hunks.length; index += HUNK_FIELDS) {
		const [oldStart = 0, oldLines = 0, newStart = 0, newLines = 0, offset = 0] = section.hunks.subarray(index, index + HUNK_FIELDS);
		const headerEnd = endOfLine(section.bytes, offset);
		const header = section.bytes.toString("utf8", offset, headerEnd);
		const lines = readHunkLines(section.bytes, headerEnd + 1, { oldStart, oldLines, newStart, newLines });
		hunks.push({ oldStart, oldLines, newStart, newLines, section: header.slice(header.indexOf(" @@") + 4), lines });
	}
	return hunks;
}

/** True when the section says no more than that a submodule's files differ from its commit: no change (BR-07). */
export function isUnchangedSubmodule(section: Pick<DiffSection, "submodule">): boolean {
	return section.submodule !== undefined && section.submodule.from === section.submodule.to;
}

function describeSection(scanned: ScannedSection): DiffSection {
	const header = readDiffHeader(scanned.bytes.subarray(0, scanned.headerLength));
	const path = header.newPath ?? header.oldPath ?? "";
	const previousPath = header.oldPath !== undefined && header.oldPath !== path ? header.oldPath : undefined;
	const problem = scanned.problem ?? header.problem;
	return {
		...scanned,
		path,
		previousPath,
		oldMode: header.oldMode,
		newMode: header.newMode,
		oldBlob: header.oldBlob,
		newBlob: header.newBlob,
		binary: header.binary,
		submodule: readSubmodule(scanned, header.newMode ?? header.oldMode),
		problem,
	};
}

/** The hunk's lines by its counts alone, as the scanner walked them. */
function readHunkLines(bytes: Buffer, from: number, counts: Omit<Hunk, "section" | "lines">): DiffLine[] {
	const lines: DiffLine[] = [];
	let position = from;
	let oldLine = counts.oldStart;
	let newLine = counts.newStart;
	const oldEnd = oldLine + counts.oldLines;
	const newEnd = newLine + counts.newLines;
	while (position < bytes.length) {
		const first = bytes[position];
		const end = endOfLine(bytes, position);
		if (first === BACKSLASH) {
			const last = lines.at(-1);
			if (last !== undefined) lines[lines.length - 1] = { ...last, noNewline: true };
		} else if (oldLine >= oldEnd && newLine >= newEnd) {
			break;
		} else if (first === PLUS) {
			lines.push({ kind: "added", text: bytes.toString("utf8", position + 1, end), newLine: newLine++ });
		} else if (first === MINUS) {
			lines.push({ kind: "deleted", text: bytes.toString("utf8", position + 1, end), oldLine: oldLine++ });
		} else {
			// A context line that lost its blank on the way is an empty line, perhaps with a CR.
			const start = first === 0x20 ? position + 1 : position;
			if (first !== 0x20 && first !== 0x0a && first !== 0x0d) break;
			lines.push({ kind: "context", text: bytes.toString("utf8", start, end), oldLine: oldLine++, newLine: newLine++ });
		}
		position = end + 1;
	}
	return lines;
}

function endOfLine(bytes: Buffer, from: number): number {
	const end = bytes.indexOf(LINE_FEED, from);
	return end === -1 ? bytes.length : end;
}

/** A pointer by its mode, or by lines that are nothing else, as in sections without a mode (BR-07). */
function readSubmodule(scanned: ScannedSection, mode: string | undefined): DiffSection["submodule"] {
	const one = scanned.hunks.length === HUNK_FIELDS && scanned.additions + scanned.deletions <= 2;
	if (!one || scanned.bytes.length > LONGEST_SUBMODULE_BYTES) return undefined;
	if (mode !== undefined && mode !== "160000") return undefined;
	let from: string | undefined;
	let to: string | undefined;
	for (const line of readHunks(scanned)[0]?.lines ?? []) {
		const pointer = /^Subproject commit ([0-9a-f]{40})(?:-dirty)?$/.exec(line.text)?.[1];
		if (pointer === undefined) return undefined;
		if (line.kind !== "added") from = pointer;
		if (line.kind !== "deleted") to = pointer;
	}
	return { from: from ?? NO_OBJECT, to: to ?? NO_OBJECT };
}
