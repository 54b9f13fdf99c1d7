import { execFileSync } from "node:child_process";
import path from "node:path";
import { type ChangedText, compareTrees } from "../../src/code-index/changes/compare-trees.ts";
import type { TreeComparison } from "../../src/code-index/changes/tree-comparison.ts";
import { createFactsStore } from "../../src/code-index/facts-store.ts";
import { grammarOfPath, locateAssets } from "../../src/code-index/grammars.ts";
import { type IndexState, openIndexState } from "../../src/code-index/index-state.ts";
import { createSyntaxService } from "../../src/code-index/syntax-service.ts";
import { isOutsideSearch } from "../../src/tools/diagnosis/find-stale-uses.ts";

const MAX_BYTES = 1_000_000;
const MAX_BUFFER = 2_000_000_000;

/** A changed file by its names and blobs; a side is absent for a new or a deleted file. */
export interface BlobChange {
	readonly base?: { readonly path: string; readonly blob: string };
	readonly head?: { readonly path: string; readonly blob: string };
}

/** Trees of commits of one clone, without a checkout; blobs are read and parsed once for all of them. */
export interface CommitTrees {
	git(...args: readonly string[]): string;
	/** @param replaced texts that stand in the place of the commit's files */
	tree(commit: string, replaced?: ReadonlyMap<string, string>): Promise<IndexState>;
	changes(base: string, head: string): readonly BlobChange[];
	compare(head: IndexState, changes: readonly BlobChange[]): Promise<TreeComparison>;
}

/** The whole tree counts, and there is no hurry. */
export function searchEverything(head: IndexState): Pick<TreeComparison, "isAsked" | "isIgnored" | "goOn"> {
	return { isAsked: () => true, isIgnored: (file) => isOutsideSearch(file, head.context.text(file)), goOn: async () => true };
}

/** @param modules the folder with the grammars' packages */
export function openCommitTrees(clone: string, modules: string): CommitTrees {
	const syntax = createSyntaxService({ locateAsset: locateAssets(modules) });
	const store = createFactsStore(20_000_000);
	const blobs = new Map<string, Buffer | undefined>();
	const run = (args: readonly string[], input?: string): Buffer =>
		execFileSync("git", ["-C", clone, ...args], {
			maxBuffer: MAX_BUFFER,
			stdio: ["pipe", "pipe", "ignore"],
			...(input === undefined ? {} : { input }),
		});
	const load = (wanted: readonly string[]): void => {
		const missing = [...new Set(wanted)].filter((blob) => !blobs.has(blob));
		if (missing.length === 0) return;
		for (const [blob, bytes] of readBlobs(run(["cat-file", "--batch"], `${missing.join("\n")}\n`))) blobs.set(blob, bytes);
	};
	const read = (blob: string | undefined): Buffer | undefined => {
		if (blob === undefined) return undefined;
		load([blob]);
		return blobs.get(blob);
	};
	return {
		git: (...args) => run(args).toString("utf8"),
		async tree(commit, replaced = new Map()) {
			const files = readTree(run(["ls-tree", "-r", "-z", commit]));
			load([...files].flatMap(([file, blob]) => (grammarOfPath(file) === undefined && !isManifest(file) ? [] : [blob])));
			const state = await openIndexState({
				listFiles: async () => [...files.keys()],
				read: (file) => {
					const text = replaced.get(file);
					return text === undefined ? read(files.get(file)) : Buffer.from(text, "utf8");
				},
				syntax,
				store,
			});
			await state.prepare(files.keys());
			return state;
		},
		changes: (base, head) => readChanges(run(["diff-tree", "-r", "-z", "-M", "--no-commit-id", base, head])),
		compare(head, changes) {
			const changed = changes.flatMap((change): readonly ChangedText[] => {
				if (grammarOfPath(change.head?.path ?? change.base?.path ?? "") === undefined) return [];
				const text = read(change.base?.blob)?.toString("utf8");
				return [
					{
						...(change.base === undefined || text === undefined ? {} : { base: { path: change.base.path, text } }),
						...(change.head === undefined ? {} : { head: change.head.path }),
					},
				];
			});
			return compareTrees(head, changed, searchEverything(head));
		},
	};
}

function isManifest(file: string): boolean {
	return /^(go\.mod|Cargo\.toml|package\.json|tsconfig[\w.-]*\.json|pyproject\.toml|setup\.(py|cfg))$/.test(path.posix.basename(file));
}

function readTree(output: Buffer): Map<string, string> {
	const files = new Map<string, string>();
	for (const entry of output.toString("utf8").split("\0")) {
		const tab = entry.indexOf("\t");
		const [mode, type, blob] = entry.slice(0, tab).split(" ");
		if (type === "blob" && mode !== "120000" && blob !== undefined) files.set(entry.slice(tab + 1), blob);
	}
	return files;
}

function readBlobs(output: Buffer): readonly (readonly [string, Buffer | undefined])[] {
	const blobs: (readonly [string, Buffer | undefined])[] = [];
	for (let at = 0; at < output.length; ) {
		const end = output.indexOf(10, at);
		const [blob = "", type, size] = output.toString("latin1", at, end).split(" ");
		if (type === "missing" || size === undefined) {
			blobs.push([blob, undefined]);
			at = end + 1;
			continue;
		}
		const bytes = output.subarray(end + 1, end + 1 + Number(size));
		blobs.push([blob, bytes.length > MAX_BYTES || bytes.includes(0) ? undefined : bytes]);
		at = end + 2 + Number(size);
	}
	return blobs;
}

/** `:MODE MODE BLOB BLOB STATUS NUL PATH NUL [PATH NUL]` */
function readChanges(output: Buffer): readonly BlobChange[] {
	const parts = output.toString("utf8").split("\0");
	const changes: BlobChange[] = [];
	for (let at = 0; at + 1 < parts.length; ) {
		const [, , before = "", after = "", status = ""] = (parts[at] ?? "").split(" ");
		const first = parts[at + 1] ?? "";
		const renamed = /^[RC]/.test(status);
		const second = renamed ? (parts[at + 2] ?? "") : first;
		at += renamed ? 3 : 2;
		changes.push({
			...(status === "A" || status.startsWith("C") ? {} : { base: { path: first, blob: before } }),
			...(status === "D" ? {} : { head: { path: second, blob: after } }),
		});
	}
	return changes;
}
