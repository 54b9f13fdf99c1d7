import { grammarOfPath } from "../grammars.ts";
import type { IndexState } from "../index-state.ts";
import type { FileVersion } from "./overlay-context.ts";
import type { ChangedVersions, TreeComparison } from "./tree-comparison.ts";

/** A changed file: its text before the change, and its path now. */
export interface ChangedText {
	/** Absent for a new file. */
	readonly base?: { readonly path: string; readonly text: string };
	/** Path at the head; absent for a deleted file. */
	readonly head?: string;
}

/** Puts the tree of the index beside the same tree before the change. Files of languages without rules are left out. */
export async function compareTrees(
	state: IndexState,
	changed: readonly ChangedText[],
	search: Pick<TreeComparison, "isAsked" | "isIgnored" | "goOn">,
): Promise<TreeComparison> {
	await state.prepare(changed.flatMap((file) => [file.head ?? [], file.base?.path ?? []].flat()));
	const files: ChangedVersions[] = [];
	for (const file of changed) {
		if (!(await search.goOn())) break;
		const support = state.supportOf(file.head ?? file.base?.path ?? "");
		const base = file.base === undefined ? undefined : await readVersion(state, file.base.path, file.base.text);
		const head = file.head === undefined ? undefined : headVersion(state, file.head);
		if (support === undefined || (base === undefined && head === undefined)) continue;
		files.push({ support, ...(base === undefined ? {} : { base }), ...(head === undefined ? {} : { head }) });
	}
	return { ...search, head: state.context, files, supportOf: (path) => state.supportOf(path) };
}

function headVersion(state: IndexState, path: string): FileVersion | undefined {
	const text = state.context.text(path);
	const facts = state.context.facts(path);
	return text === undefined || facts === undefined ? undefined : { path, text, facts };
}

/** Facts of a text that the tree does not hold. */
export async function readVersion(state: IndexState, path: string, text: string): Promise<FileVersion | undefined> {
	const grammar = grammarOfPath(path);
	const support = state.supportOf(path);
	if (grammar === undefined || support === undefined) return undefined;
	const open = await state.grammar(grammar);
	const outcome = open.parse(text, (tree) => support.extract(tree, text, open.parsePiece, grammar));
	return outcome.ok ? { path, text, facts: outcome.value } : undefined;
}
