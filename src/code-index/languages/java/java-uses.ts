import { NONE, type FlatNode } from "../../flat-tree.ts";
import { partsOf } from "../tree-parts.ts";
import type { OccurrenceRole } from "../../types.ts";
import { qualify } from "../expressions.ts";
import type { NewOccurrence } from "../typed-facts-builder.ts";
import { readJavaExpression } from "./java-expressions.ts";
import { readJavaType, readPath } from "./java-types.ts";
import type { Handlers, JavaWalk } from "./java-walk.ts";

/** Names that are used, with their roles. */
export const USE_HANDLERS: Handlers = {
	identifier: (walk, node) => visitTarget(walk, node, "read"),
	field_access: (walk, node) => visitTarget(walk, node, "read"),
	type_identifier: visitTypeName,
	scoped_type_identifier: visitScopedType,
	annotation: visitAnnotation,
	marker_annotation: visitAnnotation,
	method_invocation: visitInvocation,
	method_reference: visitReference,
	object_creation_expression: visitCreation,
	explicit_constructor_invocation: visitConstructorCall,
	assignment_expression: visitAssignment,
	update_expression: visitUpdate,
	switch_label: visitSwitchLabel,
	break_statement: () => {},
	continue_statement: () => {},
};

function visitTarget(walk: JavaWalk, node: FlatNode, role: OccurrenceRole): void {
	const type = walk.table.type(node);
	if (type === "identifier") {
		walk.facts.use({ name: walk.table.text(node), at: walk.table.start(node), role });
	} else if (type === "field_access") {
		const object = walk.table.field(node, "object");
		walk.visit(object);
		const name = walk.table.field(node, "field");
		if (walk.table.type(name) === "identifier") useMember(walk, name, object, role);
	} else walk.visit(node);
}

function useMember(walk: JavaWalk, name: FlatNode, object: FlatNode, role: OccurrenceRole, more: Partial<NewOccurrence> = {}): void {
	walk.facts.use({
		name: walk.table.text(name),
		at: walk.table.start(name),
		role,
		receiver: readJavaExpression(walk.table, object) ?? false,
		receiverText: walk.table.text(object),
		...more,
	});
}

function visitTypeName(walk: JavaWalk, node: FlatNode): void {
	const name = walk.table.text(node);
	if (name !== "var") walk.facts.use({ name, at: walk.table.start(node), role: "type" });
}

/** `Map.Entry`, `java.util.List`: the parts are members of each other. */
function visitScopedType(walk: JavaWalk, node: FlatNode): void {
	const parts = listParts(walk, node);
	const path = parts.map((part) => walk.table.text(part));
	parts.forEach((part, position) => {
		const receiver = qualify(path.slice(0, position), walk.table.start(node));
		if (position === parts.length - 1 || /^\p{Lu}/u.test(path[position] ?? "")) {
			walk.facts.use({
				name: path[position] ?? "",
				at: walk.table.start(part),
				role: "type",
				...(receiver === undefined ? {} : { receiver, receiverText: path.slice(0, position).join(".") }),
			});
		}
	});
}

/** The names of a scoped type; type arguments on the way are visited as they stand. */
function listParts(walk: JavaWalk, node: FlatNode): readonly FlatNode[] {
	return partsOf(walk.table, node).flatMap((child) => {
		const type = walk.table.type(child);
		if (type === "type_identifier" || type === "identifier") return [child];
		if (type === "scoped_type_identifier" || type === "scoped_identifier") return listParts(walk, child);
		if (type !== "generic_type") {
			walk.visit(child);
			return [];
		}
		walk.visit(walk.table.childOfType(child, "type_arguments"));
		const named = partsOf(walk.table, child)[0] ?? NONE;
		return walk.table.type(named) === "type_identifier" ? [named] : listParts(walk, named);
	});
}

function visitAnnotation(walk: JavaWalk, node: FlatNode): void {
	const name = walk.table.field(node, "name");
	const path = readPath(walk.table, name);
	if (path.length > 1) visitScopedType(walk, name);
	else walk.facts.use({ name: path[0] ?? "", at: walk.table.start(name), role: "type" });
	const of = readJavaType(walk.table, name);
	for (const argument of partsOf(walk.table, walk.table.field(node, "arguments"))) {
		if (walk.table.type(argument) !== "element_value_pair") {
			walk.visit(argument);
			continue;
		}
		const key = walk.table.field(argument, "key");
		walk.facts.use({
			name: walk.table.text(key),
			at: walk.table.start(key),
			role: "write",
			receiver: of === undefined ? false : { k: "typed", type: of },
			isKey: true,
			args: 0,
		});
		walk.visit(walk.table.field(argument, "value"));
	}
}

function visitInvocation(walk: JavaWalk, node: FlatNode): void {
	const name = walk.table.field(node, "name");
	const object = walk.table.field(node, "object");
	const list = walk.table.field(node, "arguments");
	const args = partsOf(walk.table, list).length;
	walk.visit(object);
	walk.visit(walk.table.field(node, "type_arguments"));
	if (object === NONE) walk.facts.use({ name: walk.table.text(name), at: walk.table.start(name), role: "call", args });
	else useMember(walk, name, object, "call", { args, ...readOuterSuper(walk, node) });
	walk.visit(list);
}

/** `Outer.super.f()` looks in what `Outer` extends: the receiver is not its object field. */
function readOuterSuper(walk: JavaWalk, node: FlatNode): Partial<NewOccurrence> {
	const word = walk.table.childOfType(node, "super");
	return word === NONE || walk.table.fieldName(word) === "object"
		? {}
		: { receiver: { k: "self", at: walk.table.start(word), super: true } };
}

function visitReference(walk: JavaWalk, node: FlatNode): void {
	const [of, ...rest] = partsOf(walk.table, node);
	if (of === undefined) return;
	walk.visit(of);
	const name = rest.at(-1);
	for (const child of rest) if (child !== name) walk.visit(child);
	if (name !== undefined && walk.table.type(name) === "identifier") useMember(walk, name, of, "read");
}

function visitCreation(walk: JavaWalk, node: FlatNode): void {
	const written = walk.table.field(node, "type");
	const list = walk.table.field(node, "arguments");
	const args = partsOf(walk.table, list).length;
	const outer = walk.table.type(walk.table.child(node)) === "new" ? NONE : walk.table.child(node);
	const named = walk.table.type(written) === "generic_type" ? (partsOf(walk.table, written)[0] ?? NONE) : written;
	const parts = walk.table.type(named) === "type_identifier" ? [named] : listParts(walk, named);
	const path = parts.map((part) => walk.table.text(part));
	parts.forEach((part, position) => {
		const isLast = position === parts.length - 1;
		const receiver = position === 0 ? readJavaExpression(walk.table, outer) : qualify(path.slice(0, position), walk.table.start(named));
		if (!isLast && !/^\p{Lu}/u.test(path[position] ?? "")) return;
		walk.facts.use({
			name: path[position] ?? "",
			at: walk.table.start(part),
			role: isLast ? "call" : "type",
			...(receiver === undefined ? {} : { receiver }),
			...(isLast ? { isConstruction: true, args } : {}),
		});
	});
	for (const child of partsOf(walk.table, node)) {
		if (child === written) walk.visit(walk.table.childOfType(written, "type_arguments"));
		else walk.visit(child);
	}
}

/** `this(…)` and `super(…)` call a constructor under the name of its type. */
function visitConstructorCall(walk: JavaWalk, node: FlatNode): void {
	const word = walk.table.field(node, "constructor");
	const isSuper = walk.table.type(word) === "super";
	const list = walk.table.field(node, "arguments");
	const name = findClassName(walk, node, isSuper);
	if (name !== "") {
		walk.facts.use({
			name,
			at: walk.table.start(word),
			role: "call",
			receiver: { k: "self", at: walk.table.start(word), super: isSuper },
			isConstruction: true,
			args: partsOf(walk.table, list).length,
		});
	}
	walk.visit(walk.table.field(node, "object"));
	walk.visit(list);
}

function findClassName(walk: JavaWalk, node: FlatNode, isSuper: boolean): string {
	let around = walk.table.parent(node);
	while (around !== NONE && !/^(?:class|enum|record)_declaration$/.test(walk.table.type(around))) around = walk.table.parent(around);
	if (around === NONE) return "";
	if (!isSuper) return walk.table.text(walk.table.field(around, "name"));
	const extended = readJavaType(walk.table, walk.table.field(around, "superclass"));
	return extended?.k === "name" ? (extended.path.at(-1) ?? "") : "";
}

function visitAssignment(walk: JavaWalk, node: FlatNode): void {
	visitTarget(walk, walk.table.field(node, "left"), "write");
	walk.visit(walk.table.field(node, "right"));
}

function visitUpdate(walk: JavaWalk, node: FlatNode): void {
	for (const operand of partsOf(walk.table, node)) visitTarget(walk, operand, "write");
}

/** In `case NAME`, the name may be a constant of the enum that is switched over. */
function visitSwitchLabel(walk: JavaWalk, node: FlatNode): void {
	let around = walk.table.parent(node);
	while (around !== NONE && walk.table.type(around) !== "switch_expression") around = walk.table.parent(around);
	const of = readJavaExpression(walk.table, walk.table.field(around, "condition"));
	for (const child of partsOf(walk.table, node)) {
		if (walk.table.type(child) !== "identifier") walk.visit(child);
		else walk.facts.use({ name: walk.table.text(child), at: walk.table.start(child), role: "read", receiver: of ?? false, isKey: true });
	}
}
