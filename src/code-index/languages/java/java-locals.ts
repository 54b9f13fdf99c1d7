import { NO_NODE, type NodeIndex } from "../../syntax-table.ts";
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

function visitParameter(walk: JavaWalk, node: NodeIndex): void {
	const type = readJavaType(walk.table, walk.table.child(node, "type"));
	const dimensions = countDimensions(walk.table, walk.table.child(node, "dimensions"));
	defineLocal(walk, walk.table.child(node, "name"), "parameter", node, withDimensions(type, dimensions));
	visitOthers(walk, node);
}

function visitSpread(walk: JavaWalk, node: NodeIndex): void {
	const written = walk.table.children(node).find((child) => !["modifiers", "variable_declarator"].includes(walk.table.type(child)));
	const type = readJavaType(walk.table, written ?? NO_NODE);
	const declarator = walk.table.find(node, "variable_declarator");
	defineLocal(walk, walk.table.child(declarator, "name"), "parameter", node, withDimensions(type, 1));
	for (const child of walk.table.children(node)) if (child !== declarator) walk.visit(child);
}

function visitCatch(walk: JavaWalk, node: NodeIndex): void {
	defineLocal(walk, walk.table.child(node, "name"), "parameter", node, readJavaType(walk.table, walk.table.find(node, "catch_type")));
	visitOthers(walk, node);
}

function defineLocal(
	walk: JavaWalk,
	name: NodeIndex,
	kind: "parameter" | "variable",
	whole: NodeIndex,
	type: TypeExpression | undefined,
	value?: Expression,
	from = walk.table.start(whole),
): void {
	if (name === NO_NODE || walk.table.type(name) !== "identifier") return;
	walk.define(name, kind, whole, { from, type, value: type === undefined ? value : undefined });
}

/** Everything below but the declared name. */
function visitOthers(walk: JavaWalk, node: NodeIndex): void {
	for (const child of walk.table.children(node)) if (!walk.table.isField(child, "name")) walk.visit(child);
}

function visitLocals(walk: JavaWalk, node: NodeIndex): void {
	const written = readJavaType(walk.table, walk.table.child(node, "type"));
	for (const declarator of walk.table.childrenIn(node, "declarator")) {
		const type = withDimensions(written, countDimensions(walk.table, walk.table.child(declarator, "dimensions")));
		const value = walk.table.child(declarator, "value");
		const name = walk.table.child(declarator, "name");
		defineLocal(walk, name, "variable", node, type, readJavaExpression(walk.table, value), walk.table.start(name));
		walk.visit(value);
	}
	for (const child of walk.table.children(node)) if (walk.table.type(child) !== "variable_declarator") walk.visit(child);
}

function visitResource(walk: JavaWalk, node: NodeIndex): void {
	const name = walk.table.child(node, "name");
	if (name === NO_NODE) {
		walk.visitChildren(node);
		return;
	}
	const value = readJavaExpression(walk.table, walk.table.child(node, "value"));
	defineLocal(walk, name, "variable", node, readJavaType(walk.table, walk.table.child(node, "type")), value);
	visitOthers(walk, node);
}

function visitLoop(walk: JavaWalk, node: NodeIndex): void {
	walk.inScope("block", node, () => {
		const of = readJavaExpression(walk.table, walk.table.child(node, "value"));
		const value: Expression | undefined = of === undefined ? undefined : { k: "element", of };
		const type = readJavaType(walk.table, walk.table.child(node, "type"));
		walk.visit(walk.table.child(node, "value"));
		defineLocal(walk, walk.table.child(node, "name"), "variable", node, type, value, walk.table.start(walk.table.child(node, "body")));
		for (const child of walk.table.children(node)) {
			if (!walk.table.isField(child, "name") && !walk.table.isField(child, "value")) walk.visit(child);
		}
	});
}

function visitLambda(walk: JavaWalk, node: NodeIndex): void {
	walk.inScope("function", node, () => {
		const parameters = walk.table.child(node, "parameters");
		const kind = walk.table.type(parameters);
		const value = readLambdaInput(walk, node);
		if (kind === "identifier") defineLocal(walk, parameters, "parameter", node, undefined, value);
		else if (kind === "inferred_parameters") {
			for (const name of walk.table.children(parameters)) defineLocal(walk, name, "parameter", node, undefined, value);
		} else walk.visit(parameters);
		walk.visit(walk.table.child(node, "body"));
	});
}

function readLambdaInput(walk: JavaWalk, node: NodeIndex): Expression | undefined {
	const call = walk.table.parent(walk.table.parent(node));
	if (walk.table.type(call) !== "method_invocation") return undefined;
	if (!ELEMENT_CALLS.has(walk.table.source(walk.table.child(call, "name")))) return undefined;
	const of = readJavaExpression(walk.table, walk.table.child(call, "object"));
	return of === undefined ? undefined : { k: "element", of };
}

function visitInstanceof(walk: JavaWalk, node: NodeIndex): void {
	const name = walk.table.child(node, "name");
	if (name !== NO_NODE) {
		// Known wherever the test has succeeded; that is at most from here to the end of the scope.
		defineLocal(walk, name, "variable", node, readJavaType(walk.table, walk.table.child(node, "right")), undefined, walk.table.end(node));
	}
	visitOthers(walk, node);
}

function visitPattern(walk: JavaWalk, node: NodeIndex): void {
	const [written, name] = walk.table.children(node);
	if (written === undefined || name === undefined) {
		walk.visitChildren(node);
		return;
	}
	defineLocal(walk, name, "variable", node, readJavaType(walk.table, written));
	walk.visit(written);
}

function visitLabel(walk: JavaWalk, node: NodeIndex): void {
	const [label, ...rest] = walk.table.children(node);
	if (label !== undefined) walk.define(label, "label", node, { scope: -1 });
	for (const child of rest) walk.visit(child);
}
