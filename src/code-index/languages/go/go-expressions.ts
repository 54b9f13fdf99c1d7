import { NONE, type FlatNode, type FlatTree } from "../../flat-tree.ts";
import { partsOf } from "../tree-parts.ts";
import type { Expression, TypeExpression } from "../expressions.ts";
import { readGoResult, readGoType } from "./go-types.ts";

const BASIC: Readonly<Record<string, string>> = {
	interpreted_string_literal: "string",
	raw_string_literal: "string",
	int_literal: "int",
	float_literal: "float64",
	rune_literal: "rune",
	true: "bool",
	false: "bool",
};

const COMPARISONS = new Set(["==", "!=", "<", "<=", ">", ">=", "&&", "||"]);

/** What an expression of Go source says about its type; undefined when it says nothing. */
export function readGoExpression(table: FlatTree, node: FlatNode): Expression | undefined {
	if (node === NONE) return undefined;
	const type = table.type(node);
	const basic = BASIC[type];
	if (basic !== undefined) return typed({ k: "name", path: [basic], at: 0 });
	switch (type) {
		case "identifier":
			return { k: "name", name: table.text(node), at: table.start(node) };
		case "selector_expression":
			return readSelector(table, node);
		case "call_expression":
			return readCall(table, node);
		case "composite_literal":
			return typed(readGoType(table, table.field(node, "type")));
		case "type_assertion_expression":
			return typed(readGoType(table, table.field(node, "type")));
		case "type_conversion_expression":
			return typed(readGoType(table, table.field(node, "type")));
		case "func_literal":
			return typed({ k: "function", result: readGoResult(table, table.field(node, "result")) });
		case "parenthesized_expression":
			return readGoExpression(table, partsOf(table, node)[0] ?? NONE);
		case "slice_expression":
			return readGoExpression(table, table.field(node, "operand"));
		case "index_expression":
			return element(readGoExpression(table, table.field(node, "operand")));
		case "type_instantiation_expression":
			return readGoExpression(table, table.field(node, "type"));
		case "unary_expression": {
			const operand = readGoExpression(table, table.field(node, "operand"));
			return table.text(table.field(node, "operator")) === "<-" ? element(operand) : operand;
		}
		case "binary_expression": {
			if (COMPARISONS.has(table.text(table.field(node, "operator")))) return typed({ k: "name", path: ["bool"], at: 0 });
			return readGoExpression(table, table.field(node, "left"));
		}
		default:
			return undefined;
	}
}

function typed(type: TypeExpression | undefined): Expression | undefined {
	return type === undefined ? undefined : { k: "typed", type };
}

function element(of: Expression | undefined): Expression | undefined {
	return of === undefined ? undefined : { k: "element", of };
}

function readSelector(table: FlatTree, node: FlatNode): Expression | undefined {
	const of = readGoExpression(table, table.field(node, "operand"));
	return of === undefined ? undefined : { k: "member", of, name: table.text(table.field(node, "field")) };
}

function readCall(table: FlatTree, node: FlatNode): Expression | undefined {
	const callee = table.field(node, "function");
	const args = partsOf(table, table.field(node, "arguments"));
	const name = table.type(callee) === "identifier" ? table.text(callee) : "";
	const first = args[0] ?? NONE;
	if ((name === "make" || name === "new") && args.length > 0) return typed(readGoType(table, first));
	if (name === "append" || name === "min" || name === "max") return readGoExpression(table, first);
	if (name === "len" || name === "cap" || name === "copy") return typed({ k: "name", path: ["int"], at: 0 });
	if (table.type(callee) === "parenthesized_expression") {
		// `(*T)(x)` converts: the type stands where a function would.
		const inner = partsOf(table, callee)[0] ?? NONE;
		if (table.type(inner) === "unary_expression") return typed(readGoType(table, table.field(inner, "operand")));
	}
	const of = readGoExpression(table, callee);
	return of === undefined ? undefined : { k: "call", of, args: args.length };
}
