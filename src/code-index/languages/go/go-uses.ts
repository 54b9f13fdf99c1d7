import { NONE, type FlatNode } from "../../flat-tree.ts";
import { partsOf } from "../tree-parts.ts";
import type { OccurrenceRole } from "../../types.ts";
import type { Expression } from "../expressions.ts";
import type { NewOccurrence } from "../typed-facts-builder.ts";
import { readGoExpression } from "./go-expressions.ts";
import { readGoType } from "./go-types.ts";
import type { GoWalk, Handlers } from "./go-walk.ts";

/** Names that are used, with their roles. */
export const USE_HANDLERS: Handlers = {
	assignment_statement: visitAssignment,
	inc_statement: visitStep,
	dec_statement: visitStep,
	identifier: visitName,
	selector_expression: visitName,
	type_instantiation_expression: visitName,
	type_identifier: visitTypeName,
	qualified_type: visitQualifiedType,
	call_expression: visitCall,
	composite_literal: visitLiteral,
};

function visitAssignment(walk: GoWalk, node: FlatNode): void {
	visitWritten(walk, walk.table.field(node, "left"));
	walk.visit(walk.table.field(node, "right"));
}

function visitStep(walk: GoWalk, node: FlatNode): void {
	for (const operand of partsOf(walk.table, node)) visitTarget(walk, operand, "write");
}

export function visitWritten(walk: GoWalk, list: FlatNode): void {
	for (const target of walk.table.type(list) === "expression_list" ? partsOf(walk.table, list) : [list]) {
		visitTarget(walk, target, "write");
	}
}

/** A name or member in a place with a role of its own; all else is read. */
function visitTarget(walk: GoWalk, node: FlatNode, role: OccurrenceRole, more: Partial<NewOccurrence> = {}): void {
	const type = walk.table.type(node);
	if (type === "identifier" || type === "type_identifier") {
		const name = walk.table.text(node);
		if (name !== "_") walk.facts.use({ name, at: walk.table.start(node), role, ...more });
	} else if (type === "selector_expression") {
		const operand = walk.table.field(node, "operand");
		walk.visit(operand);
		useMember(walk, walk.table.field(node, "field"), readGoExpression(walk.table, operand), role, {
			receiverText: walk.table.text(operand),
			...more,
		});
	} else if (type === "type_instantiation_expression" || (type === "index_expression" && role === "call")) {
		const callee = walk.table.field(node, type === "index_expression" ? "operand" : "type");
		visitTarget(walk, callee, role, more);
		for (const child of partsOf(walk.table, node)) if (child !== callee) walk.visit(child);
	} else walk.visit(node);
}

/** An unknown receiver is said to be one: its member may be anybody's. */
function useMember(
	walk: GoWalk,
	name: FlatNode,
	receiver: Expression | undefined,
	role: OccurrenceRole,
	more: Partial<NewOccurrence> = {},
): void {
	walk.facts.use({
		name: walk.table.text(name),
		at: walk.table.start(name),
		role,
		receiver: receiver ?? false,
		...more,
	});
}

function visitName(walk: GoWalk, node: FlatNode): void {
	visitTarget(walk, node, "read");
}

function visitTypeName(walk: GoWalk, node: FlatNode): void {
	visitTarget(walk, node, "type");
}

function visitQualifiedType(walk: GoWalk, node: FlatNode): void {
	const owner = walk.table.field(node, "package");
	const at = walk.table.start(owner);
	const name = walk.table.text(owner);
	walk.facts.use({ name, at, role: "read" });
	useMember(walk, walk.table.field(node, "name"), { k: "name", name, at }, "type", { receiverText: name });
}

function visitCall(walk: GoWalk, node: FlatNode): void {
	const list = walk.table.field(node, "arguments");
	const args = partsOf(walk.table, list);
	const last = args.at(-1);
	const spread = last !== undefined && walk.table.type(last) === "variadic_argument";
	visitTarget(walk, walk.table.field(node, "function"), "call", { args: args.length, ...(spread ? { spread } : {}) });
	walk.visit(walk.table.field(node, "type_arguments"));
	walk.visit(list);
}

function visitLiteral(walk: GoWalk, node: FlatNode): void {
	const written = walk.table.field(node, "type");
	const type = readGoType(walk.table, written);
	walk.visit(written);
	visitLiteralBody(walk, walk.table.field(node, "body"), type === undefined ? undefined : { k: "typed", type });
}

/** The braces of a literal; `of` is what the braces make. Inner braces without a type take their elements' type. */
function visitLiteralBody(walk: GoWalk, node: FlatNode, of: Expression | undefined): void {
	for (const element of partsOf(walk.table, node)) {
		if (walk.table.type(element) !== "keyed_element") {
			visitLiteralPart(walk, element, of === undefined ? undefined : { k: "element", of });
			continue;
		}
		const key = walk.table.field(element, "key");
		const name = partsOf(walk.table, key)[0] ?? NONE;
		let value: Expression | undefined = of === undefined ? undefined : { k: "element", of };
		if (walk.table.type(name) === "identifier") {
			useMember(walk, name, of, "write", { isKey: true });
			// Of a struct, the braces make what the field holds; a list or map has no members.
			if (of !== undefined && (of.k !== "typed" || of.type.k === "name" || of.type.k === "body")) {
				value = { k: "member", of, name: walk.table.text(name) };
			}
		} else visitLiteralPart(walk, key, of === undefined ? undefined : { k: "key", of });
		visitLiteralPart(walk, walk.table.field(element, "value"), value);
	}
}

function visitLiteralPart(walk: GoWalk, node: FlatNode, of: Expression | undefined): void {
	for (const part of walk.table.type(node) === "literal_element" ? partsOf(walk.table, node) : [node]) {
		if (walk.table.type(part) === "literal_value") visitLiteralBody(walk, part, of);
		else walk.visit(part);
	}
}
