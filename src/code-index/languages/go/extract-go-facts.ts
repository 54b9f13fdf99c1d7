import type { Tree } from "web-tree-sitter";
import { flattenTree } from "../../flat-tree.ts";
import type { FileFacts } from "../../types.ts";
import { DECLARATION_HANDLERS } from "./go-declarations.ts";
import { USE_HANDLERS } from "./go-uses.ts";
import { VALUE_HANDLERS } from "./go-values.ts";
import { GoWalk } from "./go-walk.ts";

const HANDLERS = { ...DECLARATION_HANDLERS, ...VALUE_HANDLERS, ...USE_HANDLERS };

/** Everything that a Go file declares and uses, with what its text says about types. */
export function extractGoFacts(tree: Tree, text: string): FileFacts {
	return new GoWalk(flattenTree(tree, text), text, HANDLERS).run(tree.rootNode.hasError);
}
