import { NONE, type FlatNode } from "../../flat-tree.ts";
import { partsIn, partsOf } from "../tree-parts.ts";
import type { Expression, TypeExpression } from "../expressions.ts";
import { readJavaExpression } from "./java-expressions.ts";
import { countDimensions, readJavaType, withDimensions } from "./java-types.ts";
import type { Handlers, JavaWalk } from "./java-walk.ts";

/** Parameters, local variables, pattern variables and labels. */
export const LOCAL_HANDLERS: Handlers = {
	formal_parameter: visitParameter,
	spread_parameter: visitSpread,
	catch_formal_parameter: visitCatch,
	local_variable_declaration: visitLocals,
	resource: visitResource,
	enhanced_for_statement: visitLoop,
	lambda_expression: visitLambda,
	instanceof_expression: visitInstanceof,
	type_pattern: visitPattern,
	record_pattern_component: visitPattern,
	labeled_statement: visitLabel,
};

/** Calls whose lambda gets the elements of what they are called on. */
const ELEMENT_CALLS = new Set(
	"allMatch anyMatch dropWhile filter findFirst flatMap forEach forEachOrdered ifPresent ifPresentOrElse map mapToDouble mapToInt mapToLong noneMatch peek removeIf replaceAll sort sorted takeWhile".split(
		" ",
	),
);

function visitParameter(walk: JavaWalk, node: FlatNode): void {
	const type = readJavaType(walk.table, walk.table.field(node, "type"));
	const dimensions = countDimensions(walk.table, walk.table.field(node, "dimensions"));
	defineLocal(walk, walk.table.field(node, "name"), "parameter", node, withDimensions(type, dimensions));
	visitOthers(walk, node);
}

function visitSpread(walk: JavaWalk, node: FlatNode): void {
	const written = partsOf(walk.table, node).find((child) => !["modifiers", "variable_declarator"].includes(walk.table.type(child)));
	const type = readJavaType(walk.table, written ?? NONE);
	const declarator = walk.table.childOfType(node, "variable_declarator");
	defineLocal(walk, walk.table.field(declarator, "name"), "parameter", node, withDimensions(type, 1));
	for (const child of partsOf(walk.table, node)) if (child !== declarator) walk.visit(child);
}

function visitCatch(walk: JavaWalk, node: FlatNode): void {
	defineLocal(
		walk,
		walk.table.field(node, "name"),
		"parameter",
		node,
		readJavaType(walk.table, walk.table.childOfType(node, "catch_type")),
	);
	visitOthers(walk, node);
}

function defineLocal(
	walk: JavaWalk,
	name: FlatNode,
	kind: "parameter" | "variable",
	whole: FlatNode,
	type: TypeExpression | undefined,
	value?: Expression,
	from = walk.table.start(whole),
): void {
	if (name === NONE || walk.table.type(name) !== "identifier") return;
	walk.define(name, kind, whole, { from, type, value: type === undefined ? value : undefined });
}

/** Everything below but the declared name. */
function visitOthers(walk: JavaWalk, node: FlatNode): void {
	for (const child of partsOf(walk.table, node)) if (walk.table.fieldName(child) !== "name") walk.visit(child);
}

function visitLocals(walk: JavaWalk, node: FlatNode): void {
	const written = readJavaType(walk.table, walk.table.field(node, "type"));
	for (const declarator of partsIn(walk.table, node, "declarator")) {
		const type = withDimensions(written, countDimensions(walk.table, walk.table.field(declarator, "dimensions")));
		const value = walk.table.field(declarator, "value");
		const name = walk.table.field(declarator, "name");
		defineLocal(walk, name, "variable", node, type, readJavaExpression(walk.table, value), walk.table.start(name));
		walk.visit(value);
	}
	for (const child of partsOf(walk.table, node)) if (walk.table.type(child) !== "variable_declarator") walk.visit(child);
}

function visitResource(walk: JavaWalk, node: FlatNode): void {
	const name = walk.table.field(node, "name");
	if (name === NONE) {
		walk.visitChildren(node);
		return;
	}
	const value = readJavaExpression(walk.table, walk.table.field(node, "value"));
	defineLocal(walk, name, "variable", node, readJavaType(walk.table, walk.table.field(node, "type")), value);
	visitOthers(walk, node);
}

function visitLoop(walk: JavaWalk, node: FlatNode): void {
	walk.inScope("block", node, () => {
		const of = readJavaExpression(walk.table, walk.table.field(node, "value"));
		const value: Expression | undefined = of === undefined ? undefined : { k: "element", of };
		const type = readJavaType(walk.table, walk.table.field(node, "type"));
		walk.visit(walk.table.field(node, "value"));
		defineLocal(walk, walk.table.field(node, "name"), "variable", node, type, value, walk.table.start(walk.table.field(node, "body")));
		for (const child of partsOf(walk.table, node)) {
			if (walk.table.fieldName(child) !== "name" && walk.table.fieldName(child) !== "value") walk.visit(child);
		}
	});
}

function visitLambda(walk: JavaWalk, node: FlatNode): void {
	walk.inScope("function", node, () => {
		const parameters = walk.table.field(node, "parameters");
		const kind = walk.table.type(parameters);
		const value = readLambdaInput(walk, node);
		if (kind === "identifier") defineLocal(walk, parameters, "parameter", node, undefined, value);
		else if (kind === "inferred_parameters") {
			for (const name of partsOf(walk.table, parameters)) defineLocal(walk, name, "parameter", node, undefined, value);
		} else walk.visit(parameters);
		walk.visit(walk.table.field(node, "body"));
	});
}

function readLambdaInput(walk: JavaWalk, node: FlatNode): Expression | undefined {
	const call = walk.table.parent(walk.table.parent(node));
	if (walk.table.type(call) !== "method_invocation") return undefined;
	if (!ELEMENT_CALLS.has(walk.table.text(walk.table.field(call, "name")))) return undefined;
	const of = readJavaExpression(walk.table, walk.table.field(call, "object"));
	return of === undefined ? undefined : { k: "element", of };
}

function visitInstanceof(walk: JavaWalk, node: FlatNode): void {
	const name = walk.table.field(node, "name");
	if (name !== NONE) {
		// Known wherever the test has succeeded; that is at most from here to the end of the scope.
		defineLocal(walk, name, "variable", node, readJavaType(walk.table, walk.table.field(node, "right")), undefined, walk.table.end(node));
	}
	visitOthers(walk, node);
}

function visitPattern(walk: JavaWalk, node: FlatNode): void {
	const [written, name] = partsOf(walk.table, node);
	if (written === undefined || name === undefined) {
		walk.visitChildren(node);
		return;
	}
	defineLocal(walk, name, "variable", node, readJavaType(walk.table, written));
	walk.visit(written);
}

function visitLabel(walk: JavaWalk, node: FlatNode): void {
	const [label, ...rest] = partsOf(walk.table, node);
	if (label !== undefined) walk.define(label, "label", node, { scope: -1 });
	for (const child of rest) walk.visit(child);
}
