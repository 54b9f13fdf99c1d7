import { squeeze } from "../../facts/squeeze.ts";
import { type FlatNode, type FlatTree, NONE } from "../../flat-tree.ts";
import type { Parameters, TypeHint } from "../../types.ts";
import { hasToken } from "./walk.ts";

/** The type in an annotation node (`: T`), or a bare type node. */
export function annotationHint(tree: FlatTree, node: FlatNode): TypeHint | undefined {
	if (node === NONE) return undefined;
	const type = tree.type(node) === "type_annotation" ? (tree.namedChildren(node)[0] ?? NONE) : node;
	if (type === NONE || /predicate|asserts/.test(tree.type(type))) return undefined;
	return { form: "annotation", text: squeeze(tree.text(type)) };
}

/** What a value says about the type of the name that it is given to. */
export function valueHint(tree: FlatTree, node: FlatNode): TypeHint | undefined {
	switch (tree.type(node)) {
		case "":
		case "arrow_function":
		case "function_expression":
		case "generator_function":
			return undefined;
		case "new_expression":
			return { form: "construct", text: squeeze(tree.text(tree.field(node, "constructor"))) };
		case "call_expression": {
			const callee = tree.field(node, "function");
			if (tree.type(callee) === "import") return { form: "copy", text: squeeze(tree.text(node)) };
			return { form: "call", text: squeeze(tree.text(callee)) };
		}
		case "as_expression": {
			const [value, type] = tree.namedChildren(node);
			if (type === undefined) return valueHint(tree, value ?? NONE);
			return { form: "annotation", text: squeeze(tree.text(type)) };
		}
		case "satisfies_expression":
		case "parenthesized_expression":
			return valueHint(tree, tree.namedChildren(node)[0] ?? NONE);
		case "object":
			return { form: "copy", text: "{}" };
		case "array":
			return { form: "copy", text: "[]" };
		default:
			return { form: "copy", text: squeeze(tree.text(node)) };
	}
}

/** How a callable may be called, from its node. */
export function readParameters(tree: FlatTree, callable: FlatNode): Parameters {
	const single = tree.field(callable, "parameter");
	if (single !== NONE) return { required: 1, optional: 0, variadic: false, names: [tree.text(single)] };
	let required = 0;
	let optional = 0;
	let variadic = false;
	const names: string[] = [];
	for (const parameter of tree.namedChildren(tree.field(callable, "parameters"))) {
		if (tree.type(parameter) === "comment" || tree.type(parameter) === "decorator") continue;
		const pattern = patternOf(tree, parameter);
		if (tree.type(pattern) === "this") continue;
		if (tree.type(pattern) === "rest_pattern") {
			variadic = true;
			continue;
		}
		names.push(tree.type(pattern) === "identifier" ? tree.text(pattern) : "");
		if (isOptional(tree, parameter)) optional++;
		else {
			// A parameter behind an optional one makes that one required, too.
			required += optional + 1;
			optional = 0;
		}
	}
	return { required, optional, variadic, names };
}

/** The name or pattern of a parameter in either grammar. */
export function patternOf(tree: FlatTree, parameter: FlatNode): FlatNode {
	switch (tree.type(parameter)) {
		case "required_parameter":
		case "optional_parameter": {
			const pattern = tree.field(parameter, "pattern");
			return pattern === NONE ? tree.field(parameter, "name") : pattern;
		}
		case "assignment_pattern":
			return tree.field(parameter, "left");
		default:
			return parameter;
	}
}

function isOptional(tree: FlatTree, parameter: FlatNode): boolean {
	const type = tree.type(parameter);
	if (type === "optional_parameter" || type === "assignment_pattern") return true;
	return type === "required_parameter" && (tree.field(parameter, "value") !== NONE || hasToken(tree, parameter, "?"));
}
