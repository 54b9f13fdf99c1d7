import type { ChangedFile, FilePatch } from "../../domain/change-set.ts";

/** A changed file as the checks see it. Lines are without CR and line feed; index 0 is line 1. */
export interface ChangedText {
	readonly path: string;
	readonly file: ChangedFile;
	readonly head: string;
	readonly lines: readonly string[];
	/** Text at the merge base under its name there; undefined for an added file. */
	readonly base: string | undefined;
	/** Lines of the head that the change added. */
	readonly added: ReadonlySet<number>;
	readonly blocks: readonly ChangeBlock[];
}

/** A run of added and deleted lines without context between. */
export interface ChangeBlock {
	/** Head line at which it begins; for a pure deletion the line that now stands there. */
	readonly line: number;
	readonly added: readonly number[];
	/** Base lines that are gone. */
	readonly deleted: readonly number[];
}

export function buildChangedText(file: ChangedFile, patch: FilePatch | undefined, head: string, base: string | undefined): ChangedText {
	const blocks = patch === undefined ? [] : listBlocks(patch);
	return {
		path: file.path,
		file,
		head,
		lines: head.split("\n").map((line) => line.replace(/\r$/, "")),
		base,
		added: new Set(blocks.flatMap((block) => block.added)),
		blocks,
	};
}

function listBlocks(patch: FilePatch): readonly ChangeBlock[] {
	const blocks: ChangeBlock[] = [];
	for (const hunk of patch.hunks) {
		let added: number[] = [];
		let deleted: number[] = [];
		let next = hunk.newStart;
		let start = next;
		const close = () => {
			if (added.length + deleted.length > 0) blocks.push({ line: start, added, deleted });
			added = [];
			deleted = [];
		};
		for (const line of hunk.lines) {
			if (line.kind === "context") {
				close();
				next = (line.newLine ?? next) + 1;
				start = next;
			} else if (line.kind === "added" && line.newLine !== undefined) {
				added.push(line.newLine);
				next = line.newLine + 1;
			} else if (line.oldLine !== undefined) deleted.push(line.oldLine);
		}
		close();
	}
	return blocks;
}

/** True when a head line was added, or stands directly at a change. */
export function isNearChange(text: ChangedText, line: number): boolean {
	return text.blocks.some((block) => {
		const first = block.added[0] ?? block.line;
		const last = block.added.at(-1) ?? block.line;
		return line >= first - 1 && line <= last + 1;
	});
}

const MAX_QUOTE = 200;

/** The line as a quote: exact, or empty when it is too long to be one. */
export function quoteLine(text: ChangedText, line: number): string {
	const quote = text.lines[line - 1] ?? "";
	return quote.length > MAX_QUOTE ? "" : quote.toWellFormed();
}
