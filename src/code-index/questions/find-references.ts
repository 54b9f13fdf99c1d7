import path from "node:path";
import { definitionAt } from "../facts/scope-lookup.ts";
import type { IndexState } from "../index-state.ts";
import type {
	Certainty,
	Definition,
	DefinitionRef,
	FileFacts,
	LanguageSupport,
	ReferenceAnswer,
	ReferenceHit,
	SymbolHit,
	SymbolQuery,
} from "../types.ts";
import { type Budget, createBudget } from "./budget.ts";
import { describeSymbol } from "./describe-symbol.ts";
import { choosePaths, findSymbol, MAX_FILES, QUESTION_MS, splitName } from "./find-symbol.ts";
import { describeHit } from "./describe-hit.ts";
import { nearestFirst } from "./path-distance.ts";

/** More hits than this are counted, not listed. */
const MAX_HITS = 500;
/** More definitions of one name than this and only names speak. */
const MAX_TARGETS = 40;
const MAX_WORDS = 12;
const ORDER: Readonly<Record<Certainty, number>> = { resolved: 0, typed: 1, name: 2 };

export async function findReferences(state: IndexState, query: SymbolQuery, signal: AbortSignal): Promise<ReferenceAnswer> {
	const symbols = await findSymbol(state, query, signal);
	const budget = createBudget(signal, QUESTION_MS);
	if (symbols.symbols.length > 0) return referencesOf(state, symbols.symbols, symbols.truncated, budget);
	return usesOfName(state, splitName(query.name).name, choosePaths(state, query.path), budget);
}

/** Only calls. Making an instance calls the class and its constructor. */
export async function findCallers(state: IndexState, query: SymbolQuery, signal: AbortSignal): Promise<ReferenceAnswer> {
	const answer = await findReferences(state, query, signal);
	const hits = answer.hits.filter((hit) => hit.role === "call");
	return { ...answer, hits, total: answer.truncated ? answer.total : hits.length, approximate: isApproximate(state, answer.targets, hits) };
}

/** Nothing of the name is defined here: it may come from elsewhere, and only the name speaks. */
async function usesOfName(state: IndexState, name: string, paths: readonly string[], budget: Budget): Promise<ReferenceAnswer> {
	const having = new Set(name === "" ? [] : state.context.filesWithWord(name));
	const candidates = paths.filter((file) => having.has(file));
	await state.prepare(candidates.slice(0, MAX_FILES));
	const hits: ReferenceHit[] = [];
	let cut = candidates.length > MAX_FILES;
	for (const file of candidates.slice(0, MAX_FILES)) {
		if (await budget.spent()) {
			cut = true;
			break;
		}
		const facts = state.context.facts(file);
		if (facts === undefined) continue;
		const judged = { certainty: "name", evidence: "nothing of this name is defined in the repository" } as const;
		facts.occurrences.forEach((occurrence, number) => {
			if (occurrence.name === name) hits.push(describeHit(state, file, facts, number, judged));
		});
	}
	const shown = hits.slice(0, MAX_HITS);
	const truncated = cut || shown.length < hits.length;
	return { targets: [], hits: shown, total: hits.length, approximate: true, truncated, candidateFiles: candidates.length };
}

/** All uses of the given definitions, which have one name. */
export async function referencesOf(
	state: IndexState,
	targets: readonly SymbolHit[],
	truncated: boolean,
	budget: Budget,
): Promise<ReferenceAnswer> {
	const chosen = targets.slice(0, MAX_TARGETS);
	const hits = new Map<string, ReferenceHit>();
	let candidateFiles = 0;
	let cut = truncated || targets.length > MAX_TARGETS;
	for (const [support, own] of groupBySupport(state, chosen)) {
		const result = await searchLanguage(state, support, own, budget);
		for (const hit of result.hits) hits.set(`${hit.path}:${hit.index}`, hit);
		candidateFiles += result.candidateFiles;
		cut ||= result.cut;
	}
	const sorted = [...hits.values()].sort(
		(a, b) => ORDER[a.certainty] - ORDER[b.certainty] || (a.path < b.path ? -1 : a.path > b.path ? 1 : a.index - b.index),
	);
	return {
		targets: chosen,
		hits: sorted.slice(0, MAX_HITS),
		total: sorted.length,
		approximate: isApproximate(state, chosen, sorted),
		truncated: cut || sorted.length > MAX_HITS,
		candidateFiles,
	};
}

function isApproximate(state: IndexState, targets: readonly SymbolHit[], hits: readonly ReferenceHit[]): boolean {
	if (targets.length === 0) return true;
	return targets.some((target) => state.supportOf(target.path)?.isExact !== true) || hits.some((hit) => hit.certainty === "name");
}

function groupBySupport(state: IndexState, targets: readonly SymbolHit[]): ReadonlyMap<LanguageSupport, readonly SymbolHit[]> {
	const groups = new Map<LanguageSupport, SymbolHit[]>();
	for (const target of targets) {
		const support = state.supportOf(target.path);
		if (support === undefined) continue;
		const group = groups.get(support);
		if (group === undefined) groups.set(support, [target]);
		else group.push(target);
	}
	return groups;
}

/** What one search looks for. */
interface Wanted {
	readonly support: LanguageSupport;
	readonly keys: ReadonlySet<string>;
	/** Definitions through which a reference may reach a target. */
	readonly related: ReadonlyMap<string, SymbolHit>;
	readonly names: ReadonlySet<string>;
	readonly hasMembers: boolean;
	readonly hasNames: boolean;
}

interface SearchResult {
	readonly hits: readonly ReferenceHit[];
	readonly candidateFiles: number;
	readonly cut: boolean;
}

async function searchLanguage(
	state: IndexState,
	support: LanguageSupport,
	targets: readonly SymbolHit[],
	budget: Budget,
): Promise<SearchResult> {
	const wanted = want(state, support, targets);
	const words = new Set([...wanted.names, ...targets.flatMap((target) => support.searchWords?.(target, state.context) ?? [])]);
	const aliases = new Set(wanted.names);
	const ofLanguage = new Set(state.filesOf(support));
	const candidates = new Set<string>();
	let cut = false;
	// First all the names under which it is handed on, then the uses: a file may come up under one name and use another.
	for (const word of words) {
		const having = state.context.filesWithWord(word).filter((file) => ofLanguage.has(file) && !candidates.has(file));
		const near = nearestFirst(
			having,
			targets.map((target) => target.path),
		).slice(0, MAX_FILES);
		await state.prepare(near);
		for (const file of having) candidates.add(file);
		for (const file of near) {
			if (await budget.spent()) break;
			const facts = state.context.facts(file);
			for (const alias of facts === undefined ? [] : handedOnAs(file, facts, aliases, support)) {
				if (words.size >= MAX_WORDS) break;
				words.add(alias.word);
				if (alias.name !== undefined) aliases.add(alias.name);
			}
		}
	}
	const nearest = nearestFirst(
		[...candidates],
		targets.map((target) => target.path),
	);
	const hits: ReferenceHit[] = [];
	cut ||= nearest.length > MAX_FILES;
	for (const file of nearest.slice(0, MAX_FILES)) {
		if (await budget.spent()) {
			cut = true;
			break;
		}
		const facts = state.context.facts(file);
		if (facts !== undefined) hits.push(...searchFile(state, file, facts, wanted, aliases));
	}
	return { hits, candidateFiles: candidates.size, cut };
}

function want(state: IndexState, support: LanguageSupport, targets: readonly SymbolHit[]): Wanted {
	const { context } = state;
	const keys = new Set(targets.map((target) => keyOf(state, target)));
	const related = new Map<string, SymbolHit>();
	for (const target of targets) {
		for (const ref of support.related?.(target, context) ?? []) {
			const facts = context.facts(ref.path);
			if (facts !== undefined && !keys.has(keyOf(state, ref))) related.set(keyOf(state, ref), describeSymbol(ref, facts));
		}
	}
	const definitions = targets.map((target) => definitionOf(state, target));
	// An instance is made under the name of the class.
	const made = targets.flatMap((target) => {
		const definition = definitionOf(state, target);
		if (definition?.kind !== "constructor" || definition.container === undefined) return [];
		const facts = context.facts(target.path);
		const owner = facts === undefined ? undefined : definitionAt(facts, definition.container);
		if (owner !== undefined) keys.add(keyOf(state, { path: target.path, definition: definition.container }));
		return owner === undefined ? [] : [owner.name];
	});
	return {
		support,
		keys,
		related,
		names: new Set([...made, ...targets.map((target) => target.name)]),
		hasMembers: definitions.some((each) => each?.scope === undefined),
		hasNames: definitions.some((each) => each?.scope !== undefined) || made.length > 0,
	};
}

function definitionOf(state: IndexState, ref: DefinitionRef): Definition | undefined {
	const facts = state.context.facts(ref.path);
	return facts === undefined ? undefined : definitionAt(facts, ref.definition);
}

/** By the place of the name: a parameter that is a field, too, is one thing. */
function keyOf(state: IndexState, ref: DefinitionRef): string {
	return `${ref.path}:${definitionOf(state, ref)?.index ?? ref.definition}`;
}

/** Other names under which the file hands one of the names on, and the word that who takes them has to have. */
function handedOnAs(
	file: string,
	facts: FileFacts,
	aliases: ReadonlySet<string>,
	support: LanguageSupport,
): readonly { readonly word: string; readonly name?: string }[] {
	const exported = facts.exports.flatMap((entry) => {
		const source = entry.imported ?? entry.local;
		if (source === undefined || !aliases.has(source) || entry.exported === source || entry.exported === "*") return [];
		if (entry.exported !== "default" && entry.exported !== "export=") return [{ word: entry.exported, name: entry.exported }];
		const stem = path.posix.basename(file).replace(/\.[^.]+$/, "");
		return [{ word: stem === "index" ? path.posix.basename(path.posix.dirname(file)) : stem }];
	});
	// Elsewhere an imported name can be imported again from here.
	const again = support.id === "typescript" ? [] : facts.imports;
	const imported = again.flatMap((entry) => {
		if (entry.kind !== "name" || entry.local === undefined || entry.local === entry.imported) return [];
		return aliases.has(entry.imported ?? "") ? [{ word: entry.local, name: entry.local }] : [];
	});
	return [...exported, ...imported];
}

function searchFile(
	state: IndexState,
	file: string,
	facts: FileFacts,
	wanted: Wanted,
	aliases: ReadonlySet<string>,
): readonly ReferenceHit[] {
	const names = new Set(aliases);
	for (const entry of facts.imports) {
		const isOther = entry.kind === "default" || entry.imported === "default" || (entry.kind === "name" && entry.imported !== entry.local);
		if (isOther && entry.local !== undefined) names.add(entry.local);
	}
	return facts.occurrences.flatMap((occurrence, number) => {
		const isAsked = names.has(occurrence.name) || (occurrence.import !== undefined && occurrence.name === "default");
		const judged = isAsked ? judge(state, file, facts, number, wanted) : undefined;
		return judged === undefined ? [] : [describeHit(state, file, facts, number, judged)];
	});
}

function judge(
	state: IndexState,
	file: string,
	facts: FileFacts,
	number: number,
	wanted: Wanted,
): Pick<ReferenceHit, "certainty" | "evidence"> | undefined {
	const occurrence = facts.occurrences[number];
	if (occurrence === undefined) return undefined;
	const meant = wanted.support.resolve(file, facts, number, state.context);
	if (meant.kind === "external") return undefined;
	if (meant.kind === "found") {
		if (meant.targets.some((target) => wanted.keys.has(keyOf(state, target))))
			return { certainty: meant.certainty, evidence: meant.evidence };
		const through = meant.targets.map((target) => wanted.related.get(keyOf(state, target))).find((target) => target !== undefined);
		if (through === undefined) return undefined;
		return { certainty: "typed", evidence: `through ${through.container ?? through.path}.${through.name}; ${meant.evidence}` };
	}
	const isMember = occurrence.receiver !== undefined || occurrence.isKey === true;
	// A member of something unknown can only be a member, a bare name never is one.
	if (!wanted.names.has(occurrence.name) || !(isMember ? wanted.hasMembers : wanted.hasNames)) return undefined;
	return { certainty: "name", evidence: isMember ? "the type of the receiver is not known" : "the binding is not known" };
}
