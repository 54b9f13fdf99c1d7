import { NONE, type FlatNode, type FlatTree } from "../../flat-tree.ts";
import { partsIn, partsOf } from "../tree-parts.ts";
import type { TypeExpression } from "../expressions.ts";

/** A type as Go source writes it; undefined for what has no members, such as a negated type. */
export function readGoType(table: FlatTree, node: FlatNode): TypeExpression | undefined {
	if (node === NONE) return undefined;
	switch (table.type(node)) {
		case "type_identifier":
		case "identifier":
			return { k: "name", path: [table.text(node)], at: table.start(node) };
		case "qualified_type":
			return {
				k: "name",
				path: [table.text(table.field(node, "package")), table.text(table.field(node, "name"))],
				at: table.start(node),
			};
		case "selector_expression":
			return {
				k: "name",
				path: [table.text(table.field(node, "operand")), table.text(table.field(node, "field"))],
				at: table.start(node),
			};
		case "generic_type":
			return withArguments(readGoType(table, table.field(node, "type")), readArguments(table, table.field(node, "type_arguments")));
		case "pointer_type":
		case "parenthesized_type":
		case "type_elem":
		case "type_constraint":
			return readOnly(table, node);
		case "slice_type":
		case "array_type":
		case "implicit_length_array_type":
			return listOf(readGoType(table, table.field(node, "element")));
		case "channel_type":
			return { k: "list", of: readGoType(table, table.field(node, "value")) ?? ANY, isChannel: true };
		case "map_type": {
			const key = readGoType(table, table.field(node, "key"));
			const of = readGoType(table, table.field(node, "value"));
			return { k: "map", key: key ?? ANY, of: of ?? ANY };
		}
		case "function_type":
			return { k: "function", result: readGoResult(table, table.field(node, "result")) };
		case "struct_type":
		case "interface_type":
			return { k: "body", at: table.start(node), embeds: readEmbedded(table, node) };
		default:
			return undefined;
	}
}

/** A type of which nothing is known. */
const ANY: TypeExpression = { k: "name", path: ["any"], at: 0 };

function listOf(of: TypeExpression | undefined): TypeExpression {
	return { k: "list", of: of ?? ANY };
}

/** The only type below; a union of types has no members in common that a call could reach. */
function readOnly(table: FlatTree, node: FlatNode): TypeExpression | undefined {
	const inner = partsOf(table, node);
	return inner.length === 1 && inner[0] !== undefined ? readGoType(table, inner[0]) : undefined;
}

function readArguments(table: FlatTree, node: FlatNode): readonly TypeExpression[] {
	return partsOf(table, node).map((argument) => readGoType(table, argument) ?? ANY);
}

function withArguments(type: TypeExpression | undefined, args: readonly TypeExpression[]): TypeExpression | undefined {
	return type?.k === "name" ? { ...type, args } : type;
}

/** What a call of the function gives: one type, or a tuple. */
export function readGoResult(table: FlatTree, node: FlatNode): TypeExpression | undefined {
	if (node === NONE) return undefined;
	if (table.type(node) !== "parameter_list") return readGoType(table, node);
	const types: TypeExpression[] = [];
	for (const parameter of partsOf(table, node)) {
		const type = readGoType(table, table.field(parameter, "type")) ?? ANY;
		for (let count = Math.max(1, partsIn(table, parameter, "name").length); count > 0; count--) types.push(type);
	}
	return types.length === 1 ? types[0] : { k: "tuple", of: types };
}

function readEmbedded(table: FlatTree, node: FlatNode): readonly TypeExpression[] {
	const embedded: (TypeExpression | undefined)[] = [];
	if (table.type(node) === "struct_type") {
		for (const field of partsOf(table, table.childOfType(node, "field_declaration_list"))) {
			if (table.field(field, "name") === NONE) embedded.push(readGoType(table, table.field(field, "type")));
		}
	} else {
		for (const element of partsOf(table, node)) {
			if (table.type(element) === "type_elem") embedded.push(readGoType(table, element));
		}
	}
	return embedded.filter((type) => type !== undefined);
}
