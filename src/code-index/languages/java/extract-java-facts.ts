import type { Tree } from "web-tree-sitter";
import { flattenTree } from "../../flat-tree.ts";
import type { FileFacts } from "../../types.ts";
import { DECLARATION_HANDLERS } from "./java-declarations.ts";
import { LOCAL_HANDLERS } from "./java-locals.ts";
import { USE_HANDLERS } from "./java-uses.ts";
import { JavaWalk } from "./java-walk.ts";

const HANDLERS = { ...DECLARATION_HANDLERS, ...LOCAL_HANDLERS, ...USE_HANDLERS };

/** Everything that a Java file declares and uses, with what its text says about types. */
export function extractJavaFacts(tree: Tree, text: string): FileFacts {
	return new JavaWalk(flattenTree(tree, text), text, HANDLERS).run(tree.rootNode.hasError);
}
