import { grammarOfPath } from "../grammars.ts";
import type { IndexState } from "../index-state.ts";
import { compilePattern } from "../path-pattern.ts";
import type { DefinitionRef, FileFacts, SymbolAnswer, SymbolHit, SymbolQuery } from "../types.ts";
import { type Budget, createBudget } from "./budget.ts";
import { describeSymbol, isOutstanding } from "./describe-symbol.ts";

export const MAX_FILES = 200;
export const QUESTION_MS = 15_000;
const MAX_SYMBOLS = 100;

/** `Container.name`, `Container::name` or `Container#name`; the name alone has no container. */
export function splitName(text: string): { readonly name: string; readonly containers: readonly string[] } {
	const parts = text
		.trim()
		.replace(/\(\)$/, "")
		.split(/\.|::|#(?=.)/)
		.filter((part) => part !== "");
	return { name: parts.at(-1) ?? "", containers: parts.slice(0, -1) };
}

/** Finds definitions by name (S-020). At a line that only uses the name, what it means there. */
export async function findSymbol(state: IndexState, query: SymbolQuery, signal: AbortSignal): Promise<SymbolAnswer> {
	const { name, containers } = splitName(query.name);
	const candidates = rankByDeclaration(state, name, choosePaths(state, query.path));
	const budget = createBudget(signal, QUESTION_MS);
	const searched = await searchFiles(state, candidates.slice(0, MAX_FILES), name, query, budget);
	const fitting = searched.symbols.filter((hit) => endsWith(hit.container, containers));
	// A container that nobody knows is more often a wrong guess than a wrong name.
	const symbols = (fitting.length > 0 || containers.length === 0 ? fitting : searched.symbols).toSorted(byWeight);
	return {
		symbols: symbols.slice(0, MAX_SYMBOLS),
		approximate: symbols.some((hit) => state.supportOf(hit.path)?.isExact !== true),
		truncated: searched.stopped || candidates.length > MAX_FILES || symbols.length > MAX_SYMBOLS,
		candidateFiles: candidates.length,
	};
}

async function searchFiles(
	state: IndexState,
	files: readonly string[],
	name: string,
	query: SymbolQuery,
	budget: Budget,
): Promise<{ readonly symbols: readonly SymbolHit[]; readonly stopped: boolean }> {
	const found = new Map<string, SymbolHit>();
	await state.prepare(files);
	for (const path of files) {
		if (await budget.spent()) return { symbols: [...found.values()], stopped: true };
		const facts = state.context.facts(path);
		if (facts === undefined) continue;
		const refs = query.line === undefined ? byName(path, facts, name) : atLine(state, path, facts, name, query.line);
		for (const ref of refs) {
			const own = state.context.facts(ref.path);
			if (own !== undefined) found.set(`${ref.path}:${ref.definition}`, describeSymbol(ref, own));
		}
	}
	return { symbols: [...found.values()], stopped: false };
}

function byName(path: string, facts: FileFacts, name: string): readonly DefinitionRef[] {
	return facts.definitions.flatMap((definition, number) =>
		definition.name === name && isOutstanding(facts, definition) ? [{ path, definition: number }] : [],
	);
}

/** The definition of that name on the line, or what a use of it there means. */
function atLine(state: IndexState, path: string, facts: FileFacts, name: string, line: number): readonly DefinitionRef[] {
	const defined = facts.definitions.flatMap((each, number) =>
		each.name === name && each.line === line ? [{ path, definition: number }] : [],
	);
	if (defined.length > 0) return defined;
	const support = state.supportOf(path);
	return facts.occurrences.flatMap((each, number) => {
		if (each.name !== name || each.line !== line || support === undefined) return [];
		const meant = support.resolve(path, facts, number, state.context);
		return meant.kind === "found" ? meant.targets : [];
	});
}

/** Files of a known language that a path, folder or glob names; all of them without one. */
export function choosePaths(state: IndexState, path: string | undefined): readonly string[] {
	const code = state.paths.filter((file) => grammarOfPath(file) !== undefined);
	if (path === undefined || path === "" || path === ".") return code;
	const plain = path.replace(/^\.\//, "").replace(/\/+$/, "");
	const below = code.filter((file) => file === plain || file.startsWith(`${plain}/`));
	if (below.length > 0) return below;
	const compiled = compilePattern(path);
	return compiled.ok ? code.filter(compiled.matches) : [];
}

const DECLARES =
	"(?:function\\*?|class|interface|type|enum|struct|trait|impl|fn|func|def|const|let|var|val|static|module|namespace|mod|macro_rules!)";

/** Files that have the word; those first where it seems to be declared. */
function rankByDeclaration(state: IndexState, name: string, paths: readonly string[]): readonly string[] {
	if (name === "") return [];
	const having = new Set(state.context.filesWithWord(name));
	const candidates = paths.filter((path) => having.has(path));
	if (candidates.length <= 1) return candidates;
	const escaped = name.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");
	const declares = new RegExp(`${DECLARES}\\s+(?:\\([^)\\n]*\\)\\s*)?${escaped}(?![\\w$])`);
	const ranked = candidates.map((path) => ({ path, declares: declares.test(state.context.text(path) ?? "") }));
	return [...ranked.filter((each) => each.declares), ...ranked.filter((each) => !each.declares)].map((each) => each.path);
}

function endsWith(container: string | undefined, wanted: readonly string[]): boolean {
	if (wanted.length === 0) return true;
	const names = container?.split(".") ?? [];
	return wanted.every((name, index) => names[names.length - wanted.length + index] === name);
}

/** Exported before private, sources before tests, types and callables before what they hold. */
function byWeight(a: SymbolHit, b: SymbolHit): number {
	return weigh(a) - weigh(b) || (a.path < b.path ? -1 : a.path > b.path ? 1 : a.line - b.line);
}

function weigh(hit: SymbolHit): number {
	return (
		(isTestPath(hit.path) ? 4 : 0) +
		(hit.exported || hit.container !== undefined ? 0 : 2) +
		(hit.kind === "property" || hit.kind === "field" ? 1 : 0)
	);
}

/** By the names that test files have in each of the languages. */
export function isTestPath(path: string): boolean {
	return /(?:^|\/)(?:tests?|__tests__|testdata|spec|fixtures)\/|[._-](?:test|spec)\.[^/]+$|(?:^|\/)test_[^/]+\.py$|_test\.(?:go|py|rs)$|Tests?\.java$/.test(
		path,
	);
}
