import { parseDiff, toFilePatch } from "../../context/parse-diff.ts";
import type { ChangedFile, FilePatch, Hunk } from "../../domain/change-set.ts";
import { isSha, type Sha } from "../../domain/ids.ts";
import type { RepositoryReader } from "../../seams.ts";
import type { Git } from "./create-git.ts";
import { CONTEXT_ARGUMENT, DIFF_ARGUMENTS } from "./diff-arguments.ts";
import { createObjectStream, type ObjectStream } from "./object-stream.ts";

interface TreeEntry {
	readonly path: string;
	readonly mode: string;
	readonly blob: Sha;
}

/** Argument lists have a limit, the lowest of all systems is 32 KiB for the whole line. */
const ARGUMENT_BYTES = 24_000;
/** With more batches than this, one diff of everything is cheaper than one process a batch. */
const MOST_BATCHES = 4;
const REPLACEMENT = "\ufffd";

/**
 * Reads a repository's objects; no checkout is looked at. Files come from one standing process, which `objects`
 * may share with a `GitHistory`; whoever disposes the reader ends it.
 */
export function createRepositoryReader(git: Git, objects: ObjectStream = createObjectStream(git)): RepositoryReader & AsyncDisposable {
	const listFiles = async (commit: Sha, prefix = ""): Promise<readonly TreeEntry[]> => {
		const below = prefix === "" ? [] : [prefix.endsWith("/") ? prefix : `${prefix}/`];
		const { stdout } = await git.run(["ls-tree", "-r", "-z", "--full-tree", "--end-of-options", needSha(commit), ...below]);
		return splitNul(stdout).map(readTreeEntry);
	};
	return {
		readFile: async (commit, path) => {
			if (!isTreePath(path)) return undefined;
			// A name that the line protocol of cat-file or the argument list cannot carry is looked up in the tree.
			const plain = !path.includes("\n") && !path.includes(REPLACEMENT);
			const name = plain ? `${needSha(commit)}:${path}` : (await listFiles(commit)).find((entry) => entry.path === path)?.blob;
			if (name === undefined) return undefined;
			const object = await objects.read(name);
			return object?.type === "blob" ? object.content : undefined;
		},
		listFiles,
		patches: async (mergeBase, head, files) => readPatches(git, needSha(mergeBase), needSha(head), files),
		changedTogether: (commit) => readChangedTogether(git, needSha(commit)),
		[Symbol.asyncDispose]: () => objects[Symbol.asyncDispose](),
	};
}

/** A sign that stands in no path a person types, in front of each commit's paths. */
const COMMIT_SIGN = "\u0001";
const MAX_COMMITS = 1_000;

async function readChangedTogether(git: Git, commit: Sha): Promise<readonly (readonly string[])[]> {
	const options = ["--no-merges", "--no-renames", "--name-only", "-z", "--format=%x01", `--max-count=${MAX_COMMITS}`];
	const { stdout } = await git.run(["log", ...options, "--end-of-options", commit, "--"]);
	const commits = stdout.toString("utf8").split(COMMIT_SIGN).slice(1);
	return commits.map((text) =>
		text
			.split("\0")
			.map((path) => path.replace(/^\n+/, ""))
			.filter((path) => path !== ""),
	);
}

/** Paths as a tree holds them: relative, without `.` and `..`, which `git` would resolve against something else. */
function isTreePath(path: string): boolean {
	return path !== "" && !path.includes("\0") && path.split("/").every((part) => part !== "" && part !== "." && part !== "..");
}

function needSha(commit: Sha): Sha {
	if (!isSha(commit)) throw new Error(`a full 40-hex object id is needed, got ${JSON.stringify(commit)}`);
	return commit;
}

function splitNul(output: Buffer): string[] {
	return output.toString("utf8").split("\0").slice(0, -1);
}

/** `MODE TYPE ID TAB PATH` */
function readTreeEntry(entry: string): TreeEntry {
	const tab = entry.indexOf("\t");
	const [mode = "", , blob = ""] = entry.slice(0, tab).split(" ");
	return { path: entry.slice(tab + 1), mode, blob };
}

async function readPatches(git: Git, mergeBase: Sha, head: Sha, files: readonly ChangedFile[]): Promise<readonly FilePatch[]> {
	if (files.length === 0) return [];
	const found = new Map<string, FilePatch>();
	const wanted = new Set(files.map(identify));
	const { exact, patterns } = splitBatches(files);
	for (const batch of exact) await collectPatches(git, [mergeBase, head, "--", ...batch], wanted, found);
	if (patterns.length > 0) await collectPatches(git, [mergeBase, head, "--", ...patterns], wanted, found, true);
	return files.map((file) => found.get(identify(file)) ?? emptyPatch(file));
}

/** A section belongs to a file by both its names; the names alone tell a rename's target from an added file. */
function identify(file: { readonly path: string; readonly previousPath?: string | undefined }): string {
	return `${file.path}\0${file.previousPath ?? ""}`;
}

/** Runs one diff and keeps the wanted sections. A changed file type comes as two sections of one path: joined here. */
async function collectPatches(
	git: Git,
	tail: readonly string[],
	wanted: ReadonlySet<string>,
	found: Map<string, FilePatch>,
	patterns?: true,
): Promise<void> {
	const diff = git.stream(
		[...DIFF_ARGUMENTS, CONTEXT_ARGUMENT, "--patch", "--end-of-options", ...tail],
		patterns === undefined ? {} : { patterns },
	);
	for await (const section of parseDiff(diff)) {
		const key = identify(section);
		if (!wanted.has(key)) continue;
		const patch = toFilePatch(section);
		const earlier = found.get(key);
		found.set(key, earlier === undefined ? patch : joinSections(earlier, patch));
	}
}

function joinSections(first: FilePatch, second: FilePatch): FilePatch {
	const hunks: readonly Hunk[] = [...first.hunks, ...second.hunks];
	return { ...second, binary: first.binary || second.binary, hunks };
}

/** A file without any section: git had nothing to show for it. */
function emptyPatch(file: ChangedFile): FilePatch {
	return {
		path: file.path,
		...(file.previousPath === undefined ? {} : { previousPath: file.previousPath }),
		binary: file.binary,
		...(file.submodule === undefined ? {} : { submodule: file.submodule }),
		hunks: [],
	};
}

/** Names as literal pathspecs in batches; [[]] means the whole diff. Names that are no UTF-8 become patterns. */
function splitBatches(files: readonly ChangedFile[]): {
	readonly exact: readonly (readonly string[])[];
	readonly patterns: readonly string[];
} {
	const exact: string[][] = [];
	const patterns: string[] = [];
	let bytes = ARGUMENT_BYTES;
	for (const file of files) {
		// Both names of a rename, so that git can pair them again.
		const names = file.previousPath === undefined ? [file.path] : [file.path, file.previousPath];
		if (names.some((name) => name.includes(REPLACEMENT))) {
			patterns.push(...names.map(toPattern));
			continue;
		}
		const size = names.reduce((sum, name) => sum + Buffer.byteLength(name) + 3, 0);
		if (bytes + size > ARGUMENT_BYTES) {
			exact.push([]);
			bytes = 0;
		}
		exact.at(-1)?.push(...names);
		bytes += size;
	}
	const all = exact.length > MOST_BATCHES || patterns.join(" ").length > ARGUMENT_BYTES;
	return all ? { exact: [[]], patterns: [] } : { exact, patterns };
}

/** Bytes that no argument can carry are stood in for by a star; the section's own name decides afterwards. */
function toPattern(name: string): string {
	return `:(top,glob)${name.replace(/[\\*?[]/g, "\\$&").replaceAll(REPLACEMENT, "*")}`;
}
