import { type FlatNode, NONE } from "../../flat-tree.ts";
import type { DefinitionKind } from "../../types.ts";
import { declare, walkCallable } from "./declare.ts";
import { annotationHint, readParameters, valueHint } from "./hints.ts";
import { type Handlers, hasToken, useName, type Walk } from "./walk.ts";

const FUNCTION_VALUES: ReadonlySet<string> = new Set(["arrow_function", "function_expression", "generator_function"]);
const MEMBER_NAMES: ReadonlySet<string> = new Set(["property_identifier", "private_property_identifier", "string", "number", "identifier"]);

function declareMethod(node: FlatNode, walk: Walk): void {
	const { tree, facts } = walk;
	const name = tree.field(node, "name");
	if (!MEMBER_NAMES.has(tree.type(name))) {
		walk.visit(name);
		walkCallable(node, walk);
		return;
	}
	const isAccessor = hasToken(tree, node, "get") || hasToken(tree, node, "set");
	const isConstructor = tree.text(name) === "constructor" && tree.type(tree.parent(node)) === "class_body";
	const kind: DefinitionKind = isAccessor ? "property" : isConstructor ? "constructor" : "method";
	const result = annotationHint(tree, tree.field(node, "return_type"));
	for (const decorator of tree.fields(node, "decorator")) walk.visit(decorator);
	const own = declare(name, node, kind, walk, {
		headEnd: tree.field(node, "body"),
		more: {
			...(hasToken(tree, node, "static") ? { isStatic: true } : {}),
			...(isAccessor ? {} : { parameters: readParameters(tree, node) }),
			...(result === undefined ? {} : { type: result }),
		},
	});
	facts.inDefinition(own, () => walkCallable(node, walk));
}

function declareField(node: FlatNode, walk: Walk): void {
	const { tree, facts } = walk;
	const name = tree.field(node, "name") === NONE ? tree.field(node, "property") : tree.field(node, "name");
	const type = tree.field(node, "type");
	const value = tree.field(node, "value");
	for (const decorator of tree.fields(node, "decorator")) walk.visit(decorator);
	if (!MEMBER_NAMES.has(tree.type(name))) {
		for (const child of tree.namedChildren(node)) if (tree.type(child) !== "decorator") walk.visit(child);
		return;
	}
	const isFunction = FUNCTION_VALUES.has(tree.type(value));
	const result = annotationHint(tree, isFunction && type === NONE ? tree.field(value, "return_type") : type) ?? valueHint(tree, value);
	const own = declare(name, node, tree.type(node) === "property_signature" ? "property" : "field", walk, {
		more: {
			...(hasToken(tree, node, "static") ? { isStatic: true } : {}),
			...(isFunction ? { parameters: readParameters(tree, value) } : {}),
			...(result === undefined ? {} : { type: result }),
		},
	});
	const hint = annotationHint(tree, type);
	if (hint !== undefined) walk.expected.set(value, `(_ as ${hint.text})`);
	facts.inDefinition(own, () => {
		walk.visit(type);
		walk.visit(value);
	});
}

/**
 * Members of an object literal are definitions when the literal is what a variable is made of; otherwise the keys are
 * uses, of the members of the type that the literal has to have where that is known.
 */
function walkObject(node: FlatNode, walk: Walk): void {
	const { tree } = walk;
	const expected = walk.expected.get(node) ?? inherited(node, walk);
	const isDefinition = expected === undefined && isDefiningValue(node, walk);
	for (const child of tree.namedChildren(node)) {
		switch (tree.type(child)) {
			case "pair":
				walkPair(child, walk, expected, isDefinition);
				break;
			case "shorthand_property_identifier":
				useName(walk, child, "read");
				useName(walk, child, "write", { isKey: true, ...(expected === undefined ? {} : { receiver: expected }) });
				break;
			default:
				walk.visit(child);
		}
	}
}

function walkPair(node: FlatNode, walk: Walk, expected: string | undefined, isDefinition: boolean): void {
	const { tree, facts } = walk;
	const key = tree.field(node, "key");
	const value = tree.field(node, "value");
	const named = ["property_identifier", "string"].includes(tree.type(key));
	if (expected !== undefined && tree.type(key) === "property_identifier") walk.expected.set(value, `${expected}.${tree.text(key)}`);
	if (!named) walk.visit(key);
	else if (!isDefinition) {
		const quoted = tree.type(key) === "string";
		useName(walk, key, "write", { isKey: true, quoted, ...(expected === undefined ? {} : { receiver: expected }) });
	} else {
		const isFunction = FUNCTION_VALUES.has(tree.type(value));
		const hint = isFunction ? annotationHint(tree, tree.field(value, "return_type")) : valueHint(tree, value);
		const own = declare(key, node, isFunction ? "method" : "property", walk, {
			headEnd: isFunction ? tree.field(value, "body") : NONE,
			more: {
				...(isFunction ? { parameters: readParameters(tree, value) } : {}),
				...(hint === undefined ? {} : { type: hint }),
			},
		});
		facts.inDefinition(own, () => walk.visit(value));
		return;
	}
	walk.visit(value);
}

/** `as`, `satisfies` and parentheses hand the expectation on. */
function inherited(node: FlatNode, walk: Walk): string | undefined {
	const { tree } = walk;
	const parent = tree.parent(node);
	switch (tree.type(parent)) {
		case "satisfies_expression":
		case "as_expression": {
			const type = tree.namedChildren(parent)[1];
			return type === undefined ? inherited(parent, walk) : `(_ as ${tree.text(type)})`;
		}
		case "parenthesized_expression":
		case "arrow_function":
			return walk.expected.get(parent) ?? (tree.type(parent) === "arrow_function" ? undefined : inherited(parent, walk));
		case "return_statement":
			return walk.expected.get(callableAround(parent, walk));
		default:
			return undefined;
	}
}

function callableAround(node: FlatNode, { tree }: Walk): FlatNode {
	let around = tree.parent(node);
	while (around !== NONE && tree.field(around, "parameters") === NONE && tree.field(around, "parameter") === NONE)
		around = tree.parent(around);
	return around;
}

const DEFINING: ReadonlySet<string> = new Set(["variable_declarator", "export_statement", "public_field_definition", "field_definition"]);

function isDefiningValue(node: FlatNode, { tree }: Walk): boolean {
	let around = tree.parent(node);
	// A literal inside of a literal, `as const`, `Object.freeze({…})`.
	while (["pair", "object", "as_expression", "satisfies_expression", "arguments", "call_expression"].includes(tree.type(around))) {
		if (tree.type(around) === "call_expression" && tree.text(tree.field(around, "function")) !== "Object.freeze") return false;
		around = tree.parent(around);
	}
	return DEFINING.has(tree.type(around)) || isModuleExports(around, tree.text(tree.field(around, "left")));
}

function isModuleExports(node: FlatNode, left: string): boolean {
	return node !== NONE && left === "module.exports";
}

export const MEMBER_HANDLERS: Handlers = {
	method_definition: declareMethod,
	method_signature: declareMethod,
	abstract_method_signature: declareMethod,
	public_field_definition: declareField,
	field_definition: declareField,
	property_signature: declareField,
	object: walkObject,
};
