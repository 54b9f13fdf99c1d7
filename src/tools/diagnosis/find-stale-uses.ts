import { readSync } from "node:fs";
import { setImmediate } from "node:timers/promises";
import { type ChangedText, compareTrees } from "../../code-index/changes/compare-trees.ts";
import { findRemovedUses } from "../../code-index/changes/find-removed-uses.ts";
import { findStaleCalls } from "../../code-index/changes/find-stale-calls.ts";
import { type GrammarId, grammarOfPath } from "../../code-index/grammars.ts";
import { openIndexState } from "../../code-index/index-state.ts";
import type { ChangedFile } from "../../domain/change-set.ts";
import type { Fact } from "../../domain/diagnosis.ts";
import { createFileOpener } from "../../guard/open-inside.ts";
import { createFileUniverse } from "../file-universe.ts";
import type { ToolContext } from "../tool-context.ts";
import { isFixture, isTemplate } from "./path-kinds.ts";
import { toRemovedFacts, toStaleCallFacts, type UseFile } from "./stale-use-facts.ts";

const MAX_BYTES = 1_000_000;
/** Changes with more files of known languages than this are not followed through the tree. */
const MAX_CHANGED = 400;
const MAX_MS = 45_000;

/** Other people's and machines' code: how it is made says more about its names than what stands in it now. */
const FOREIGN =
	/(^|\/)(node_modules|vendor|third[_-]?party|thirdparty|external|generated|gen|dist|build|out|target|\.yarn)\/|\.min\.[cm]?js$|\.d\.[cm]?ts$|_pb2(_grpc)?\.pyi?$|\.pb(\.gw)?\.go$|[._-]generated?\.|\.gen\.|(^|\/)zz_generated/i;
const GENERATED_MARK = /\bcode generated\b.*do not edit|@generated\b|\bautomatically generated\b|\bauto-?generated\b/i;

/** Files whose uses and definitions say nothing sure: fixtures, templates, generated and vendored code. */
export function isOutsideSearch(path: string, text: string | undefined): boolean {
	return isFixture(path) || isTemplate(path) || FOREIGN.test(path) || GENERATED_MARK.test((text ?? "").slice(0, 1_000));
}

export interface StaleUseSearch {
	readonly facts: readonly Fact[];
	/** Paths of changed files whose definitions were followed through the tree. */
	readonly followed: readonly string[];
	readonly notes: readonly string[];
}

/**
 * Uses anywhere in the tree that the change has left behind: of definitions that it removed or renamed, and calls of
 * callables whose parameters it changed. Only what is bound by a binding or a known type counts.
 * @param asked changed files whose definitions are followed; their uses may stand in any file
 * @param isWanted whether a fact at this path is wanted
 */
export async function findStaleUses(
	context: ToolContext,
	asked: readonly ChangedFile[],
	isWanted: (path: string) => boolean,
	signal: AbortSignal,
): Promise<StaleUseSearch> {
	const changed = context.changedFiles.filter((file) => isReadable(context, file));
	const wanted = new Set(asked.filter((file) => isReadable(context, file) && file.status !== "added").map((file) => file.path));
	if (wanted.size === 0) return { facts: [], followed: [], notes: [] };
	if (changed.length > MAX_CHANGED) {
		return { facts: [], followed: [], notes: [`${changed.length} changed source files: their names were not followed through the tree.`] };
	}
	const deadline = performance.now() + MAX_MS;
	const state = await openIndexState({
		listFiles: () => createFileUniverse(context).list(),
		read: createReader(context),
		syntax: context.syntax,
	});
	const trees = await compareTrees(state, await readTexts(context, changed), {
		isAsked: (file) => wanted.has(file.head?.path ?? file.base?.path ?? ""),
		isIgnored: (path) => isOutsideSearch(path, state.context.text(path)),
		async goOn() {
			await setImmediate();
			return !signal.aborted && performance.now() < deadline;
		},
	});
	await state.prepare(state.paths.filter((path) => sharesLanguage(path, changed)));
	const removed = await findRemovedUses(trees);
	const stale = await findStaleCalls(trees);
	const fileOf = (path: string): UseFile | undefined => {
		const grammar: GrammarId | undefined = grammarOfPath(path);
		const text = state.context.text(path);
		return grammar === undefined || text === undefined ? undefined : { lines: text.split("\n"), grammar };
	};
	const common = [...new Set([...removed.common, ...stale.common])];
	return {
		facts: [...toRemovedFacts(removed.uses, fileOf), ...toStaleCallFacts(stale.calls, fileOf)].filter((fact) => isWanted(fact.path)),
		followed: trees.files.filter((file) => trees.isAsked(file)).map((file) => file.head?.path ?? file.base?.path ?? ""),
		notes: [
			...(common.length === 0 ? [] : [`Names in too many files were not followed: ${common.slice(0, 20).join(", ")}.`]),
			...(removed.outOfTime || stale.outOfTime ? ["Uses of changed definitions were followed only in part: the time was up."] : []),
		],
	};
}

function isReadable(context: ToolContext, file: ChangedFile): boolean {
	if (file.binary || file.submodule !== undefined || file.newMode === "120000" || context.isDenied?.(file.path) === true) return false;
	if (file.previousPath !== undefined && context.isDenied?.(file.previousPath) === true) return false;
	return grammarOfPath(file.path) !== undefined;
}

function sharesLanguage(path: string, changed: readonly ChangedFile[]): boolean {
	const grammar = grammarOfPath(path);
	return grammar !== undefined && changed.some((file) => grammarOfPath(file.path) === grammar);
}

async function readTexts(context: ToolContext, changed: readonly ChangedFile[]): Promise<readonly ChangedText[]> {
	const texts: ChangedText[] = [];
	for (const file of changed) {
		const before = file.previousPath ?? file.path;
		const bytes = file.status === "added" || file.status === "copied" ? undefined : await context.readBase(before);
		const isText = bytes !== undefined && bytes.length <= MAX_BYTES && !bytes.includes(0);
		texts.push({
			...(isText ? { base: { path: before, text: bytes.toString("utf8") } } : {}),
			...(file.status === "deleted" ? {} : { head: file.path }),
		});
	}
	return texts;
}

/** Bytes of files of the tree, behind the same doors as every tool's. */
function createReader(context: ToolContext): (path: string) => Buffer | undefined {
	const open = createFileOpener(context.root);
	return (path) => {
		const opened = open(path);
		if (!opened.ok) return undefined;
		using file = opened;
		if (file.size > MAX_BYTES) return undefined;
		const bytes = Buffer.alloc(file.size);
		return bytes.subarray(0, readSync(file.descriptor, bytes, 0, file.size, 0));
	};
}
