import { type FlatNode, NONE } from "../../flat-tree.ts";
import type { Expression, TypeExpression } from "../expressions.ts";
import { partsOf } from "../tree-parts.ts";
import { readRustExpression } from "./rust-expressions.ts";
import { readRustType } from "./rust-types.ts";
import { usePath, visitPath } from "./rust-uses.ts";
import type { Handlers, RustWalk } from "./rust-walk.ts";

/** Parameters, `let` and patterns. */
export const BINDING_HANDLERS: Handlers = {
	self_parameter: visitSelf,
	parameter: visitParameter,
	closure_expression: visitClosure,
	let_declaration: visitLet,
	let_condition: visitCondition,
	for_expression: visitFor,
	match_expression: visitMatch,
};

/** What is known of the value that a pattern takes apart. */
interface Matched {
	readonly type?: TypeExpression | undefined;
	readonly value?: Expression | undefined;
	readonly from: number;
	readonly kind: "parameter" | "variable";
}

function visitSelf(walk: RustWalk, node: FlatNode): void {
	const self = walk.tree.childOfType(node, "self");
	const start = walk.tree.start(self);
	walk.facts.define({
		name: "self",
		kind: "parameter",
		sort: "value",
		hidden: true,
		at: start,
		start: walk.tree.start(node),
		end: walk.tree.end(node),
		exported: false,
		type: { k: "name", path: ["Self"], at: start },
	});
}

function visitParameter(walk: RustWalk, node: FlatNode): void {
	const written = walk.tree.field(node, "type");
	const pattern = walk.tree.field(node, "pattern");
	const type = readRustType(walk.tree, written);
	walk.visit(written);
	if (walk.tree.type(pattern) === "self") visitSelf(walk, node);
	else bind(walk, pattern, { type, from: walk.tree.start(node), kind: "parameter" });
}

function visitClosure(walk: RustWalk, node: FlatNode): void {
	walk.inScope("function", node, () => {
		for (const part of partsOf(walk.tree, walk.tree.field(node, "parameters"))) {
			if (walk.tree.type(part) === "parameter") walk.visit(part);
			else bind(walk, part, { from: walk.tree.start(node), kind: "parameter" });
		}
		walk.visit(walk.tree.field(node, "return_type"));
		walk.visit(walk.tree.field(node, "body"));
	});
}

function visitLet(walk: RustWalk, node: FlatNode): void {
	const written = walk.tree.field(node, "type");
	const value = walk.tree.field(node, "value");
	walk.visit(written);
	walk.visit(value);
	walk.visit(walk.tree.field(node, "alternative"));
	const type = readRustType(walk.tree, written);
	const said = type === undefined || hasHole(type) ? readRustExpression(walk.tree, value) : undefined;
	bind(walk, walk.tree.field(node, "pattern"), {
		type: said === undefined ? type : undefined,
		value: said,
		from: walk.tree.end(node),
		kind: "variable",
	});
}

/** `Vec<_>` says less than the value. */
function hasHole(type: TypeExpression): boolean {
	return type.k === "name" && (type.path[0] === "_" || (type.args ?? []).some(hasHole));
}

function visitCondition(walk: RustWalk, node: FlatNode): void {
	const value = walk.tree.field(node, "value");
	walk.visit(value);
	const from = walk.tree.end(node);
	bind(walk, walk.tree.field(node, "pattern"), { value: readRustExpression(walk.tree, value), from, kind: "variable" });
}

function visitFor(walk: RustWalk, node: FlatNode): void {
	const value = walk.tree.field(node, "value");
	const of = readRustExpression(walk.tree, value);
	walk.visit(value);
	walk.inScope("block", node, () => {
		const body = walk.tree.field(node, "body");
		const from = walk.tree.start(body);
		bind(walk, walk.tree.field(node, "pattern"), { value: of === undefined ? undefined : { k: "element", of }, from, kind: "variable" });
		walk.visit(body);
	});
}

function visitMatch(walk: RustWalk, node: FlatNode): void {
	const value = walk.tree.field(node, "value");
	walk.visit(value);
	const said = readRustExpression(walk.tree, value);
	for (const arm of partsOf(walk.tree, walk.tree.field(node, "body"))) {
		if (walk.tree.type(arm) !== "match_arm") continue;
		walk.inScope("block", arm, () => {
			const pattern = walk.tree.field(arm, "pattern");
			for (const part of partsOf(walk.tree, pattern)) {
				if (walk.tree.fieldName(part) === "condition") walk.visit(part);
				else bind(walk, part, { value: said, from: walk.tree.start(arm), kind: "variable" });
			}
			walk.visit(walk.tree.field(arm, "value"));
		});
	}
}

/** Declares the names of a pattern and uses the types and constants in it. */
function bind(walk: RustWalk, pattern: FlatNode, of: Matched): void {
	if (pattern === NONE) return;
	switch (walk.tree.type(pattern)) {
		case "identifier":
			bindName(walk, pattern, of);
			return;
		case "mut_pattern":
		case "ref_pattern":
		case "reference_pattern":
		case "captured_pattern":
		case "or_pattern":
			for (const part of partsOf(walk.tree, pattern)) bind(walk, part, of);
			return;
		case "tuple_pattern":
			partsOf(walk.tree, pattern).forEach((part, n) => {
				bind(walk, part, takeApart(of, n));
			});
			return;
		case "slice_pattern":
			for (const part of partsOf(walk.tree, pattern))
				bind(
					walk,
					part,
					within(of, (value) => ({ k: "element", of: value })),
				);
			return;
		case "tuple_struct_pattern":
			bindTupleStruct(walk, pattern, of);
			return;
		case "struct_pattern":
			bindStruct(walk, pattern, of);
			return;
		default:
			walk.visit(pattern);
	}
}

function bindName(walk: RustWalk, name: FlatNode, of: Matched): void {
	const text = walk.tree.text(name);
	// A name in capitals is a constant or a variant that is compared with.
	if (/^\p{Lu}/u.test(text)) {
		walk.facts.use({ name: text, at: walk.tree.start(name), role: "read" });
		return;
	}
	walk.define(name, of.kind, name, { from: of.from, type: of.type, value: of.type === undefined ? of.value : undefined });
}

function within(of: Matched, make: (value: Expression) => Expression): Matched {
	const value: Expression | undefined = of.type === undefined ? of.value : { k: "typed", type: of.type };
	return { from: of.from, kind: of.kind, ...(value === undefined ? {} : { value: make(value) }) };
}

function takeApart(of: Matched, n: number): Matched {
	if (of.type?.k === "tuple") return { from: of.from, kind: of.kind, type: of.type.of[n] };
	return within(of, (value) => ({ k: "nth", of: value, n }));
}

/** `Some(x)`, `Ok(x)` and the like hold what is wrapped; a variant of the repository, what its declaration says. */
function bindTupleStruct(walk: RustWalk, pattern: FlatNode, of: Matched): void {
	const named = walk.tree.field(pattern, "type");
	visitPath(walk, named, "read");
	const name = walk.tree.text(named);
	const wrapped = name === "Some" || name === "Ok" || name.endsWith("Poll::Ready") || name === "Ready";
	const type = readRustType(walk.tree, named);
	const whole: Matched = { from: of.from, kind: of.kind, type };
	const parts = partsOf(walk.tree, pattern).filter((part) => part !== named);
	for (const [n, part] of parts.entries()) {
		bind(
			walk,
			part,
			wrapped ? within(of, (value) => ({ k: "unwrap", of: value, by: "try" })) : within(whole, (value) => ({ k: "nth", of: value, n })),
		);
	}
}

function bindStruct(walk: RustWalk, pattern: FlatNode, of: Matched): void {
	const named = walk.tree.field(pattern, "type");
	const type = readRustType(walk.tree, named);
	usePath(walk, named, "type");
	for (const part of partsOf(walk.tree, pattern)) {
		if (walk.tree.type(part) !== "field_pattern") continue;
		const name = walk.tree.field(part, "name");
		const value: Expression | undefined =
			type === undefined ? undefined : { k: "member", of: { k: "typed", type }, name: walk.tree.text(name) };
		const receiver: Expression | false = type === undefined ? false : { k: "typed", type };
		walk.facts.use({ name: walk.tree.text(name), at: walk.tree.start(name), role: "read", receiver, isKey: true });
		const inner = walk.tree.field(part, "pattern");
		const taken: Matched = { from: of.from, kind: of.kind, value };
		if (inner !== NONE) bind(walk, inner, taken);
		else bindName(walk, name, taken);
	}
}
