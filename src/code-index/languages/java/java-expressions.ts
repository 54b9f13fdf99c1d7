import { NONE, type FlatNode, type FlatTree } from "../../flat-tree.ts";
import { partsOf } from "../tree-parts.ts";
import { type Expression, qualify, type TypeExpression } from "../expressions.ts";
import { readJavaType } from "./java-types.ts";

const LITERALS: Readonly<Record<string, string>> = {
	string_literal: "String",
	character_literal: "char",
	decimal_integer_literal: "int",
	hex_integer_literal: "int",
	octal_integer_literal: "int",
	binary_integer_literal: "int",
	decimal_floating_point_literal: "double",
	hex_floating_point_literal: "double",
	true: "boolean",
	false: "boolean",
	class_literal: "Class",
	instanceof_expression: "boolean",
};

const BOOLEAN = new Set(["==", "!=", "<", "<=", ">", ">=", "&&", "||"]);

/** What an expression of Java source says about its type; undefined when it says nothing. */
export function readJavaExpression(table: FlatTree, node: FlatNode): Expression | undefined {
	if (node === NONE) return undefined;
	const type = table.type(node);
	const literal = LITERALS[type];
	if (literal !== undefined) return typed({ k: "name", path: [literal], at: 0 });
	switch (type) {
		case "identifier":
		case "type_identifier":
			return { k: "name", name: table.text(node), at: table.start(node) };
		case "this":
			return { k: "self", at: table.start(node) };
		case "super":
			return { k: "self", at: table.start(node), super: true };
		case "field_access":
			return readField(table, node);
		case "scoped_type_identifier":
		case "generic_type":
		case "array_type": {
			const written = readJavaType(table, node);
			return written?.k === "name" ? qualify(written.path, written.at) : typed(written);
		}
		case "method_invocation":
			return readInvocation(table, node);
		case "object_creation_expression":
			return readCreation(table, node);
		case "array_creation_expression": {
			const of = readJavaType(table, table.field(node, "type"));
			return of === undefined ? undefined : typed({ k: "list", of });
		}
		case "cast_expression":
			return typed(readJavaType(table, table.field(node, "type")));
		case "array_access":
			return elementOf(readJavaExpression(table, table.field(node, "array")));
		case "parenthesized_expression":
			return readJavaExpression(table, partsOf(table, node)[0] ?? NONE);
		case "assignment_expression":
			return readJavaExpression(table, table.field(node, "left"));
		case "ternary_expression":
			return readJavaExpression(table, table.field(node, "consequence")) ?? readJavaExpression(table, table.field(node, "alternative"));
		case "binary_expression":
			return readBinary(table, node);
		case "unary_expression":
			return readJavaExpression(table, table.field(node, "operand"));
		case "update_expression":
			return readJavaExpression(table, partsOf(table, node)[0] ?? NONE);
		default:
			return undefined;
	}
}

function typed(type: TypeExpression | undefined): Expression | undefined {
	return type === undefined ? undefined : { k: "typed", type };
}

function elementOf(of: Expression | undefined): Expression | undefined {
	return of === undefined ? undefined : { k: "element", of };
}

function readField(table: FlatTree, node: FlatNode): Expression | undefined {
	const name = table.field(node, "field");
	// `Outer.this` is an object of the outer type; `Outer.super.f()` looks in what that extends.
	const of = readJavaExpression(table, table.field(node, "object"));
	if (of === undefined) return undefined;
	if (table.type(name) === "this") return { k: "call", of, args: 0 };
	return { k: "member", of, name: table.text(name) };
}

function readInvocation(table: FlatTree, node: FlatNode): Expression {
	const name = table.text(table.field(node, "name"));
	const args = partsOf(table, table.field(node, "arguments")).length;
	const object = table.field(node, "object");
	if (object === NONE) return { k: "call", of: { k: "name", name, at: table.start(node) }, args };
	const of = readJavaExpression(table, object);
	return { k: "call", of: { k: "member", of: of ?? NOTHING, name }, args };
}

/** Stands for an expression of which nothing is known. */
const NOTHING: Expression = { k: "path", path: [], at: 0 };

function readCreation(table: FlatTree, node: FlatNode): Expression | undefined {
	const body = table.childOfType(node, "class_body");
	// A class without a name is a type of its own that extends what is written.
	if (body !== NONE) return typed({ k: "body", at: table.start(body), embeds: embedded(readJavaType(table, table.field(node, "type"))) });
	return typed(readJavaType(table, table.field(node, "type")));
}

function embedded(type: TypeExpression | undefined): readonly TypeExpression[] {
	return type === undefined ? [] : [type];
}

function readBinary(table: FlatTree, node: FlatNode): Expression | undefined {
	const operator = table.text(table.field(node, "operator"));
	if (BOOLEAN.has(operator)) return typed({ k: "name", path: ["boolean"], at: 0 });
	const left = readJavaExpression(table, table.field(node, "left"));
	const right = readJavaExpression(table, table.field(node, "right"));
	const isText = (side: Expression | undefined): boolean => side?.k === "typed" && side.type.k === "name" && side.type.path[0] === "String";
	if (operator === "+" && (isText(left) || isText(right))) return typed({ k: "name", path: ["String"], at: 0 });
	return left ?? right;
}
