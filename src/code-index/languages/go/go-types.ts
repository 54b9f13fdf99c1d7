import { NO_NODE, type NodeIndex, type SyntaxTable } from "../../syntax-table.ts";
import type { TypeExpression } from "../expressions.ts";

/** A type as Go source writes it; undefined for what has no members, such as a negated type. */
export function readGoType(table: SyntaxTable, node: NodeIndex): TypeExpression | undefined {
	if (node === NO_NODE) return undefined;
	switch (table.type(node)) {
		case "type_identifier":
		case "identifier":
			return { k: "name", path: [table.source(node)], at: table.start(node) };
		case "qualified_type":
			return {
				k: "name",
				path: [table.source(table.child(node, "package")), table.source(table.child(node, "name"))],
				at: table.start(node),
			};
		case "selector_expression":
			return {
				k: "name",
				path: [table.source(table.child(node, "operand")), table.source(table.child(node, "field"))],
				at: table.start(node),
			};
		case "generic_type":
			return withArguments(readGoType(table, table.child(node, "type")), readArguments(table, table.child(node, "type_arguments")));
		case "pointer_type":
		case "parenthesized_type":
		case "type_elem":
		case "type_constraint":
			return readOnly(table, node);
		case "slice_type":
		case "array_type":
		case "implicit_length_array_type":
			return listOf(readGoType(table, table.child(node, "element")));
		case "channel_type":
			return { k: "list", of: readGoType(table, table.child(node, "value")) ?? ANY, isChannel: true };
		case "map_type": {
			const key = readGoType(table, table.child(node, "key"));
			const of = readGoType(table, table.child(node, "value"));
			return { k: "map", key: key ?? ANY, of: of ?? ANY };
		}
		case "function_type":
			return { k: "function", result: readGoResult(table, table.child(node, "result")) };
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
function readOnly(table: SyntaxTable, node: NodeIndex): TypeExpression | undefined {
	const inner = table.children(node);
	return inner.length === 1 && inner[0] !== undefined ? readGoType(table, inner[0]) : undefined;
}

function readArguments(table: SyntaxTable, node: NodeIndex): readonly TypeExpression[] {
	return table.children(node).map((argument) => readGoType(table, argument) ?? ANY);
}

function withArguments(type: TypeExpression | undefined, args: readonly TypeExpression[]): TypeExpression | undefined {
	return type?.k === "name" ? { ...type, args } : type;
}

/** What a call of the function gives: one type, or a tuple. */
export function readGoResult(table: SyntaxTable, node: NodeIndex): TypeExpression | undefined {
	if (node === NO_NODE) return undefined;
	if (table.type(node) !== "parameter_list") return readGoType(table, node);
	const types: TypeExpression[] = [];
	for (const parameter of table.children(node)) {
		const type = readGoType(table, table.child(parameter, "type")) ?? ANY;
		for (let count = Math.max(1, table.childrenIn(parameter, "name").length); count > 0; count--) types.push(type);
	}
	return types.length === 1 ? types[0] : { k: "tuple", of: types };
}

function readEmbedded(table: SyntaxTable, node: NodeIndex): readonly TypeExpression[] {
	const embedded: (TypeExpression | undefined)[] = [];
	if (table.type(node) === "struct_type") {
		for (const field of table.children(table.find(node, "field_declaration_list"))) {
			if (table.child(field, "name") === NO_NODE) embedded.push(readGoType(table, table.child(field, "type")));
		}
	} else {
		for (const element of table.children(node)) {
			if (table.type(element) === "type_elem") embedded.push(readGoType(table, element));
		}
	}
	return embedded.filter((type) => type !== undefined);
}
