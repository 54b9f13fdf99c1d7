import { type FlatNode, NONE } from "../../flat-tree.ts";
import type { Import } from "../../types.ts";
import { stringValue, useName, type Walk } from "./walk.ts";

/** Binds an import and records its two names as uses. */
export function bind(entry: Pick<Import, "kind" | "module" | "typeOnly">, name: FlatNode, local: FlatNode, walk: Walk): void {
	const { tree, facts } = walk;
	if (local === NONE) return;
	const { typeOnly, ...rest } = entry;
	const number = facts.import({
		...rest,
		...(typeOnly === true ? { typeOnly } : {}),
		...(entry.kind === "name" ? { imported: tree.text(name) } : {}),
		local: tree.text(local),
		index: tree.start(name),
	});
	useName(walk, name, "import", { import: number });
	if (local !== name) useName(walk, local, "import", { import: number });
}

/** `const x = require("m")` and `const { a, b: c } = require("m")`: true when the declarator was one. */
export function bindRequire(node: FlatNode, walk: Walk): boolean {
	const { tree } = walk;
	const module = requiredModule(tree.field(node, "value"), walk);
	if (module === undefined) return false;
	const name = tree.field(node, "name");
	if (tree.type(name) === "identifier") {
		bind({ kind: "module", module }, name, name, walk);
		return true;
	}
	const parts = tree.namedChildren(name);
	const simple = parts.every((part) => {
		const local = tree.type(part) === "pair_pattern" ? tree.field(part, "value") : part;
		return ["identifier", "shorthand_property_identifier_pattern"].includes(tree.type(local));
	});
	if (tree.type(name) !== "object_pattern" || !simple) return false;
	for (const part of parts) {
		const isPair = tree.type(part) === "pair_pattern";
		bind({ kind: "name", module }, isPair ? tree.field(part, "key") : part, isPair ? tree.field(part, "value") : part, walk);
	}
	return true;
}

export function requiredModule(node: FlatNode, { tree }: Walk): string | undefined {
	if (tree.type(node) !== "call_expression" || tree.text(tree.field(node, "function")) !== "require") return undefined;
	return stringValue(tree, tree.namedChildren(tree.field(node, "arguments"))[0] ?? NONE);
}
