import { readSync } from "node:fs";
import { setImmediate } from "node:timers/promises";
import * as z from "zod";
import { compilePattern } from "../code-index/path-pattern.ts";
import { cutText } from "../domain/cut-text.ts";
import { revealMarks } from "../domain/hidden-text.ts";
import { createFileOpener, type FileOpener } from "../guard/open-inside.ts";
import { checkPath } from "../guard/path-guard.ts";
import type { Tool, ToolOutput } from "../seams.ts";
import { defineTool, refusePath, showPath } from "./define-tool.ts";
import type { FileUniverse } from "./file-universe.ts";
import { buildLineMatcher, type LineMatcher } from "./line-matcher.ts";
import type { ToolContext } from "./tool-context.ts";

const MAX_MATCHES = 200;
const MAX_CHARS = 20_000;
const MAX_LINE_CHARS = 300;
const MAX_FILE_BYTES = 4 * 1024 * 1024;
const DEADLINE_MS = 4_000;
/** Text that goes to the matcher at once: large enough that the way there does not count. */
const BATCH_CHARS = 2_000_000;
const BATCH_FILES = 200;

const schema = z.strictObject({
	pattern: z.string().min(1).max(1000),
	path: z.string().optional().describe("file, folder or glob"),
	ignoreCase: z.boolean().optional().meta({ unlisted: true }),
	context: z.int().min(0).max(10).optional().meta({ unlisted: true }),
});

type GrepInput = z.output<typeof schema>;

/** Searches lines of the head tree. The pattern is only ever a regular expression, never a program's argument (A64). */
export function createGrep(context: Pick<ToolContext, "root">, universe: FileUniverse): Tool {
	return defineTool({
		name: "grep",
		description: "Search lines by JavaScript regex.",
		schema,
		effect: "read",
		timeoutMs: 20_000,
		async run(input, signal): Promise<ToolOutput> {
			const chosen = choosePaths(await universe.list(), input.path);
			if (!chosen.ok) return refusePath(input.path ?? "", chosen);
			const built = buildLineMatcher({ pattern: input.pattern, ignoreCase: input.ignoreCase ?? false, deadlineMs: DEADLINE_MS });
			await using matcher = built.matcher;
			const result = await search(createFileOpener(context.root), chosen.paths, matcher, input, signal);
			const notes = [...(built.note === undefined ? [] : [built.note]), ...result.notes];
			const body = result.lines.length === 0 ? [result.refusal ?? "No match."] : result.lines;
			const failed = result.lines.length === 0 && result.failed;
			return {
				content: [...body, ...notes.map((note) => `(${note})`)].join("\n"),
				...(failed ? { isError: true } : {}),
				...(failed && result.refusal !== undefined ? { code: "E_PATH" } : {}),
			};
		},
	});
}

type Chosen =
	| { readonly ok: true; readonly paths: readonly string[] }
	| { readonly ok: false; readonly code: "E_PATH" | "E_PROC"; readonly reason: string };

function choosePaths(all: readonly string[], path: string | undefined): Chosen {
	if (path === undefined || path === "" || path === ".") return { ok: true, paths: all };
	const checked = checkPath(path);
	if (!checked.ok) return { ok: false, code: checked.code === "E_PROC" ? "E_PROC" : "E_PATH", reason: checked.reason };
	const below = all.filter((file) => file === checked.path || file.startsWith(`${checked.path}/`));
	if (below.length > 0) return { ok: true, paths: below };
	const compiled = compilePattern(path);
	if (!compiled.ok) return { ok: false, code: "E_PATH", reason: compiled.reason };
	return { ok: true, paths: all.filter(compiled.matches) };
}

interface SearchResult {
	readonly lines: readonly string[];
	readonly notes: readonly string[];
	readonly failed: boolean;
	/** Set when the one file that was named is out of reach. */
	readonly refusal?: string;
}

interface LoadedFile {
	readonly path: string;
	readonly lines: readonly string[];
}

async function search(
	open: FileOpener,
	paths: readonly string[],
	matcher: LineMatcher,
	input: GrepInput,
	signal: AbortSignal,
): Promise<SearchResult> {
	const output = createOutput(input.context ?? 0);
	const notes: string[] = [];
	const deadline = performance.now() + DEADLINE_MS;
	let tooLarge = 0;
	let batch: LoadedFile[] = [];
	let chars = 0;
	let refusal: string | undefined;
	let searched = 0;
	const flush = async (): Promise<boolean> => {
		const slow = await matchBatch(batch, matcher, output);
		searched += batch.length;
		batch = [];
		chars = 0;
		return slow;
	};
	for (const path of paths) {
		const loaded = loadText(open, path);
		if (loaded === "too-large") tooLarge++;
		else if (loaded === "refused" && paths.length === 1) refusal = `${showPath(path)}: is not a regular file of the repository (E_PATH).`;
		else if (typeof loaded === "object") {
			batch.push({ path, lines: loaded });
			chars += loaded.reduce((sum, line) => sum + line.length + 1, 0);
		}
		if (chars < BATCH_CHARS && batch.length < BATCH_FILES) continue;
		if (await flush()) return { lines: output.lines(), notes: [...notes, tooSlow(searched, paths.length)], failed: true };
		if (output.full() || signal.aborted || performance.now() > deadline) break;
		await setImmediate();
	}
	if (batch.length > 0 && !output.full() && !signal.aborted && (await flush())) notes.push(tooSlow(searched, paths.length));
	const slow = notes.length > 0;
	if (output.full()) notes.push(`cut at ${output.count()} matches; narrow the pattern or the path`);
	else if (!slow && performance.now() > deadline)
		notes.push(`stopped after ${DEADLINE_MS / 1000} s with ${searched} of ${paths.length} files searched`);
	if (tooLarge > 0) notes.push(`${tooLarge === 1 ? "1 file" : `${tooLarge} files`} over 4 MiB not searched`);
	return { lines: output.lines(), notes, failed: slow || refusal !== undefined, ...(refusal === undefined ? {} : { refusal }) };
}

function tooSlow(searched: number, all: number): string {
	return `the pattern is too slow: ended after ${DEADLINE_MS / 1000} s, about ${searched} of ${all} files searched; use a simpler one`;
}

/** One message a batch; line numbers are counted across its files. */
async function matchBatch(batch: readonly LoadedFile[], matcher: LineMatcher, output: Output): Promise<boolean> {
	if (batch.length === 0) return false;
	const found = await matcher.match(
		batch.flatMap((file) => file.lines),
		MAX_MATCHES + 1,
	);
	if (found === "too-slow") return true;
	let first = 0;
	let next = 0;
	for (const file of batch) {
		const hits: number[] = [];
		for (let hit = found[next]; hit !== undefined && hit < first + file.lines.length; hit = found[++next]) hits.push(hit - first);
		output.add(file, hits);
		first += file.lines.length;
	}
	return false;
}

function loadText(open: FileOpener, path: string): readonly string[] | "too-large" | "binary" | "refused" {
	const opened = open(path);
	if (!opened.ok) return "refused";
	using file = opened;
	if (file.size > MAX_FILE_BYTES) return "too-large";
	const bytes = Buffer.allocUnsafe(file.size);
	let length = 0;
	while (length < bytes.length) {
		const read = readSync(file.descriptor, bytes, length, bytes.length - length, length);
		if (read === 0) break;
		length += read;
	}
	const content = bytes.subarray(0, length);
	if (content.subarray(0, 8_000).includes(0)) return "binary";
	const lines = content.toString("utf8").split("\n");
	if (lines.at(-1) === "") lines.pop();
	return lines.map((line) => (line.endsWith("\r") ? line.slice(0, -1) : line));
}

type Output = ReturnType<typeof createOutput>;

function createOutput(around: number) {
	const lines: string[] = [];
	let matches = 0;
	let chars = 0;
	const full = () => matches >= MAX_MATCHES || chars >= MAX_CHARS;
	const push = (path: string, number: number, text: string, mark: ":" | "-") => {
		const shown = revealMarks(text.length > MAX_LINE_CHARS ? `${cutText(text, MAX_LINE_CHARS)} […]` : text);
		const line = `${path}${mark}${number}${mark}${shown}`;
		chars += line.length + 1;
		lines.push(line);
	};
	return {
		full,
		count: () => matches,
		lines: () => lines,
		add(file: LoadedFile, hits: readonly number[]) {
			const path = showPath(file.path);
			const set = new Set(hits);
			let printed = -1;
			for (const hit of hits) {
				if (full()) return;
				const from = Math.max(hit - around, printed + 1);
				if (around > 0 && lines.length > 0 && from > printed + 1) lines.push("--");
				for (let index = from; index <= Math.min(hit + around, file.lines.length - 1); index++) {
					push(path, index + 1, file.lines[index] ?? "", set.has(index) ? ":" : "-");
					printed = index;
				}
				matches++;
			}
		},
	};
}
