import { NO_NODE, type NodeIndex } from "../../syntax-table.ts";
import type { Expression, TypeExpression } from "../expressions.ts";
import { readGoExpression } from "./go-expressions.ts";
import { readGoType } from "./go-types.ts";
import { visitWritten } from "./go-uses.ts";
import type { GoWalk, Handlers } from "./go-walk.ts";

/** Constants, variables and labels. */
export const VALUE_HANDLERS: Handlers = {
	const_spec: visitValues,
	var_spec: visitValues,
	short_var_declaration: visitShortVariables,
	range_clause: visitRange,
	receive_statement: visitReceive,
	type_switch_statement: visitTypeSwitch,
	labeled_statement: visitLabel,
};

/** Constants and variables of one line; in a list of constants, a line without values repeats the line before. */
function visitValues(walk: GoWalk, node: NodeIndex): void {
	const kind = walk.table.type(node) === "const_spec" ? "constant" : "variable";
	const names = walk.table.childrenIn(node, "name");
	const listed = names.length > 0 && kind === "constant" ? listConstants(walk, node) : names;
	let type = readGoType(walk.table, walk.table.child(node, "type"));
	const values = walk.table.children(walk.table.child(node, "value"));
	if (kind === "constant" && values.length === 0) type = findRepeatedType(walk, node) ?? type;
	// Inside a function, a name is known behind its declaration only.
	const from = walk.facts.scope === 0 ? 0 : walk.table.end(node);
	let first = -1;
	listed.forEach((name, index) => {
		const value = type === undefined ? readValue(walk, values, index, listed.length) : undefined;
		const definition = walk.define(name, kind, node, { from, type, ...(value === undefined ? {} : { value }) });
		if (first === -1) first = definition;
	});
	walk.facts.inDefinition(walk.facts.scope === 0 ? first : walk.facts.enclosing, () => {
		walk.visit(walk.table.child(node, "type"));
		walk.visit(walk.table.child(node, "value"));
	});
}

/** The grammar marks only the first name of a constant list. */
function listConstants(walk: GoWalk, node: NodeIndex): readonly NodeIndex[] {
	return walk.table.children(node).filter((child) => walk.table.type(child) === "identifier");
}

function findRepeatedType(walk: GoWalk, node: NodeIndex): TypeExpression | undefined {
	let written: TypeExpression | undefined;
	for (const sibling of walk.table.children(walk.table.parent(node))) {
		if (sibling === node) return written;
		if (walk.table.child(sibling, "value") === NO_NODE) continue;
		written = readGoType(walk.table, walk.table.child(sibling, "type"));
		if (written !== undefined) continue;
		const value = readGoExpression(walk.table, walk.table.children(walk.table.child(sibling, "value"))[0] ?? NO_NODE);
		if (value?.k === "typed") written = value.type;
		// `T(iota)` names the type where a function would stand.
		if (value?.k === "call" && value.of.k === "name") written = { k: "name", path: [value.of.name], at: value.of.at };
	}
	return undefined;
}

function readValue(walk: GoWalk, values: readonly NodeIndex[], index: number, names: number): Expression | undefined {
	if (values.length === 1 && names > 1) {
		const of = readGoExpression(walk.table, values[0] ?? NO_NODE);
		// `v, ok := m[k]`, `v, ok := x.(T)` and `v, ok := <-c` give their value first.
		if (of === undefined || of.k === "typed" || of.k === "element") return index === 0 ? of : undefined;
		return { k: "nth", of, n: index };
	}
	const value = values[index];
	return value === undefined ? undefined : readGoExpression(walk.table, value);
}

function visitShortVariables(walk: GoWalk, node: NodeIndex): void {
	const right = walk.table.child(node, "right");
	walk.visit(right);
	const values = walk.table.type(right) === "expression_list" ? walk.table.children(right) : [right];
	const names = walk.table.children(walk.table.child(node, "left"));
	names.forEach((name, index) => {
		declareOrWrite(walk, name, node, readValue(walk, values, index, names.length));
	});
}

/** A name that its scope knows already is written, not declared. */
function declareOrWrite(walk: GoWalk, name: NodeIndex, whole: NodeIndex, value: Expression | undefined): void {
	if (walk.table.type(name) !== "identifier") {
		walk.visit(name);
		return;
	}
	const text = walk.table.source(name);
	if (walk.facts.knows(walk.facts.scope, text)) {
		walk.facts.use({ name: text, at: walk.table.start(name), role: "write" });
		return;
	}
	if (text === "_") return;
	walk.define(name, "variable", whole, { from: walk.table.end(whole), ...(value === undefined ? {} : { value }) });
}

function visitRange(walk: GoWalk, node: NodeIndex): void {
	const right = walk.table.child(node, "right");
	walk.visit(right);
	const left = walk.table.child(node, "left");
	if (!walk.table.has(node, ":=")) {
		visitWritten(walk, left);
		return;
	}
	const of = readGoExpression(walk.table, right);
	walk.table.children(left).forEach((name, index) => {
		declareOrWrite(walk, name, node, of === undefined ? undefined : { k: index === 0 ? "key" : "element", of });
	});
}

function visitReceive(walk: GoWalk, node: NodeIndex): void {
	walk.visit(walk.table.child(node, "right"));
	const left = walk.table.child(node, "left");
	if (left === NO_NODE) return;
	if (!walk.table.has(node, ":=")) {
		visitWritten(walk, left);
		return;
	}
	const value = readGoExpression(walk.table, walk.table.child(node, "right"));
	walk.table.children(left).forEach((name, index) => {
		declareOrWrite(walk, name, node, index === 0 ? value : undefined);
	});
}

function visitTypeSwitch(walk: GoWalk, node: NodeIndex): void {
	const alias = walk.table.children(walk.table.child(node, "alias"))[0] ?? NO_NODE;
	walk.inScope("block", node, () => {
		walk.visit(walk.table.child(node, "initializer"));
		walk.visit(walk.table.child(node, "value"));
		const value = readGoExpression(walk.table, walk.table.child(node, "value"));
		if (alias !== NO_NODE) walk.define(alias, "variable", node, value === undefined ? {} : { value });
		for (const branch of walk.table.children(node)) {
			const type = walk.table.type(branch);
			if (type !== "type_case" && type !== "default_case") continue;
			walk.inScope("block", branch, () => {
				const types = walk.table.childrenIn(branch, "type");
				// In a branch of one type, the variable has that type.
				if (alias !== NO_NODE && types.length === 1) {
					walk.define(alias, "variable", node, { hidden: true, type: readGoType(walk.table, types[0] ?? NO_NODE) });
				}
				walk.visitChildren(branch);
			});
		}
	});
}

function visitLabel(walk: GoWalk, node: NodeIndex): void {
	walk.define(walk.table.child(node, "label"), "label", node, { scope: -1 });
	walk.visitChildren(node);
}
