import { NONE, type FlatNode, type FlatTree } from "../../flat-tree.ts";
import { partsOf } from "../tree-parts.ts";
import type { TypeExpression } from "../expressions.ts";

const PRIMITIVES = new Set(["integral_type", "floating_point_type", "boolean_type", "void_type"]);

/** A type as Java source writes it; undefined for `var`. */
export function readJavaType(table: FlatTree, node: FlatNode): TypeExpression | undefined {
	if (node === NONE) return undefined;
	const type = table.type(node);
	if (PRIMITIVES.has(type)) return { k: "name", path: [table.text(node)], at: 0 };
	switch (type) {
		case "type_identifier":
		case "identifier": {
			const name = table.text(node);
			return name === "var" ? undefined : { k: "name", path: [name], at: table.start(node) };
		}
		case "scoped_type_identifier":
		case "scoped_identifier":
			return { k: "name", path: readPath(table, node), at: table.start(node) };
		case "generic_type": {
			const named = readJavaType(table, partsOf(table, node)[0] ?? NONE);
			const args = partsOf(table, table.childOfType(node, "type_arguments")).map((argument) => readJavaType(table, argument) ?? OBJECT);
			return named?.k === "name" ? { ...named, args } : named;
		}
		case "array_type": {
			let made = readJavaType(table, table.field(node, "element")) ?? OBJECT;
			for (let depth = countDimensions(table, table.field(node, "dimensions")); depth > 0; depth--) made = { k: "list", of: made };
			return made;
		}
		case "annotated_type":
		case "catch_type":
		case "superclass":
		case "type_bound":
		case "wildcard":
			return readLast(table, node);
		default:
			return undefined;
	}
}

const OBJECT: TypeExpression = { k: "name", path: ["Object"], at: 0 };

/** Behind annotations, in a bound or behind `? extends`; of several alternatives the first one. */
function readLast(table: FlatTree, node: FlatNode): TypeExpression | undefined {
	const inner = partsOf(table, node).filter((child) => !table.type(child).endsWith("annotation") && table.type(child) !== "super");
	return readJavaType(table, inner[0] ?? NONE);
}

/** Names of a qualified type or name, type arguments left out. */
export function readPath(table: FlatTree, node: FlatNode): readonly string[] {
	switch (table.type(node)) {
		case "type_identifier":
		case "identifier":
			return [table.text(node)];
		case "generic_type":
			return readPath(table, partsOf(table, node)[0] ?? NONE);
		case "scoped_type_identifier":
		case "scoped_identifier":
			return partsOf(table, node).flatMap((child) => readPath(table, child));
		default:
			return [];
	}
}

/** Number of `[]` in a node of dimensions; 0 for none. */
export function countDimensions(table: FlatTree, node: FlatNode): number {
	return node === NONE ? 0 : (table.text(node).match(/\[/g)?.length ?? 0);
}

/** A declarator may bring dimensions of its own: `int a[]`. */
export function withDimensions(type: TypeExpression | undefined, count: number): TypeExpression | undefined {
	let made = type;
	for (let left = count; left > 0 && made !== undefined; left--) made = { k: "list", of: made };
	return made;
}
