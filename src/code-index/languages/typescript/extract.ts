import type { Tree } from "web-tree-sitter";
import { createFactsBuilder } from "../../facts/facts-builder.ts";
import { flattenTree, NONE } from "../../flat-tree.ts";
import type { GrammarId } from "../../grammars.ts";
import type { FileFacts } from "../../types.ts";
import { DECLARATION_HANDLERS } from "./declare.ts";
import { MEMBER_HANDLERS } from "./members.ts";
import { MODULE_HANDLERS } from "./modules.ts";
import { USE_HANDLERS } from "./uses.ts";
import type { Handler, Walk } from "./walk.ts";

const HANDLERS: ReadonlyMap<string, Handler> = new Map(
	Object.entries({ ...USE_HANDLERS, ...DECLARATION_HANDLERS, ...MEMBER_HANDLERS, ...MODULE_HANDLERS }),
);

/** Nested deeper than this is generated or hostile; the facts of what is deeper are left out. */
const MAX_DEPTH = 1_500;

/** Facts of one file of TypeScript or JavaScript, JSX included. */
export function extractTypeScript(tree: Tree, text: string, grammar: GrammarId): FileFacts {
	const flat = flattenTree(tree, text);
	const facts = createFactsBuilder(text, grammar, tree.rootNode.hasError);
	let depth = 0;
	const walk: Walk = {
		tree: flat,
		facts,
		isJavaScript: grammar === "javascript",
		expected: new Map(),
		exporting: false,
		visit(node) {
			if (node === NONE || depth >= MAX_DEPTH) return;
			depth++;
			const handle = HANDLERS.get(flat.type(node));
			if (handle === undefined) walk.visitChildren(node);
			else handle(node, walk);
			depth--;
		},
		visitChildren(node) {
			if (node === NONE) return;
			for (let child = flat.child(node); child !== NONE; child = flat.next(child)) if (flat.isNamed(child)) walk.visit(child);
		},
	};
	walk.visitChildren(0);
	return facts.finish();
}
