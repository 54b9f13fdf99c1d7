import { type FlatNode, NONE } from "../../flat-tree.ts";
import type { OccurrenceRole } from "../../types.ts";
import type { Expression } from "../expressions.ts";
import { partsOf } from "../tree-parts.ts";
import type { NewOccurrence } from "../typed-facts-builder.ts";
import { readRustExpression } from "./rust-expressions.ts";
import { readRustPath, readRustType } from "./rust-types.ts";
import type { Handlers, RustWalk } from "./rust-walk.ts";

/** Names that are used, with their roles. */
export const USE_HANDLERS: Handlers = {
	identifier: (walk, node) => visitTarget(walk, node, "read"),
	scoped_identifier: (walk, node) => visitTarget(walk, node, "read"),
	field_expression: (walk, node) => visitTarget(walk, node, "read"),
	generic_function: (walk, node) => visitTarget(walk, node, "read"),
	type_identifier: (walk, node) => usePath(walk, node, "type"),
	scoped_type_identifier: (walk, node) => usePath(walk, node, "type"),
	call_expression: visitCall,
	struct_expression: visitStruct,
	assignment_expression: visitAssignment,
	compound_assignment_expr: visitAssignment,
	type_binding: visitTypeBinding,
};

const NAMES = new Set(["identifier", "type_identifier", "self", "super", "crate", "metavariable"]);

export function visitTarget(walk: RustWalk, node: FlatNode, role: OccurrenceRole, more: Partial<NewOccurrence> = {}): void {
	switch (walk.tree.type(node)) {
		case "identifier":
		case "scoped_identifier":
			visitPath(walk, node, role, more);
			return;
		case "field_expression": {
			const value = walk.tree.field(node, "value");
			walk.visit(value);
			const name = walk.tree.field(node, "field");
			if (walk.tree.type(name) !== "field_identifier") return;
			walk.facts.use({
				name: walk.tree.text(name),
				at: walk.tree.start(name),
				role,
				receiver: readRustExpression(walk.tree, value) ?? false,
				receiverText: walk.tree.text(value),
				...more,
			});
			return;
		}
		case "generic_function":
			visitTarget(walk, walk.tree.field(node, "function"), role, more);
			walk.visit(walk.tree.field(node, "type_arguments"));
			return;
		default:
			walk.visit(node);
	}
}

/** Each name of a path, its last one in the given role. */
export function visitPath(walk: RustWalk, node: FlatNode, role: OccurrenceRole, more: Partial<NewOccurrence> = {}): void {
	usePath(walk, node, role, more);
}

export function usePath(walk: RustWalk, node: FlatNode, role: OccurrenceRole, more: Partial<NewOccurrence> = {}): void {
	const type = walk.tree.type(node);
	if (NAMES.has(type)) {
		useName(walk, node, role, undefined, more);
		return;
	}
	if (type !== "scoped_identifier" && type !== "scoped_type_identifier") {
		// `Vec::<T>` and `<T as Trait>`: types stand on the way.
		const named = type.startsWith("generic_type") ? walk.tree.field(node, "type") : NONE;
		if (named === NONE) walk.visitChildren(node);
		else {
			usePath(walk, named, "type");
			walk.visit(walk.tree.field(node, "type_arguments"));
		}
		return;
	}
	const before = walk.tree.field(node, "path");
	if (before !== NONE) usePath(walk, before, "type");
	const path = before === NONE ? [] : readRustPath(walk.tree, before);
	const start = before === NONE ? walk.tree.start(node) : walk.tree.start(before);
	useName(walk, walk.tree.field(node, "name"), role, before === NONE ? undefined : scopeOf(path, start), more);
}

function scopeOf(path: readonly string[], at: number): Expression | false {
	return path.length === 0 ? false : { k: "scope", path, at };
}

const NO_NAMES = new Set(["self", "super", "crate", "Self"]);

function useName(
	walk: RustWalk,
	node: FlatNode,
	role: OccurrenceRole,
	receiver: Expression | false | undefined,
	more: Partial<NewOccurrence>,
): void {
	const name = walk.tree.text(node);
	if (name === "" || NO_NAMES.has(name) || walk.tree.type(node) === "metavariable") return;
	walk.facts.use({ name, at: walk.tree.start(node), role, ...(receiver === undefined ? {} : { receiver }), ...more });
}

function visitCall(walk: RustWalk, node: FlatNode): void {
	const list = walk.tree.field(node, "arguments");
	visitTarget(walk, walk.tree.field(node, "function"), "call", { args: partsOf(walk.tree, list).length });
	walk.visit(list);
}

function visitStruct(walk: RustWalk, node: FlatNode): void {
	const named = walk.tree.field(node, "name");
	const type = readRustType(walk.tree, named);
	usePath(walk, named, "type", { isConstruction: true });
	const receiver: Expression | false = type === undefined ? false : { k: "typed", type };
	for (const part of partsOf(walk.tree, walk.tree.field(node, "body"))) {
		const kind = walk.tree.type(part);
		if (kind === "field_initializer") {
			const name = walk.tree.field(part, "field");
			if (walk.tree.type(name) !== "integer_literal") {
				walk.facts.use({ name: walk.tree.text(name), at: walk.tree.start(name), role: "write", receiver, isKey: true });
			}
			walk.visit(walk.tree.field(part, "value"));
		} else if (kind === "shorthand_field_initializer") {
			// `T { a }` writes the field and reads the variable of that name.
			const name = walk.tree.childOfType(part, "identifier");
			const at = walk.tree.start(name);
			walk.facts.use({ name: walk.tree.text(name), at, role: "write", receiver, isKey: true });
			walk.facts.use({ name: walk.tree.text(name), at, role: "read" });
		} else walk.visit(part);
	}
}

function visitAssignment(walk: RustWalk, node: FlatNode): void {
	visitTarget(walk, walk.tree.field(node, "left"), "write");
	walk.visit(walk.tree.field(node, "right"));
}

function visitTypeBinding(walk: RustWalk, node: FlatNode): void {
	for (const child of partsOf(walk.tree, node)) if (walk.tree.fieldName(child) !== "name") walk.visit(child);
}
