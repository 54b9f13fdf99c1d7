import { setImmediate } from "node:timers/promises";
import { findSurroundings } from "../code-index/surroundings/find-surroundings.ts";
import { type GrammarId, grammarOfPath } from "../code-index/grammars.ts";
import { openIndexState } from "../code-index/index-state.ts";
import type { FilePatch } from "../domain/change-set.ts";
import { errorText } from "../domain/errors.ts";
import type { Sha } from "../domain/ids.ts";
import type { Surroundings } from "../domain/surroundings.ts";
import type { PathRules } from "../guard/path-rules.ts";
import { isTestOrExample } from "../tools/diagnosis/path-kinds.ts";
import type { PipelineSeams } from "./pipeline-seams.ts";

/** Files that are read, nearest to the change first; more would hold the run up for some seconds. */
const MAX_FILES = 1_000;
const MAX_BYTES = 12_000_000;
const MAX_FILE_BYTES = 400_000;
const MAX_MS = 4_000;

const MANIFEST = /(^|\/)(go\.mod|Cargo\.toml|package\.json|tsconfig[\w.-]*\.json|pyproject\.toml)$/;

const TOO_LATE: Surroundings = {
	enclosing: new Map(),
	excerpts: [],
	note: "What stands around the change was not looked up: it took too long.",
};

export interface GatherInput {
	readonly head: Sha;
	readonly patches: readonly FilePatch[];
	readonly paths: Pick<PathRules, "isVisible">;
}

/**
 * Reads the tree around a change for the pack, without a checkout. All or nothing: what depends on how fast the machine
 * is would differ between two runs on one commit. Never rejects; a failure is a note, and the pack is the diff alone.
 */
export async function gatherSurroundings(
	{ head, patches, paths }: GatherInput,
	seams: Pick<PipelineSeams, "reader" | "syntax">,
): Promise<Surroundings | undefined> {
	const readable = patches.filter(
		(patch) => patch.hunks.length > 0 && paths.isVisible(patch.path) && grammarOfPath(patch.path) !== undefined,
	);
	if (readable.length === 0) return undefined;
	const deadline = performance.now() + MAX_MS;
	try {
		const tracked = (await seams.reader.listFiles(head)).filter((file) => file.mode !== "120000" && paths.isVisible(file.path));
		const wanted = chooseFiles(
			tracked.map((file) => file.path),
			readable.map((patch) => patch.path),
		);
		const contents = await readAll(wanted, head, seams, deadline);
		if (contents === undefined) return TOO_LATE;
		const state = await openIndexState({
			listFiles: async () => [...contents.keys()].sort((a, b) => (a < b ? -1 : 1)),
			read: (path) => contents.get(path),
			syntax: seams.syntax,
		});
		const goOn = async (): Promise<boolean> => {
			await setImmediate();
			return performance.now() < deadline;
		};
		return (await findSurroundings(state, readable, isTestOrExample, goOn)) ?? TOO_LATE;
	} catch (error) {
		return { enclosing: new Map(), excerpts: [], note: `What stands around the change could not be looked up: ${errorText(error)}.` };
	}
}

/** Files of the changed languages and manifests, by how much of their folder they share with a changed file. */
function chooseFiles(tracked: readonly string[], changed: readonly string[]): readonly string[] {
	const grammars = new Set(changed.map(familyOf));
	const own = new Set(changed);
	return tracked
		.filter((path) => MANIFEST.test(path) || grammars.has(familyOf(path)))
		.map((path) => ({ path, near: own.has(path) ? 1_000 : Math.max(...changed.map((one) => sharedFolders(path, one))) }))
		.sort((a, b) => b.near - a.near || (a.path < b.path ? -1 : 1))
		.slice(0, MAX_FILES)
		.map(({ path }) => path);
}

/** JavaScript and TypeScript import each other. */
function familyOf(path: string): GrammarId | undefined {
	const grammar = grammarOfPath(path);
	return grammar === "tsx" || grammar === "javascript" ? "typescript" : grammar;
}

function sharedFolders(a: string, b: string): number {
	const [left, right] = [a.split("/").slice(0, -1), b.split("/").slice(0, -1)];
	let count = 0;
	while (count < left.length && count < right.length && left[count] === right[count]) count += 1;
	return count * 2 - (left.length - count) / 100;
}

/** Undefined when the time is up before all of them were read. */
async function readAll(
	wanted: readonly string[],
	head: Sha,
	seams: Pick<PipelineSeams, "reader">,
	deadline: number,
): Promise<ReadonlyMap<string, Buffer> | undefined> {
	const contents = new Map<string, Buffer>();
	let bytes = 0;
	for (let at = 0; at < wanted.length && bytes < MAX_BYTES; at += 200) {
		if (performance.now() > deadline) return undefined;
		const batch = wanted.slice(at, at + 200);
		const read = await Promise.all(batch.map((path) => seams.reader.readFile(head, path)));
		batch.forEach((path, index) => {
			const content = read[index];
			if (content === undefined || content.length > MAX_FILE_BYTES || content.includes(0)) return;
			contents.set(path, content);
			bytes += content.length;
		});
	}
	return contents;
}
