import { NO_NODE, type NodeIndex } from "../../syntax-table.ts";
import type { OccurrenceRole } from "../../types.ts";
import { qualify } from "../expressions.ts";
import type { NewOccurrence } from "../facts-builder.ts";
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

function visitTarget(walk: JavaWalk, node: NodeIndex, role: OccurrenceRole): void {
	const type = walk.table.type(node);
	if (type === "identifier") {
		walk.facts.use({ name: walk.table.source(node), at: walk.table.start(node), role });
	} else if (type === "field_access") {
		const object = walk.table.child(node, "object");
		walk.visit(object);
		const name = walk.table.child(node, "field");
		if (walk.table.type(name) === "identifier") useMember(walk, name, object, role);
	} else walk.visit(node);
}

function useMember(walk: JavaWalk, name: NodeIndex, object: NodeIndex, role: OccurrenceRole, more: Partial<NewOccurrence> = {}): void {
	walk.facts.use({
		name: walk.table.source(name),
		at: walk.table.start(name),
		role,
		receiver: readJavaExpression(walk.table, object) ?? false,
		receiverText: walk.table.source(object),
		...more,
	});
}

function visitTypeName(walk: JavaWalk, node: NodeIndex): void {
	const name = walk.table.source(node);
	if (name !== "var") walk.facts.use({ name, at: walk.table.start(node), role: "type" });
}

/** `Map.Entry`, `java.util.List`: the parts are members of each other. */
function visitScopedType(walk: JavaWalk, node: NodeIndex): void {
	const parts = listParts(walk, node);
	const path = parts.map((part) => walk.table.source(part));
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
function listParts(walk: JavaWalk, node: NodeIndex): readonly NodeIndex[] {
	return walk.table.children(node).flatMap((child) => {
		const type = walk.table.type(child);
		if (type === "type_identifier" || type === "identifier") return [child];
		if (type === "scoped_type_identifier" || type === "scoped_identifier") return listParts(walk, child);
		if (type !== "generic_type") {
			walk.visit(child);
			return [];
		}
		walk.visit(walk.table.find(child, "type_arguments"));
		const named = walk.table.children(child)[0] ?? NO_NODE;
		return walk.table.type(named) === "type_identifier" ? [named] : listParts(walk, named);
	});
}

function visitAnnotation(walk: JavaWalk, node: NodeIndex): void {
	const name = walk.table.child(node, "name");
	const path = readPath(walk.table, name);
	if (path.length > 1) visitScopedType(walk, name);
	else walk.facts.use({ name: path[0] ?? "", at: walk.table.start(name), role: "type" });
	const of = readJavaType(walk.table, name);
	for (const argument of walk.table.children(walk.table.child(node, "arguments"))) {
		if (walk.table.type(argument) !== "element_value_pair") {
			walk.visit(argument);
			continue;
		}
		const key = walk.table.child(argument, "key");
		walk.facts.use({
			name: walk.table.source(key),
			at: walk.table.start(key),
			role: "write",
			receiver: of === undefined ? false : { k: "typed", type: of },
			isKey: true,
			args: 0,
		});
		walk.visit(walk.table.child(argument, "value"));
	}
}

function visitInvocation(walk: JavaWalk, node: NodeIndex): void {
	const name = walk.table.child(node, "name");
	const object = walk.table.child(node, "object");
	const list = walk.table.child(node, "arguments");
	const args = walk.table.children(list).length;
	walk.visit(object);
	walk.visit(walk.table.child(node, "type_arguments"));
	if (object === NO_NODE) walk.facts.use({ name: walk.table.source(name), at: walk.table.start(name), role: "call", args });
	else useMember(walk, name, object, "call", { args, ...readOuterSuper(walk, node) });
	walk.visit(list);
}

/** `Outer.super.f()` looks in what `Outer` extends: the receiver is not its object field. */
function readOuterSuper(walk: JavaWalk, node: NodeIndex): Partial<NewOccurrence> {
	const word = walk.table.find(node, "super");
	return word === NO_NODE || walk.table.isField(word, "object") ? {} : { receiver: { k: "self", at: walk.table.start(word), super: true } };
}

function visitReference(walk: JavaWalk, node: NodeIndex): void {
	const [of, ...rest] = walk.table.children(node);
	if (of === undefined) return;
	walk.visit(of);
	const name = rest.at(-1);
	for (const child of rest) if (child !== name) walk.visit(child);
	if (name !== undefined && walk.table.type(name) === "identifier") useMember(walk, name, of, "read");
}

function visitCreation(walk: JavaWalk, node: NodeIndex): void {
	const written = walk.table.child(node, "type");
	const list = walk.table.child(node, "arguments");
	const args = walk.table.children(list).length;
	const outer = walk.table.type(walk.table.first(node)) === "new" ? NO_NODE : walk.table.first(node);
	const named = walk.table.type(written) === "generic_type" ? (walk.table.children(written)[0] ?? NO_NODE) : written;
	const parts = walk.table.type(named) === "type_identifier" ? [named] : listParts(walk, named);
	const path = parts.map((part) => walk.table.source(part));
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
	for (const child of walk.table.children(node)) {
		if (child === written) walk.visit(walk.table.find(written, "type_arguments"));
		else walk.visit(child);
	}
}

/** `this(…)` and `super(…)` call a constructor under the name of its type. */
function visitConstructorCall(walk: JavaWalk, node: NodeIndex): void {
	const word = walk.table.child(node, "constructor");
	const isSuper = walk.table.type(word) === "super";
	const list = walk.table.child(node, "arguments");
	const name = findClassName(walk, node, isSuper);
	if (name !== "") {
		walk.facts.use({
			name,
			at: walk.table.start(word),
			role: "call",
			receiver: { k: "self", at: walk.table.start(word), super: isSuper },
			isConstruction: true,
			args: walk.table.children(list).length,
		});
	}
	walk.visit(walk.table.child(node, "object"));
	walk.visit(list);
}

function findClassName(walk: JavaWalk, node: NodeIndex, isSuper: boolean): string {
	let around = walk.table.parent(node);
	while (around !== NO_NODE && !/^(?:class|enum|record)_declaration$/.test(walk.table.type(around))) around = walk.table.parent(around);
	if (around === NO_NODE) return "";
	if (!isSuper) return walk.table.source(walk.table.child(around, "name"));
	const extended = readJavaType(walk.table, walk.table.child(around, "superclass"));
	return extended?.k === "name" ? (extended.path.at(-1) ?? "") : "";
}

function visitAssignment(walk: JavaWalk, node: NodeIndex): void {
	visitTarget(walk, walk.table.child(node, "left"), "write");
	walk.visit(walk.table.child(node, "right"));
}

function visitUpdate(walk: JavaWalk, node: NodeIndex): void {
	for (const operand of walk.table.children(node)) visitTarget(walk, operand, "write");
}

/** In `case NAME`, the name may be a constant of the enum that is switched over. */
function visitSwitchLabel(walk: JavaWalk, node: NodeIndex): void {
	let around = walk.table.parent(node);
	while (around !== NO_NODE && walk.table.type(around) !== "switch_expression") around = walk.table.parent(around);
	const of = readJavaExpression(walk.table, walk.table.child(around, "condition"));
	for (const child of walk.table.children(node)) {
		if (walk.table.type(child) !== "identifier") walk.visit(child);
		else walk.facts.use({ name: walk.table.source(child), at: walk.table.start(child), role: "read", receiver: of ?? false, isKey: true });
	}
}
