import { createReadStream, readFileSync } from "node:fs";
import { parseDiff, parseDiffBuffer } from "../../src/context/parse-diff.ts";

/* One side of the diff bench in a process of its own: `measure-side.ts SIDE FILE` prints its figures as JSON. */

/** What one side took and found. */
export interface SideResult {
	readonly milliseconds: number;
	/** Largest resident set of the process. */
	readonly megabytes: number;
	readonly files: number;
	readonly additions: number;
	readonly deletions: number;
}

interface GitDiffParser {
	parse(source: string): { readonly hunks: readonly { readonly changes: readonly { readonly type: string }[] }[] }[];
}

type Counts = Omit<SideResult, "milliseconds" | "megabytes">;

const sides: Readonly<Record<string, (file: string) => Promise<Counts>>> = {
	read: async (file) => {
		let bytes = 0;
		for await (const chunk of openStream(file)) bytes += chunk.length;
		return { files: bytes, additions: 0, deletions: 0 };
	},
	rookery: async (file) => {
		// Records with the place of each hunk are kept, as a caller with 10,000 files would; the bytes are not.
		const records: object[] = [];
		let additions = 0;
		let deletions = 0;
		for await (const { bytes: _, ...record } of parseDiff(openStream(file))) {
			records.push(record);
			additions += record.additions;
			deletions += record.deletions;
		}
		return { files: records.length, additions, deletions };
	},
	"rookery-whole": async (file) => {
		const sections = parseDiffBuffer(readFileSync(file));
		return {
			files: sections.length,
			additions: sum(sections, (section) => section.additions),
			deletions: sum(sections, (section) => section.deletions),
		};
	},
	"parse-diff": async (file) => {
		const { default: parse } = await import("parse-diff");
		const files = parse(readFileSync(file, "utf8"));
		return { files: files.length, additions: sum(files, (entry) => entry.additions), deletions: sum(files, (entry) => entry.deletions) };
	},
	diff: async (file) => {
		const { parsePatch } = await import("diff");
		const files = parsePatch(readFileSync(file, "utf8"));
		const count = (mark: string) =>
			sum(files, (entry) => sum(entry.hunks, (hunk) => sum(hunk.lines, (line) => (line.startsWith(mark) ? 1 : 0))));
		return { files: files.length, additions: count("+"), deletions: count("-") };
	},
	"gitdiff-parser": async (file) => {
		// Its types put the parser one level deeper than the module does.
		const parser = (await import("gitdiff-parser")).default as unknown as GitDiffParser;
		const files = parser.parse(readFileSync(file, "utf8"));
		const count = (type: string) =>
			sum(files, (entry) => sum(entry.hunks, (hunk) => hunk.changes.filter((change) => change.type === type).length));
		return { files: files.length, additions: count("insert"), deletions: count("delete") };
	},
};

function openStream(file: string): AsyncIterable<Buffer> {
	return createReadStream(file);
}

function sum<T>(values: readonly T[], read: (value: T) => number): number {
	let total = 0;
	for (const value of values) total += read(value);
	return total;
}

const [name = "", file = ""] = process.argv.slice(2);
const side = sides[name];
if (side === undefined) throw new Error(`no side is called ${name}`);
const start = performance.now();
const counts = await side(file);
const milliseconds = performance.now() - start;
console.log(JSON.stringify({ milliseconds, megabytes: process.resourceUsage().maxRSS / 1024, ...counts }));
