import type { Tree } from "web-tree-sitter";
import { flattenTree } from "../../flat-tree.ts";
import type { FileFacts } from "../../types.ts";
import { BINDING_HANDLERS } from "./rust-bindings.ts";
import { IMPORT_HANDLERS } from "./rust-imports.ts";
import { ITEM_HANDLERS } from "./rust-items.ts";
import { MACRO_HANDLERS } from "./rust-macros.ts";
import { USE_HANDLERS } from "./rust-uses.ts";
import { RustWalk } from "./rust-walk.ts";

const HANDLERS = { ...ITEM_HANDLERS, ...IMPORT_HANDLERS, ...BINDING_HANDLERS, ...USE_HANDLERS, ...MACRO_HANDLERS };

/** Everything that a Rust file declares and uses, in the bodies of its macro calls too. */
export function extractRustFacts(tree: Tree, text: string, parse: (text: string) => Tree | undefined): FileFacts {
	const parsePiece = (piece: string): ReturnType<RustWalk["parse"]> => {
		const parsed = parse(piece);
		if (parsed === undefined) return undefined;
		const made = { tree: flattenTree(parsed, piece), hasError: parsed.rootNode.hasError };
		parsed.delete();
		return made;
	};
	return new RustWalk(flattenTree(tree, text), text, parsePiece, HANDLERS).run(tree.rootNode.hasError);
}
