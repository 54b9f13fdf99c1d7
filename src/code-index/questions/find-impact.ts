import type { IndexState } from "../index-state.ts";
import type { Certainty, ImpactAnswer, ImpactNode, ReferenceAnswer, SymbolHit, SymbolQuery } from "../types.ts";
import { type Budget, createBudget } from "./budget.ts";
import { referencesOf } from "./find-references.ts";
import { findSymbol, isTestPath, QUESTION_MS } from "./find-symbol.ts";

const MAX_NODES = 80;
const DEFAULT_DEPTH = 2;
const MAX_DEPTH = 4;

interface Reached {
	readonly nodes: ImpactNode[];
	readonly places: Set<string>;
	approximate: boolean;
	truncated: boolean;
	candidateFiles: number;
	/** Uses of the target itself, of which only the name is known. */
	unsure: number;
	sure: number;
}

/**
 * What depends on a symbol: what uses it, what uses that, over edges of which more than the name is known; edges by name
 * count at depth 1 alone (INDEX.md 8). Breadth first, so that a bound cuts the farthest.
 */
export async function findImpact(
	state: IndexState,
	query: SymbolQuery & { readonly depth?: number },
	signal: AbortSignal,
): Promise<ImpactAnswer> {
	const symbols = await findSymbol(state, query, signal);
	const budget = createBudget(signal, QUESTION_MS);
	const reached: Reached = {
		...{ nodes: [], places: new Set<string>(), unsure: 0, sure: 0 },
		...{ approximate: symbols.symbols.length === 0, truncated: symbols.truncated, candidateFiles: 0 },
	};
	const depth = Math.min(MAX_DEPTH, Math.max(1, query.depth ?? DEFAULT_DEPTH));
	const seen = new Set(symbols.symbols.map(keyOf));
	let layer: readonly (readonly SymbolHit[])[] = symbols.symbols.length === 0 ? [] : [symbols.symbols];
	for (let step = 1; step <= depth && layer.length > 0; step++) layer = await widen(state, layer, step, seen, reached, budget);
	const files = [...reached.places].sort();
	return {
		targets: symbols.symbols,
		risk: judgeRisk(symbols.symbols.length, reached, files),
		nodes: reached.nodes,
		files: files.filter((file) => !isTestPath(file)),
		tests: files.filter(isTestPath),
		approximate: reached.approximate,
		truncated: reached.truncated,
		candidateFiles: reached.candidateFiles,
	};
}

const keyOf = (hit: SymbolHit): string => `${hit.path}:${hit.definition}`;

async function widen(
	state: IndexState,
	layer: readonly (readonly SymbolHit[])[],
	depth: number,
	seen: Set<string>,
	reached: Reached,
	budget: Budget,
): Promise<readonly (readonly SymbolHit[])[]> {
	const next: SymbolHit[][] = [];
	for (const targets of layer) {
		if (reached.nodes.length >= MAX_NODES || (await budget.spent())) {
			reached.truncated = true;
			return [];
		}
		const answer = await referencesOf(state, targets, false, budget);
		note(answer, depth, reached);
		for (const hit of answer.hits) {
			if (hit.role === "import" || (hit.certainty === "name" && depth > 1)) continue;
			reached.places.add(hit.path);
			const symbol = hit.enclosing;
			if (symbol === undefined || seen.has(keyOf(symbol))) continue;
			seen.add(keyOf(symbol));
			reached.nodes.push({ symbol, depth, certainty: hit.certainty, through: { path: hit.path, line: hit.line } });
			if (hit.certainty !== "name") next.push([symbol]);
		}
	}
	return next;
}

function note(answer: ReferenceAnswer, depth: number, reached: Reached): void {
	reached.approximate ||= answer.approximate;
	reached.truncated ||= answer.truncated;
	reached.candidateFiles = Math.max(reached.candidateFiles, answer.candidateFiles);
	if (depth > 1) return;
	const count = (certainty: Certainty): number => answer.hits.filter((hit) => hit.certainty === certainty).length;
	reached.sure += count("resolved") + count("typed");
	reached.unsure += count("name");
}

/** Never low where only names speak, or where nothing was found at all (S-020). */
function judgeRisk(targets: number, reached: Reached, files: readonly string[]): ImpactAnswer["risk"] {
	if (targets === 0 || (reached.sure === 0 && reached.unsure > 0)) return "unknown";
	const sources = files.filter((file) => !isTestPath(file));
	if (reached.sure === 0 && files.length === 0) return reached.truncated ? "unknown" : "none";
	if (sources.length > 8 || reached.nodes.length > 20) return "high";
	if (sources.length > 2 || reached.nodes.length > 5) return "medium";
	return reached.truncated ? "medium" : "low";
}
