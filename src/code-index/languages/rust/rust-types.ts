import { type FlatNode, type FlatTree, NONE } from "../../flat-tree.ts";
import type { TypeExpression } from "../expressions.ts";
import { partsOf } from "../tree-parts.ts";

/** A type of which nothing is known. */
export const ANY: TypeExpression = { k: "name", path: ["_"], at: 0 };

/** A type as Rust source writes it. References and pointers are left out; `impl A + B` has the members of both. */
export function readRustType(tree: FlatTree, node: FlatNode): TypeExpression | undefined {
	if (node === NONE) return undefined;
	switch (tree.type(node)) {
		case "type_identifier":
		case "identifier":
		case "primitive_type":
		case "scoped_type_identifier":
		case "scoped_identifier":
		case "self":
			return readNamed(tree, node, []);
		case "generic_type":
		case "generic_type_with_turbofish":
			return readNamed(tree, tree.field(node, "type"), readArguments(tree, tree.field(node, "type_arguments")));
		case "reference_type":
		case "pointer_type":
			return readRustType(tree, tree.field(node, "type"));
		case "array_type":
			return { k: "list", of: readRustType(tree, tree.field(node, "element")) ?? ANY };
		case "tuple_type":
			return { k: "tuple", of: partsOf(tree, node).map((part) => readRustType(tree, part) ?? ANY) };
		case "function_type":
			return { k: "function", result: readRustType(tree, tree.field(node, "return_type")) };
		case "abstract_type":
		case "dynamic_type":
			return readRustType(tree, tree.field(node, "trait"));
		case "higher_ranked_trait_bound":
			return readRustType(tree, tree.field(node, "type"));
		case "bounded_type":
		case "trait_bounds":
			return boundsOf(partsOf(tree, node).flatMap((part) => readRustType(tree, part) ?? []));
		default:
			return undefined;
	}
}

/** Something that has the members of all its bounds. */
export function boundsOf(bounds: readonly TypeExpression[]): TypeExpression | undefined {
	return bounds.length <= 1 ? bounds[0] : { k: "body", at: -1, embeds: bounds };
}

function readNamed(tree: FlatTree, node: FlatNode, args: readonly TypeExpression[]): TypeExpression | undefined {
	const path = readRustPath(tree, node);
	if (path.length === 0) return undefined;
	return { k: "name", path, at: tree.start(node), ...(args.length > 0 ? { args } : {}) };
}

/** Lifetimes are no arguments; `Output = T` stands for its type, behind the others. */
function readArguments(tree: FlatTree, node: FlatNode): readonly TypeExpression[] {
	return partsOf(tree, node)
		.filter((part) => tree.type(part) !== "lifetime")
		.map((part) => readRustType(tree, tree.type(part) === "type_binding" ? tree.field(part, "type") : part) ?? ANY);
}

/** The names of a path, type arguments left out; empty for one that begins with `<T as Trait>`. */
export function readRustPath(tree: FlatTree, node: FlatNode): readonly string[] {
	switch (tree.type(node)) {
		case "scoped_identifier":
		case "scoped_type_identifier": {
			const before = tree.field(node, "path");
			const name = tree.text(tree.field(node, "name"));
			if (before === NONE) return [name];
			const path = readRustPath(tree, before);
			return path.length === 0 ? [] : [...path, name];
		}
		case "generic_type":
		case "generic_type_with_turbofish":
			return readRustPath(tree, tree.field(node, "type"));
		case "bracketed_type": {
			const inner = partsOf(tree, node)[0] ?? NONE;
			return readRustPath(tree, tree.type(inner) === "qualified_type" ? tree.field(inner, "type") : inner);
		}
		case "identifier":
		case "type_identifier":
		case "primitive_type":
		case "self":
		case "super":
		case "crate":
		case "metavariable":
			return [tree.text(node) === "$crate" ? "crate" : tree.text(node)];
		default:
			return [];
	}
}
