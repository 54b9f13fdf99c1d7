import type { Tree } from "web-tree-sitter";
import { createFactsBuilder } from "../../facts/facts-builder.ts";
import { flattenTree, NONE } from "../../flat-tree.ts";
import type { FileFacts } from "../../types.ts";
import { DECLARATION_HANDLERS } from "./declare.ts";
import { IMPORT_HANDLERS } from "./imports.ts";
import { USE_HANDLERS } from "./uses.ts";
import type { Handler, Walk } from "./walk.ts";

const HANDLERS: ReadonlyMap<string, Handler> = new Map(Object.entries({ ...USE_HANDLERS, ...DECLARATION_HANDLERS, ...IMPORT_HANDLERS }));

/** Nested deeper than this is generated or hostile; the facts of what is deeper are left out. */
const MAX_DEPTH = 1_500;

/** Facts of one Python file. */
export function extractPython(tree: Tree, text: string): FileFacts {
	const flat = flattenTree(tree, text);
	const facts = createFactsBuilder(text, "python", tree.rootNode.hasError);
	let depth = 0;
	const walk: Walk = {
		tree: flat,
		facts,
		elsewhere: new Map(),
		branches: 0,
		inType: false,
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
