import { type FlatNode, type FlatTree, NONE } from "../../flat-tree.ts";
import type { Expression, TypeExpression } from "../expressions.ts";
import { partsOf } from "../tree-parts.ts";
import { readRustPath, readRustType } from "./rust-types.ts";

const LITERALS: Readonly<Record<string, string>> = {
	string_literal: "str",
	raw_string_literal: "str",
	char_literal: "char",
	boolean_literal: "bool",
	integer_literal: "usize",
	float_literal: "f64",
};

const BOOLEAN = new Set(["==", "!=", "<", "<=", ">", ">=", "&&", "||"]);

/** What an expression of Rust source says about its type; undefined when it says nothing. */
export function readRustExpression(tree: FlatTree, node: FlatNode): Expression | undefined {
	if (node === NONE) return undefined;
	const type = tree.type(node);
	const literal = LITERALS[type];
	if (literal !== undefined) return typed({ k: "name", path: [literal], at: 0 });
	switch (type) {
		case "identifier":
		case "self":
			return { k: "name", name: tree.text(node), at: tree.start(node) };
		case "scoped_identifier": {
			const path = readRustPath(tree, node);
			return path.length === 0 ? undefined : { k: "path", path, at: tree.start(node) };
		}
		case "generic_function":
			return readRustExpression(tree, tree.field(node, "function"));
		case "field_expression":
			return readField(tree, node);
		case "call_expression": {
			const wrapped = readWrapped(tree, node);
			if (wrapped !== NONE) return readRustExpression(tree, wrapped);
			const of = readRustExpression(tree, tree.field(node, "function"));
			return of === undefined ? undefined : { k: "call", of, args: partsOf(tree, tree.field(node, "arguments")).length };
		}
		case "struct_expression":
			return typed(readRustType(tree, tree.field(node, "name")));
		case "type_cast_expression":
			return typed(readRustType(tree, tree.field(node, "type")));
		case "reference_expression":
			return readRustExpression(tree, tree.field(node, "value"));
		case "unary_expression":
		case "parenthesized_expression":
			return readRustExpression(tree, partsOf(tree, node)[0] ?? NONE);
		case "try_expression":
			return unwrap(readRustExpression(tree, partsOf(tree, node)[0] ?? NONE), "try");
		case "await_expression":
			return unwrap(readRustExpression(tree, partsOf(tree, node)[0] ?? NONE), "await");
		case "index_expression": {
			const of = readRustExpression(tree, partsOf(tree, node)[0] ?? NONE);
			return of === undefined ? undefined : { k: "element", of };
		}
		case "binary_expression":
			if (BOOLEAN.has(tree.text(tree.field(node, "operator")))) return typed({ k: "name", path: ["bool"], at: 0 });
			return readRustExpression(tree, tree.field(node, "left"));
		case "unsafe_block":
			return readRustExpression(tree, partsOf(tree, node)[0] ?? NONE);
		case "block":
			return readBlock(tree, node);
		case "if_expression":
			return readRustExpression(tree, tree.field(node, "consequence"));
		case "match_expression":
			return readFirstArm(tree, node);
		case "tuple_expression":
			return undefined;
		default:
			return undefined;
	}
}

/** Calls that only wrap their argument; members are found through the wrapper. */
const WRAPS = /^(?:Some|Ok|(?:std::sync::|sync::|std::rc::)?(?:Arc|Rc|Box)::(?:new|pin|clone|from)|Pin::new)$/;

function readWrapped(tree: FlatTree, node: FlatNode): FlatNode {
	const args = partsOf(tree, tree.field(node, "arguments"));
	const only = args.length === 1 ? args[0] : undefined;
	return only !== undefined && WRAPS.test(tree.text(tree.field(node, "function"))) ? only : NONE;
}

function typed(type: TypeExpression | undefined): Expression | undefined {
	return type === undefined ? undefined : { k: "typed", type };
}

function unwrap(of: Expression | undefined, by: "try" | "await"): Expression | undefined {
	return of === undefined ? undefined : { k: "unwrap", of, by };
}

function readField(tree: FlatTree, node: FlatNode): Expression | undefined {
	const of = readRustExpression(tree, tree.field(node, "value"));
	const name = tree.field(node, "field");
	if (of === undefined) return undefined;
	return tree.type(name) === "integer_literal" ? { k: "nth", of, n: Number(tree.text(name)) } : { k: "member", of, name: tree.text(name) };
}

/** A block is worth its last expression, if that stands without a semicolon. */
function readBlock(tree: FlatTree, node: FlatNode): Expression | undefined {
	const last = partsOf(tree, node).at(-1) ?? NONE;
	const type = tree.type(last);
	if (type === "expression_statement") {
		const inner = partsOf(tree, last)[0] ?? NONE;
		return tree.text(last).endsWith(";") ? undefined : readRustExpression(tree, inner);
	}
	return type === "let_declaration" ? undefined : readRustExpression(tree, last);
}

/** The first arm that says something; arms that return or fail say nothing. */
function readFirstArm(tree: FlatTree, node: FlatNode): Expression | undefined {
	for (const arm of partsOf(tree, tree.field(node, "body"))) {
		const value = readRustExpression(tree, tree.field(arm, "value"));
		if (value !== undefined) return value;
	}
	return undefined;
}
