import { squeeze } from "../../facts/squeeze.ts";
import { type FlatNode, NONE } from "../../flat-tree.ts";
import type { OccurrenceRole } from "../../types.ts";
import { requiredModule } from "./bindings.ts";
import { declare } from "./declare.ts";
import { valueHint } from "./hints.ts";
import { declarePattern } from "./patterns.ts";
import { countArguments, type Handlers, stringValue, unwrap, useName, type Walk } from "./walk.ts";

const MEMBERS: ReadonlySet<string> = new Set(["member_expression", "nested_identifier"]);

function useMember(node: FlatNode, walk: Walk, role: OccurrenceRole, more: Parameters<typeof useName>[3] = {}): void {
	const { tree } = walk;
	const object = tree.field(node, "object");
	walk.visit(object);
	const property = tree.field(node, "property");
	useName(walk, property, role, { receiver: object, ...more });
}

/** The name that an expression ends with takes the role; what stands before it is read. */
function useTarget(node: FlatNode, walk: Walk, role: OccurrenceRole, more: Parameters<typeof useName>[3] = {}): void {
	const { tree } = walk;
	const inner = unwrap(tree, node);
	if (inner !== node) for (const child of tree.namedChildren(node)) if (tree.type(child) === "type_arguments") walk.visit(child);
	if (tree.type(inner) === "identifier") useName(walk, inner, role, more);
	else if (MEMBERS.has(tree.type(inner))) useMember(inner, walk, role, more);
	else walk.visit(inner);
}

function walkCall(node: FlatNode, walk: Walk): void {
	const { tree, facts } = walk;
	const callee = tree.field(node, "function");
	const given = tree.field(node, "arguments");
	const loaded = tree.type(callee) === "import" ? stringValue(tree, tree.namedChildren(given)[0] ?? NONE) : requiredModule(node, walk);
	if (loaded !== undefined) facts.import({ kind: "effect", module: loaded, index: tree.start(node) });
	else useTarget(callee, walk, "call", { arguments: countArguments(tree, given) });
	walk.visit(tree.field(node, "type_arguments"));
	walk.visit(given);
}

function walkNew(node: FlatNode, walk: Walk): void {
	const { tree } = walk;
	const given = tree.field(node, "arguments");
	useTarget(tree.field(node, "constructor"), walk, "call", { arguments: countArguments(tree, given), isConstruction: true });
	walk.visit(tree.field(node, "type_arguments"));
	walk.visit(given);
}

function walkAssignment(node: FlatNode, walk: Walk): void {
	const { tree } = walk;
	const left = tree.field(node, "left");
	const right = tree.field(node, "right");
	assign(left, walk);
	if (walk.isJavaScript && tree.type(node) === "assignment_expression") {
		const target = tree.text(left);
		const exported = /^(?:module\.)?exports(?:\.(\w+))?$/.exec(target);
		if (exported !== null && exportAssigned(exported[1], node, walk)) return;
		if (/^this\.[\w$]+$/.test(target)) declareAssignedField(left, node, walk);
	}
	walk.visit(right);
}

function assign(node: FlatNode, walk: Walk): void {
	const { tree } = walk;
	switch (tree.type(node)) {
		case "identifier":
		case "member_expression":
		case "shorthand_property_identifier_pattern":
			if (tree.type(node) === "member_expression") useMember(node, walk, "write");
			else useName(walk, node, "write");
			return;
		case "pair_pattern":
			assign(tree.field(node, "value"), walk);
			return;
		case "assignment_pattern":
		case "object_assignment_pattern":
			assign(tree.field(node, "left"), walk);
			walk.visit(tree.field(node, "right"));
			return;
		case "object_pattern":
		case "array_pattern":
		case "rest_pattern":
		case "non_null_expression":
		case "parenthesized_expression":
			for (const child of tree.namedChildren(node)) assign(child, walk);
			return;
		default:
			walk.visit(node);
	}
}

/** `exports.a = …`, `module.exports = …`: true when the right side was walked here. */
function exportAssigned(name: string | undefined, node: FlatNode, walk: Walk): boolean {
	const { tree, facts } = walk;
	const right = tree.field(node, "right");
	const exported = name ?? "export=";
	const index = tree.start(node);
	if (tree.type(right) === "identifier") {
		facts.export({ exported, local: tree.text(right), index });
		return false;
	}
	const loaded = requiredModule(right, walk);
	if (loaded !== undefined) {
		facts.export({ exported: name ?? "*", module: loaded, imported: "*", index });
		return false;
	}
	if (name === undefined && tree.type(right) === "object") exportKeys(right, walk);
	const hint = valueHint(tree, right);
	const own = facts.define({
		name: name ?? "module.exports",
		kind: hint === undefined ? "function" : "constant",
		index: tree.end(tree.field(node, "left")) - (name ?? "module.exports").length,
		startIndex: index,
		endIndex: tree.end(node),
		exported: true,
		...(hint === undefined ? {} : { type: hint }),
	});
	facts.export({ exported, local: name ?? "module.exports", index });
	facts.inDefinition(own, () => walk.visit(right));
	return true;
}

/** `module.exports = { a, b: c }`: what stands behind a key is what the file hands on. */
function exportKeys(object: FlatNode, walk: Walk): void {
	const { tree, facts } = walk;
	for (const child of tree.namedChildren(object)) {
		const isPair = tree.type(child) === "pair";
		const value = isPair ? tree.field(child, "value") : child;
		if (!["identifier", "shorthand_property_identifier"].includes(tree.type(value))) continue;
		const key = isPair ? tree.field(child, "key") : child;
		facts.export({ exported: tree.text(key), local: tree.text(value), index: tree.start(key) });
	}
}

/** In JavaScript the first assignment to `this.x` is what declares the field. */
function declareAssignedField(left: FlatNode, node: FlatNode, walk: Walk): void {
	const { tree, facts } = walk;
	const owner = facts.container((definition) => definition.kind === "class");
	const property = tree.field(left, "property");
	if (owner === undefined || facts.hasMember(owner, tree.text(property))) return;
	const hint = valueHint(tree, tree.field(node, "right"));
	facts.inDefinition(owner, () => declare(property, node, "field", walk, hint === undefined ? {} : { more: { type: hint } }));
}

function walkLoop(node: FlatNode, walk: Walk): void {
	const { tree, facts } = walk;
	facts.inScope({ kind: "block", startIndex: tree.start(node), endIndex: tree.end(node) }, () => {
		const left = tree.field(node, "left");
		const right = tree.field(node, "right");
		if (tree.field(node, "kind") === NONE) assign(left, walk);
		else {
			const hoisted = tree.text(tree.field(node, "kind")) === "var";
			const isOf = tree.text(tree.field(node, "operator")) === "of";
			declarePattern(left, walk, {
				kind: "variable",
				scope: hoisted ? facts.scope("function", "module", "file") : facts.scope(),
				hint: isOf ? { form: "element", text: squeeze(tree.text(right)) } : undefined,
				whole: left,
				exported: false,
			});
		}
		walk.visit(right);
		walk.visit(tree.field(node, "body"));
	});
}

function walkCatch(node: FlatNode, walk: Walk): void {
	const { tree, facts } = walk;
	facts.inScope({ kind: "block", startIndex: tree.start(node), endIndex: tree.end(node) }, () => {
		const parameter = tree.field(node, "parameter");
		const target = { kind: "variable", scope: facts.scope(), hint: undefined, whole: parameter, exported: false } as const;
		if (parameter !== NONE) declarePattern(parameter, walk, target);
		walk.visit(tree.field(node, "type"));
		walk.visitChildren(tree.field(node, "body"));
	});
}

function walkBlock(node: FlatNode, walk: Walk): void {
	walk.facts.inScope({ kind: "block", startIndex: walk.tree.start(node), endIndex: walk.tree.end(node) }, () => walk.visitChildren(node));
}

function walkSubscript(node: FlatNode, walk: Walk): void {
	const { tree } = walk;
	const index = tree.field(node, "index");
	if (tree.type(index) !== "string") walk.visitChildren(node);
	else {
		walk.visit(tree.field(node, "object"));
		useName(walk, index, "read", { receiver: tree.field(node, "object"), quoted: true });
	}
}

/** Components are called with their attributes; lower-case names are the page's own elements. */
function walkElement(node: FlatNode, walk: Walk): void {
	const { tree } = walk;
	const name = tree.field(node, "name");
	const role = tree.type(node) === "jsx_closing_element" ? "read" : "call";
	const isComponent = tree.type(name) !== "identifier" || /^[^a-z]/.test(tree.text(name));
	if (isComponent) useTarget(name, walk, role, role === "call" ? { arguments: { count: 0, spread: true } } : {});
	for (const child of tree.namedChildren(node)) if (child !== name) walk.visit(child);
}

export const USE_HANDLERS: Handlers = {
	identifier: (node, walk) => useName(walk, node, "read"),
	shorthand_property_identifier: (node, walk) => useName(walk, node, "read"),
	type_identifier: (node, walk) => useName(walk, node, "type"),
	member_expression: (node, walk) => useMember(node, walk, "read"),
	nested_identifier: (node, walk) => useMember(node, walk, "read"),
	nested_type_identifier: (node, walk) => {
		const module = walk.tree.field(node, "module");
		walk.visit(module);
		useName(walk, walk.tree.field(node, "name"), "type", { receiver: module });
	},
	call_expression: walkCall,
	new_expression: walkNew,
	assignment_expression: walkAssignment,
	augmented_assignment_expression: walkAssignment,
	update_expression: (node, walk) => assign(walk.tree.field(node, "argument"), walk),
	subscript_expression: walkSubscript,
	for_in_statement: walkLoop,
	for_statement: walkBlock,
	catch_clause: walkCatch,
	statement_block: walkBlock,
	switch_body: walkBlock,
	class_static_block: walkBlock,
	lookup_type: (node, walk) => {
		const [type, key] = walk.tree.namedChildren(node);
		if (type !== undefined) walk.visit(type);
		const literal = key === undefined ? NONE : (walk.tree.namedChildren(key)[0] ?? NONE);
		if (type === undefined || walk.tree.type(literal) !== "string") walk.visit(key ?? NONE);
		else useName(walk, literal, "type", { receiver: `(_ as ${squeeze(walk.tree.text(type))})`, quoted: true });
	},
	jsx_opening_element: walkElement,
	jsx_self_closing_element: walkElement,
	jsx_closing_element: walkElement,
	jsx_attribute: (node, walk) => {
		const [name, value] = walk.tree.namedChildren(node);
		if (name !== undefined && walk.tree.type(name) === "property_identifier") useName(walk, name, "write", { isKey: true });
		if (value !== undefined) walk.visit(value);
	},
	index_signature: (node, walk) => {
		for (const child of walk.tree.namedChildren(node)) if (walk.tree.fieldName(child) !== "name") walk.visit(child);
	},
	labeled_statement: (node, walk) => {
		declare(walk.tree.field(node, "label"), node, "label", walk, { headEnd: walk.tree.field(node, "body") });
		walk.visit(walk.tree.field(node, "body"));
	},
	import_alias: (node, walk) => {
		const [name, value] = walk.tree.namedChildren(node);
		if (name === undefined || value === undefined) return;
		const hint = { form: "copy" as const, text: squeeze(walk.tree.text(value)) };
		declare(name, node, "constant", walk, { scope: walk.facts.scope(), more: { type: hint } });
		walk.visit(value);
	},
};
