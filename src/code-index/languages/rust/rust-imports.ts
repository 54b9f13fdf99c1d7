import { type FlatNode, NONE } from "../../flat-tree.ts";
import type { Expression } from "../expressions.ts";
import { partsOf } from "../tree-parts.ts";
import { readRustPath } from "./rust-types.ts";
import type { Handlers, RustWalk } from "./rust-walk.ts";

/** `use` trees and `extern crate`. */
export const IMPORT_HANDLERS: Handlers = {
	use_declaration: (walk, node) => visitTreeOf(walk, walk.tree.field(node, "argument"), []),
	extern_crate_declaration: visitExternCrate,
};

const WORDS = new Set(["self", "super", "crate"]);

function visitExternCrate(walk: RustWalk, node: FlatNode): void {
	const name = walk.tree.text(walk.tree.field(node, "name"));
	const alias = walk.tree.field(node, "alias");
	const index = walk.tree.start(alias === NONE ? walk.tree.field(node, "name") : alias);
	walk.facts.import({ kind: "module", module: name, local: alias === NONE ? name : walk.tree.text(alias), index });
}

/** One branch of a `use` tree; `before` is the path that leads to it. */
function visitTreeOf(walk: RustWalk, node: FlatNode, before: readonly string[]): void {
	const tree = walk.tree;
	switch (tree.type(node)) {
		case "use_list":
			for (const part of partsOf(tree, node)) visitTreeOf(walk, part, before);
			return;
		case "scoped_use_list": {
			const path = tree.field(node, "path");
			useSegments(walk, path, before);
			visitTreeOf(walk, tree.field(node, "list"), [...before, ...readRustPath(tree, path)]);
			return;
		}
		case "use_wildcard": {
			const path = partsOf(tree, node)[0] ?? NONE;
			useSegments(walk, path, before);
			walk.facts.import({ kind: "wildcard", module: [...before, ...readRustPath(tree, path)].join("::"), index: tree.start(node) });
			return;
		}
		case "use_as_clause": {
			const alias = tree.field(node, "alias");
			importName(walk, tree.field(node, "path"), before, tree.text(alias), tree.start(alias));
			return;
		}
		default:
			importName(walk, node, before, undefined, tree.start(node));
	}
}

function importName(walk: RustWalk, node: FlatNode, before: readonly string[], alias: string | undefined, index: number): void {
	const whole = [...before, ...readRustPath(walk.tree, node)];
	// `a::{self}` brings `a` itself.
	const path = whole.length > 1 && whole.at(-1) === "self" ? whole.slice(0, -1) : whole;
	const imported = path.at(-1);
	if (imported === undefined) return;
	const local = alias ?? imported;
	const common = { module: path.slice(0, -1).join("::"), imported, index };
	const number = walk.facts.import(local === "_" ? { kind: "effect", ...common } : { kind: "name", local, ...common });
	useSegments(walk, node, before, number);
}

/** Every name of a path on the way, and the imported one as the last. */
function useSegments(walk: RustWalk, node: FlatNode, before: readonly string[], imported?: number): void {
	const names = listSegments(walk, node);
	names.forEach((name, position) => {
		const text = walk.tree.text(name);
		if (WORDS.has(text)) return;
		const path = [...before, ...names.slice(0, position).map((one) => walk.tree.text(one))];
		const at = walk.tree.start(name);
		const receiver: Expression | undefined = path.length === 0 ? undefined : { k: "scope", path, at };
		walk.facts.use({
			name: text,
			at,
			role: "import",
			...(receiver === undefined ? {} : { receiver }),
			...(imported !== undefined && position === names.length - 1 ? { import: imported } : {}),
		});
	});
}

function listSegments(walk: RustWalk, node: FlatNode): readonly FlatNode[] {
	if (node === NONE) return [];
	if (walk.tree.type(node) !== "scoped_identifier") return [node];
	return [...listSegments(walk, walk.tree.field(node, "path")), walk.tree.field(node, "name")];
}
