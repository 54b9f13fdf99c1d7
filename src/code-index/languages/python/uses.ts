import { squeeze } from "../../facts/squeeze.ts";
import { type FlatNode, NONE } from "../../flat-tree.ts";
import { bind } from "./bind.ts";
import { visitType } from "./declare.ts";
import { countArguments, type Handlers, typeHint, useName, valueHint, type Walk } from "./walk.ts";

function walkAssignment(node: FlatNode, walk: Walk): void {
	const { tree, facts } = walk;
	const left = tree.field(node, "left");
	const right = tree.field(node, "right");
	const type = tree.field(node, "type");
	visitType(type, walk);
	walk.visit(right);
	// `a = b = value`: the value is what the last assignment has.
	let value = right;
	while (tree.type(value) === "assignment") value = tree.field(value, "right");
	bind(left, walk, { hint: typeHint(tree, type) ?? valueHint(tree, value), whole: node });
	if (tree.text(left) !== "__all__" || facts.scope() !== 0) return;
	for (const child of tree.namedChildren(right)) if (tree.type(child) === "string") facts.dynamicName(tree.text(child).slice(1, -1));
}

function walkAugmented(node: FlatNode, walk: Walk): void {
	const { tree } = walk;
	const left = tree.field(node, "left");
	if (tree.type(left) === "identifier") useName(walk, left, "write");
	else bind(left, walk, { hint: undefined, whole: node });
	walk.visit(tree.field(node, "right"));
}

function walkLoop(node: FlatNode, walk: Walk): void {
	const { tree } = walk;
	const right = tree.field(node, "right");
	walk.visit(right);
	bind(tree.field(node, "left"), walk, {
		hint: { form: "element", text: squeeze(tree.text(right)) },
		whole: tree.field(node, "left"),
		inPlace: tree.type(node) === "for_in_clause",
	});
	walkBranch(tree.field(node, "body"), walk);
	walkBranch(tree.field(node, "alternative"), walk);
}

function walkBranch(node: FlatNode, walk: Walk): void {
	walk.branches++;
	walk.visit(node);
	walk.branches--;
}

function walkBranches(node: FlatNode, walk: Walk): void {
	walk.branches++;
	walk.visitChildren(node);
	walk.branches--;
}

/** The clauses of a comprehension come behind what uses their names. */
function walkComprehension(node: FlatNode, walk: Walk): void {
	const { tree, facts } = walk;
	facts.inScope({ kind: "block", startIndex: tree.start(node), endIndex: tree.end(node) }, () => {
		const body = tree.field(node, "body");
		for (const child of tree.namedChildren(node)) if (child !== body) walk.visit(child);
		walk.visit(body);
	});
}

function walkCall(node: FlatNode, walk: Walk): void {
	const { tree } = walk;
	const callee = tree.field(node, "function");
	const given = tree.field(node, "arguments");
	const counted = countArguments(tree, given);
	if (tree.type(callee) === "identifier") useName(walk, callee, "call", { arguments: counted });
	else if (tree.type(callee) === "attribute") {
		const object = tree.field(callee, "object");
		walk.visit(object);
		useName(walk, tree.field(callee, "attribute"), "call", { receiver: object, arguments: counted });
	} else walk.visit(callee);
	if (/^(?:getattr|setattr|hasattr|delattr)$/.test(tree.text(callee))) {
		const name = tree.namedChildren(given)[1] ?? NONE;
		if (tree.type(name) === "string") walk.facts.dynamicName(tree.text(name).slice(1, -1));
	}
	walk.visit(given);
}

function walkAs(node: FlatNode, walk: Walk): void {
	const { tree } = walk;
	const value = tree.namedChildren(node)[0] ?? NONE;
	walk.visit(value);
	const isClause = tree.type(tree.parent(node)) === "except_clause";
	const hint = isClause ? typeHint(tree, value) : valueHint(tree, value);
	bind(tree.field(node, "alias"), walk, { hint, whole: node });
}

/** A forward reference: names in an annotation that is a string. */
function walkString(node: FlatNode, walk: Walk): void {
	const { tree, facts } = walk;
	if (!walk.inType) {
		walk.visitChildren(node);
		return;
	}
	const text = tree.text(node);
	for (const match of text.matchAll(/(?<![.\p{L}\p{N}_])[\p{L}_][\p{L}\p{N}_]*/gu)) {
		if (match[0] !== "None") facts.use({ name: match[0], index: tree.start(node) + match.index, role: "type" });
	}
}

/** Only `Literal["a"]` has strings that are no types. */
function walkSubscript(node: FlatNode, walk: Walk): void {
	const before = walk.inType;
	walk.visit(walk.tree.field(node, "value"));
	if (/(?:^|\.)(?:Literal|Annotated)$/.test(walk.tree.text(walk.tree.field(node, "value")))) walk.inType = false;
	const value = walk.tree.field(node, "value");
	for (const child of walk.tree.namedChildren(node)) if (child !== value) walk.visit(child);
	walk.inType = before;
}

function bindElsewhere(node: FlatNode, walk: Walk): void {
	const { tree, facts } = walk;
	const scope = facts.scope("function", "type", "file");
	const names = walk.elsewhere.get(scope) ?? new Map<string, number>();
	walk.elsewhere.set(scope, names);
	for (const child of tree.namedChildren(node)) if (tree.type(child) === "identifier") names.set(tree.text(child), 0);
}

export const USE_HANDLERS: Handlers = {
	identifier: (node, walk) => useName(walk, node, "read"),
	attribute: (node, walk) => {
		const object = walk.tree.field(node, "object");
		walk.visit(object);
		useName(walk, walk.tree.field(node, "attribute"), "read", { receiver: object });
	},
	call: walkCall,
	keyword_argument: (node, walk) => walk.visit(walk.tree.field(node, "value")),
	assignment: walkAssignment,
	augmented_assignment: walkAugmented,
	named_expression: (node, walk) => {
		const value = walk.tree.field(node, "value");
		walk.visit(value);
		bind(walk.tree.field(node, "name"), walk, { hint: valueHint(walk.tree, value), whole: node });
	},
	for_statement: walkLoop,
	for_in_clause: walkLoop,
	list_comprehension: walkComprehension,
	set_comprehension: walkComprehension,
	dictionary_comprehension: walkComprehension,
	generator_expression: walkComprehension,
	as_pattern: walkAs,
	if_statement: walkBranches,
	try_statement: walkBranches,
	while_statement: walkBranches,
	match_statement: walkBranches,
	global_statement: bindElsewhere,
	type: (node, walk) => {
		visitTypeOnce(node, walk);
	},
	string: walkString,
	subscript: walkSubscript,
	generic_type: walkSubscriptType,
};

function visitTypeOnce(node: FlatNode, walk: Walk): void {
	const before = walk.inType;
	walk.inType = true;
	walk.visitChildren(node);
	walk.inType = before;
}

/** `Literal["a"]` written as a type. */
function walkSubscriptType(node: FlatNode, walk: Walk): void {
	const [name] = walk.tree.namedChildren(node);
	const before = walk.inType;
	if (name !== undefined) walk.visit(name);
	const isPlain = name !== undefined && /(?:^|\.)(?:Literal|Annotated)$/.test(walk.tree.text(name));
	for (const child of walk.tree.namedChildren(node)) {
		if (child === name || isPlain) continue;
		walk.visit(child);
	}
	walk.inType = before;
}
