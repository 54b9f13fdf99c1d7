import type { FileFacts, IndexContext, Occurrence, Resolution } from "../types.ts";
import { type FileVersion, overlayContext } from "./overlay-context.ts";
import { keyOf } from "./shared-definitions.ts";
import type { ChangedVersions, TreeComparison } from "./tree-comparison.ts";

/** What uses of the head meant in the tree before the change. */
export class EarlierMeanings {
	/** All changed files as they were. */
	readonly base: IndexContext;
	readonly #trees: TreeComparison;
	readonly #byHeadPath: ReadonlyMap<string, ChangedVersions>;
	readonly #contexts = new Map<string, IndexContext>();

	constructor(trees: TreeComparison) {
		this.#trees = trees;
		this.base = overlayContext(trees.head, baseVersions(trees.files));
		this.#byHeadPath = new Map(trees.files.flatMap((file) => (file.head === undefined ? [] : [[file.head.path, file] as const])));
	}

	/**
	 * The meaning as if only the use's own file had changed; a use of a name of its own file is looked up in that file as
	 * it was, where the same line stands in the same place there.
	 */
	resolve(path: string, facts: FileFacts, position: number): Resolution | undefined {
		const support = this.#trees.supportOf(path);
		const occurrence = facts.occurrences[position];
		if (support === undefined || occurrence === undefined) return undefined;
		const own = this.#byHeadPath.get(path);
		if (own === undefined) return support.resolve(path, facts, position, this.base);
		const before = support.resolve(path, facts, position, this.#contextWithHead(own));
		if (before.kind === "found" || own.base === undefined || own.head === undefined) return before;
		const earlier = findSameUse(own.base, own.head, occurrence);
		return earlier === undefined ? before : support.resolve(own.base.path, own.base.facts, earlier, this.base);
	}

	/** The tree before the change, but with one file as it is now. */
	#contextWithHead(file: ChangedVersions): IndexContext {
		const path = file.head?.path ?? "";
		let context = this.#contexts.get(path);
		if (context === undefined) {
			context = overlayContext(this.#trees.head, baseVersions(this.#trees.files.filter((other) => other !== file)));
			this.#contexts.set(path, context);
		}
		return context;
	}
}

/** For an overlay: what stood where these files stand now. */
export function baseVersions(files: readonly ChangedVersions[]): ReadonlyMap<string, FileVersion | undefined> {
	const versions = new Map<string, FileVersion | undefined>();
	for (const file of files) if (file.head !== undefined) versions.set(file.head.path, undefined);
	for (const file of files) if (file.base !== undefined) versions.set(file.base.path, file.base);
	return versions;
}

/** The same use in the file as it was: same line of text, same place in it, same definition around it. */
function findSameUse(base: FileVersion, head: FileVersion, occurrence: Occurrence): number | undefined {
	const line = lineAt(head.text, occurrence.index);
	const around = enclosingKey(head.facts, occurrence);
	const position = base.facts.occurrences.findIndex(
		(other) =>
			other.name === occurrence.name &&
			other.role === occurrence.role &&
			other.column === occurrence.column &&
			enclosingKey(base.facts, other) === around &&
			lineAt(base.text, other.index) === line,
	);
	return position === -1 ? undefined : position;
}

function enclosingKey(facts: FileFacts, occurrence: Occurrence): string {
	return occurrence.enclosing === undefined ? "" : keyOf(facts, occurrence.enclosing);
}

function lineAt(text: string, index: number): string {
	const end = text.indexOf("\n", index);
	return text.slice(text.lastIndexOf("\n", index - 1) + 1, end === -1 ? undefined : end);
}
