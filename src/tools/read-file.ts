import * as z from "zod";
import { createFileOpener } from "../guard/open-inside.ts";
import { revealMarks } from "../domain/hidden-text.ts";
import type { Tool, ToolOutput } from "../seams.ts";
import { defineTool, refusePath, showPath } from "./define-tool.ts";
import { readLines, type ReadLines } from "./read-lines.ts";
import type { ToolContext } from "./tool-context.ts";

/** Lines and characters of one call. More context does not make better reviews (COST.md 3); the rest can be asked for. */
const MAX_LINES = 800;
const MAX_CHARS = 32_000;
const MAX_LINE_CHARS = 2_000;

const schema = z.strictObject({
	path: z.string().min(1),
	startLine: z.int().min(1).optional(),
	endLine: z.int().min(1).optional(),
});

/** Shows numbered lines of a file of the head tree and remembers that this child has seen it (S-066). */
export function createReadFile(context: Pick<ToolContext, "root" | "isDenied" | "readState">): Tool {
	return defineTool({
		name: "read_file",
		description: `Read numbered lines of a file, at most ${MAX_LINES}.`,
		schema,
		effect: "read",
		timeoutMs: 10_000,
		async run(input, signal): Promise<ToolOutput> {
			const opened = createFileOpener(context.root)(input.path);
			if (!opened.ok) return refusePath(input.path, opened);
			using file = opened;
			if (context.isDenied?.(file.path) === true) {
				return refusePath(input.path, { ok: false, code: "E_POLICY", reason: "is hidden by policy" });
			}
			const startLine = input.startLine ?? 1;
			const endLine = Math.min(input.endLine ?? Number.MAX_SAFE_INTEGER, startLine + MAX_LINES - 1);
			if (endLine < startLine) return { content: `endLine ${endLine} lies before startLine ${startLine}.`, isError: true };
			const read = await readLines(
				file.descriptor,
				file.size,
				{ startLine, endLine, maxChars: MAX_CHARS, maxLineChars: MAX_LINE_CHARS },
				signal,
			);
			if (signal.aborted) return { content: "Cancelled.", isError: true };
			const shown = showPath(file.path);
			if (read.binary) return { content: `${shown} is binary (${file.size} bytes) and not shown.` };
			if (read.sha256 !== undefined) context.readState.record(file.path, read.sha256);
			if (read.lines.length === 0)
				return { content: explainNothing(shown, startLine, read), filesRead: read.totalLines === 0 ? [file.path] : [] };
			return { content: render(shown, read), filesRead: [file.path] };
		},
	});
}

function explainNothing(shown: string, startLine: number, read: ReadLines): string {
	if (read.totalLines === 0) return `${shown} is empty.`;
	if (read.totalLines !== undefined) return `${shown} has ${read.totalLines} lines; there is no line ${startLine}.`;
	return `${shown} is too large: line ${startLine} lies behind the first 64 MiB, which is all that is looked at.`;
}

function render(shown: string, read: ReadLines): string {
	const first = read.lines[0]?.number ?? 0;
	const last = read.lines.at(-1)?.number ?? 0;
	// What turns or hides text on a screen must not hide it from a reviewer (A17).
	const lines = read.lines.map((line) => ({ ...line, text: revealMarks(line.text) }));
	const notes: string[] = [];
	if (read.totalLines === undefined) notes.push("large file: the number of lines is not known");
	if (read.stopped) notes.push("only the first 64 MiB were looked at");
	if (read.crlf) notes.push("lines end in CRLF");
	if (read.invalidUtf8) notes.push("bytes that are not UTF-8 are shown as \ufffd");
	if (read.lines.some((line) => line.cut)) notes.push(`lines over ${MAX_LINE_CHARS} characters are cut, marked […]`);
	const more = read.totalLines === undefined ? read.full || !read.stopped : last < read.totalLines;
	if (more) notes.push(`more follows from line ${last + 1}`);
	const total = read.totalLines === undefined ? "" : ` of ${read.totalLines}`;
	const header = `${shown} lines ${first}-${last}${total}${notes.length === 0 ? "" : ` (${notes.join("; ")})`}`;
	return [header, ...lines.map((line) => `${line.number}\t${line.text}${line.cut ? " […]" : ""}`)].join("\n");
}
