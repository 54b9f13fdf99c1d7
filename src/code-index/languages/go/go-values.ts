import { NONE, type FlatNode } from "../../flat-tree.ts";
import { hasPart, partsIn, partsOf } from "../tree-parts.ts";
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
function visitValues(walk: GoWalk, node: FlatNode): void {
	const kind = walk.table.type(node) === "const_spec" ? "constant" : "variable";
	const names = partsIn(walk.table, node, "name");
	const listed = names.length > 0 && kind === "constant" ? listConstants(walk, node) : names;
	let type = readGoType(walk.table, walk.table.field(node, "type"));
	const values = partsOf(walk.table, walk.table.field(node, "value"));
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
		walk.visit(walk.table.field(node, "type"));
		walk.visit(walk.table.field(node, "value"));
	});
}

/** The grammar marks only the first name of a constant list. */
function listConstants(walk: GoWalk, node: FlatNode): readonly FlatNode[] {
	return partsOf(walk.table, node).filter((child) => walk.table.type(child) === "identifier");
}

function findRepeatedType(walk: GoWalk, node: FlatNode): TypeExpression | undefined {
	let written: TypeExpression | undefined;
	for (const sibling of partsOf(walk.table, walk.table.parent(node))) {
		if (sibling === node) return written;
		if (walk.table.field(sibling, "value") === NONE) continue;
		written = readGoType(walk.table, walk.table.field(sibling, "type"));
		if (written !== undefined) continue;
		const value = readGoExpression(walk.table, partsOf(walk.table, walk.table.field(sibling, "value"))[0] ?? NONE);
		if (value?.k === "typed") written = value.type;
		// `T(iota)` names the type where a function would stand.
		if (value?.k === "call" && value.of.k === "name") written = { k: "name", path: [value.of.name], at: value.of.at };
	}
	return undefined;
}

function readValue(walk: GoWalk, values: readonly FlatNode[], index: number, names: number): Expression | undefined {
	if (values.length === 1 && names > 1) {
		const of = readGoExpression(walk.table, values[0] ?? NONE);
		// `v, ok := m[k]`, `v, ok := x.(T)` and `v, ok := <-c` give their value first.
		if (of === undefined || of.k === "typed" || of.k === "element") return index === 0 ? of : undefined;
		return { k: "nth", of, n: index };
	}
	const value = values[index];
	return value === undefined ? undefined : readGoExpression(walk.table, value);
}

function visitShortVariables(walk: GoWalk, node: FlatNode): void {
	const right = walk.table.field(node, "right");
	walk.visit(right);
	const values = walk.table.type(right) === "expression_list" ? partsOf(walk.table, right) : [right];
	const names = partsOf(walk.table, walk.table.field(node, "left"));
	names.forEach((name, index) => {
		declareOrWrite(walk, name, node, readValue(walk, values, index, names.length));
	});
}

/** A name that its scope knows already is written, not declared. */
function declareOrWrite(walk: GoWalk, name: FlatNode, whole: FlatNode, value: Expression | undefined): void {
	if (walk.table.type(name) !== "identifier") {
		walk.visit(name);
		return;
	}
	const text = walk.table.text(name);
	if (walk.facts.knows(walk.facts.scope, text)) {
		walk.facts.use({ name: text, at: walk.table.start(name), role: "write" });
		return;
	}
	if (text === "_") return;
	walk.define(name, "variable", whole, { from: walk.table.end(whole), ...(value === undefined ? {} : { value }) });
}

function visitRange(walk: GoWalk, node: FlatNode): void {
	const right = walk.table.field(node, "right");
	walk.visit(right);
	const left = walk.table.field(node, "left");
	if (!hasPart(walk.table, node, ":=")) {
		visitWritten(walk, left);
		return;
	}
	const of = readGoExpression(walk.table, right);
	partsOf(walk.table, left).forEach((name, index) => {
		declareOrWrite(walk, name, node, of === undefined ? undefined : { k: index === 0 ? "key" : "element", of });
	});
}

function visitReceive(walk: GoWalk, node: FlatNode): void {
	walk.visit(walk.table.field(node, "right"));
	const left = walk.table.field(node, "left");
	if (left === NONE) return;
	if (!hasPart(walk.table, node, ":=")) {
		visitWritten(walk, left);
		return;
	}
	const value = readGoExpression(walk.table, walk.table.field(node, "right"));
	partsOf(walk.table, left).forEach((name, index) => {
		declareOrWrite(walk, name, node, index === 0 ? value : undefined);
	});
}

function visitTypeSwitch(walk: GoWalk, node: FlatNode): void {
	const alias = partsOf(walk.table, walk.table.field(node, "alias"))[0] ?? NONE;
	walk.inScope("block", node, () => {
		walk.visit(walk.table.field(node, "initializer"));
		walk.visit(walk.table.field(node, "value"));
		const value = readGoExpression(walk.table, walk.table.field(node, "value"));
		if (alias !== NONE) walk.define(alias, "variable", node, value === undefined ? {} : { value });
		for (const branch of partsOf(walk.table, node)) {
			const type = walk.table.type(branch);
			if (type !== "type_case" && type !== "default_case") continue;
			walk.inScope("block", branch, () => {
				const types = partsIn(walk.table, branch, "type");
				// In a branch of one type, the variable has that type.
				if (alias !== NONE && types.length === 1) {
					walk.define(alias, "variable", node, { hidden: true, type: readGoType(walk.table, types[0] ?? NONE) });
				}
				walk.visitChildren(branch);
			});
		}
	});
}

function visitLabel(walk: GoWalk, node: FlatNode): void {
	walk.define(walk.table.field(node, "label"), "label", node, { scope: -1 });
	walk.visitChildren(node);
}
