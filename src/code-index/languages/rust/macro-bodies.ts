import type { Node, Tree } from "web-tree-sitter";

/** What stands between the brackets of a macro call, and where: offset and column in UTF-16 units, row 0-based. */
export interface MacroBody {
	readonly text: string;
	readonly index: number;
	readonly row: number;
	readonly column: number;
}

const ITEM = /\b(?:fn|struct|enum|trait|impl)\b/;

/** Bodies of the outermost macro calls that may declare items; calls inside a body appear once it is parsed itself. */
export function listMacroBodies(tree: Tree): readonly MacroBody[] {
	return tree.rootNode
		.descendantsOfType("macro_invocation")
		.map((call) => call.namedChildren.find((child) => child.type === "token_tree"))
		.filter((body) => body !== undefined)
		.filter((body) => body.endIndex - body.startIndex > 2 && ITEM.test(body.text))
		.map(toBody);
}

function toBody(node: Node): MacroBody {
	return {
		text: node.text.slice(1, -1),
		index: node.startIndex + 1,
		row: node.startPosition.row,
		column: node.startPosition.column + 1,
	};
}
