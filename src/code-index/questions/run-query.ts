import { Query } from "web-tree-sitter";
import { squeeze } from "../facts/squeeze.ts";
import { type GrammarId, grammarOfPath } from "../grammars.ts";
import type { IndexState } from "../index-state.ts";
import type { OpenGrammar } from "../syntax-service.ts";
import type { QueryAnswer, QueryCapture } from "../types.ts";
import { createBudget } from "./budget.ts";
import { choosePaths, QUESTION_MS } from "./find-symbol.ts";

const MAX_CAPTURES = 200;
const MAX_FILES = 2_000;
/** A query whose patterns hold each other up is cut here (INDEX.md 8). */
const MATCH_LIMIT = 10_000;
const FILE_MS = 500;

export interface QueryInput {
	readonly query: string;
	readonly grammar?: GrammarId;
	readonly path?: string;
}

/** Runs a tree-sitter query over the files of one grammar; without one, over that of the files that the path names. */
export async function runQuery(state: IndexState, input: QueryInput, signal: AbortSignal): Promise<QueryAnswer> {
	const chosen = choosePaths(state, input.path);
	const grammar = input.grammar ?? mostOf(chosen);
	const nothing = { captures: [], approximate: false, truncated: false, candidateFiles: 0 };
	if (grammar === undefined) return { ...nothing, error: "no file of a known language is there" };
	const files = chosen.filter((file) => grammarOfPath(file) === grammar);
	const open = await state.grammar(grammar);
	let query: Query;
	try {
		query = new Query(open.language, input.query);
	} catch (error) {
		return { ...nothing, candidateFiles: files.length, error: `not a query of ${grammar}: ${explain(error)}` };
	}
	const budget = createBudget(signal, QUESTION_MS);
	const captures: QueryCapture[] = [];
	let truncated = files.length > MAX_FILES;
	try {
		for (const file of files.slice(0, MAX_FILES)) {
			if (captures.length >= MAX_CAPTURES || (await budget.spent())) {
				truncated = true;
				break;
			}
			const text = state.context.text(file);
			if (text === undefined) continue;
			if (!capture(open, query, file, text, captures)) truncated = true;
		}
	} finally {
		query.delete();
	}
	truncated ||= captures.length > MAX_CAPTURES;
	return { captures: captures.slice(0, MAX_CAPTURES), approximate: false, truncated, candidateFiles: files.length };
}

/** False when the file was not searched whole. */
function capture(open: OpenGrammar, query: Query, path: string, text: string, captures: QueryCapture[]): boolean {
	const deadline = performance.now() + FILE_MS;
	const outcome = open.parse(text, (tree) => {
		const found = query.captures(tree.rootNode, { matchLimit: MATCH_LIMIT, progressCallback: () => performance.now() > deadline });
		for (const { name, node } of found) {
			if (captures.length > MAX_CAPTURES) return false;
			const { row, column } = node.startPosition;
			captures.push({ path, line: row + 1, column, capture: name, type: node.type, text: squeeze(node.text) });
		}
		return !query.didExceedMatchLimit();
	});
	return outcome.ok && outcome.value;
}

function mostOf(files: readonly string[]): GrammarId | undefined {
	const counts = new Map<GrammarId, number>();
	for (const file of files) {
		const grammar = grammarOfPath(file);
		if (grammar !== undefined) counts.set(grammar, (counts.get(grammar) ?? 0) + 1);
	}
	return [...counts].sort((a, b) => b[1] - a[1])[0]?.[0];
}

function explain(error: unknown): string {
	return error instanceof Error ? squeeze(error.message) : "it cannot be read";
}
