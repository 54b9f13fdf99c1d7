import { type Language, Query, type Tree } from "web-tree-sitter";

/** One declared name. Offsets and columns in UTF-16 units of the whole file, rows 0-based. */
export interface Declaration {
	readonly name: string;
	/** The capture's name in the language's query, such as `function` or `field`. */
	readonly kind: string;
	readonly startIndex: number;
	readonly endIndex: number;
	readonly row: number;
	readonly column: number;
}

const compiled = new WeakMap<Language, Map<string, Query>>();

/**
 * Every name that the query captures, in source order; the capture's name is the kind (INDEX.md A9).
 * Compiles a query once per grammar. Throws when the query does not fit the tree's grammar.
 */
export function listDeclarations(tree: Tree, source: string): readonly Declaration[] {
	return compileOnce(tree.language, source)
		.captures(tree.rootNode)
		.map(({ name: kind, node }) => ({
			name: node.text,
			kind,
			startIndex: node.startIndex,
			endIndex: node.endIndex,
			row: node.startPosition.row,
			column: node.startPosition.column,
		}));
}

function compileOnce(language: Language, source: string): Query {
	let queries = compiled.get(language);
	if (queries === undefined) {
		queries = new Map();
		compiled.set(language, queries);
	}
	let query = queries.get(source);
	if (query === undefined) {
		query = new Query(language, source);
		queries.set(source, query);
	}
	return query;
}
