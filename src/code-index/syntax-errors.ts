import type { Node, Tree } from "web-tree-sitter";

/** An error or missing node. Rows are 0-based. */
export interface SyntaxProblem {
	readonly kind: "error" | "missing";
	/** For a missing node, the token that the parser had to invent. */
	readonly type: string;
	readonly row: number;
	readonly endRow: number;
	readonly column: number;
	readonly startIndex: number;
	readonly endIndex: number;
	/** Source text of the node, cut at 200 characters. */
	readonly text: string;
	/** Types of the nodes around it, nearest first. */
	readonly ancestors: readonly string[];
}

export interface Bracket {
	readonly row: number;
	readonly pair: "()" | "[]" | "{}";
	/** 1 opens, -1 closes. */
	readonly step: 1 | -1;
}

const MAX_PROBLEMS = 200;
const BRACKETS: ReadonlyMap<string, Pick<Bracket, "pair" | "step">> = new Map([
	["(", { pair: "()", step: 1 }],
	[")", { pair: "()", step: -1 }],
	["[", { pair: "[]", step: 1 }],
	["]", { pair: "[]", step: -1 }],
	["{", { pair: "{}", step: 1 }],
	["${", { pair: "{}", step: 1 }],
	["\\{", { pair: "{}", step: 1 }],
	["}", { pair: "{}", step: -1 }],
	["#[", { pair: "[]", step: 1 }],
]);

/** Every error and missing node, in source order; empty for text that parses. */
export function findSyntaxProblems(tree: Tree): readonly SyntaxProblem[] {
	const problems: SyntaxProblem[] = [];
	const waiting: Node[] = [tree.rootNode];
	for (let node = waiting.pop(); node !== undefined && problems.length < MAX_PROBLEMS; node = waiting.pop()) {
		if (node.isError || node.isMissing) problems.push(describe(node));
		if (!node.hasError) continue;
		for (let index = node.childCount - 1; index >= 0; index--) {
			const child = node.child(index);
			if (child !== null) waiting.push(child);
		}
	}
	return problems;
}

function describe(node: Node): SyntaxProblem {
	const ancestors: string[] = [];
	for (let parent = node.parent; parent !== null && ancestors.length < 4; parent = parent.parent) ancestors.push(parent.type);
	return {
		kind: node.isMissing ? "missing" : "error",
		type: node.type,
		row: node.startPosition.row,
		endRow: node.endPosition.row,
		column: node.startPosition.column,
		startIndex: node.startIndex,
		endIndex: node.endIndex,
		text: node.text.slice(0, 200),
		ancestors,
	};
}

/**
 * The brackets that really stand in the source, outside strings and comments. The lexer finds them also where the
 * parser lost its way, so that their balance is a second opinion that does not depend on the grammar's age.
 */
export function listBrackets(tree: Tree): readonly Bracket[] {
	const brackets: Bracket[] = [];
	const cursor = tree.walk();
	try {
		let more = true;
		while (more) {
			const bracket = BRACKETS.get(cursor.nodeType);
			if (bracket !== undefined && !cursor.nodeIsNamed && !cursor.nodeIsMissing) {
				brackets.push({ ...bracket, row: cursor.startPosition.row });
			}
			if (cursor.gotoFirstChild()) continue;
			while (!cursor.gotoNextSibling()) {
				if (!cursor.gotoParent()) {
					more = false;
					break;
				}
			}
		}
	} finally {
		cursor.delete();
	}
	return brackets;
}
