import { NONE, type FlatNode } from "../../flat-tree.ts";
import { partsIn, partsOf } from "../tree-parts.ts";
import type { DefinitionKind, Parameters } from "../../types.ts";
import type { TypeExpression } from "../expressions.ts";
import { readGoResult, readGoType } from "./go-types.ts";
import type { Details, GoWalk, Handlers } from "./go-walk.ts";
import { guessPackageName } from "./package-name.ts";

/** Packages, imports, functions, types and their members. */
export const DECLARATION_HANDLERS: Handlers = {
	package_clause: visitPackage,
	import_spec: visitImport,
	function_declaration: visitFunction,
	method_declaration: visitMethod,
	func_literal: visitClosure,
	function_type: visitClosure,
	parameter_declaration: visitParameter,
	variadic_parameter_declaration: visitParameter,
	type_parameter_declaration: visitTypeParameter,
	type_spec: visitType,
	type_alias: visitType,
	field_declaration: visitField,
	method_elem: visitInterfaceMethod,
};

const TYPE_KINDS: Readonly<Record<string, DefinitionKind>> = { struct_type: "struct", interface_type: "interface" };

function visitPackage(walk: GoWalk, node: FlatNode): void {
	walk.facts.package = walk.table.text(walk.table.childOfType(node, "package_identifier"));
}

function visitImport(walk: GoWalk, node: FlatNode): void {
	const path = walk.table.field(node, "path");
	const module = walk.table.text(path).slice(1, -1);
	const name = walk.table.field(node, "name");
	const alias = name === NONE ? undefined : walk.table.text(name);
	const index = walk.table.start(name === NONE ? path : name);
	if (alias === "_") walk.facts.import({ kind: "effect", module, index });
	else if (alias === ".") walk.facts.import({ kind: "wildcard", module, index });
	else walk.facts.import({ kind: "module", module, local: alias ?? guessPackageName(module), index });
}

function visitFunction(walk: GoWalk, node: FlatNode): void {
	const name = walk.table.field(node, "name");
	const generics = listGenerics(walk, node);
	const definition = walk.define(name, "function", node, {
		scope: 0,
		...readCallable(walk, node),
		...(generics.length > 0 ? { generics } : {}),
	});
	visitBody(walk, node, definition);
}

function visitMethod(walk: GoWalk, node: FlatNode): void {
	const receivers = walk.table.field(node, "receiver");
	const receiver = readGoType(walk.table, walk.table.field(partsOf(walk.table, receivers)[0] ?? NONE, "type"));
	const definition = walk.define(walk.table.field(node, "name"), "method", node, {
		scope: -1,
		...readCallable(walk, node),
		...(receiver === undefined ? {} : { receiver, ownerText: nameOf(receiver) }),
	});
	visitBody(walk, node, definition);
}

function visitBody(walk: GoWalk, node: FlatNode, definition: number): void {
	walk.facts.inDefinition(definition, () => walk.inScope("function", node, () => visitParts(walk, node)));
}

/** Everything of a function but its name; its block shares the scope of the parameters. */
function visitParts(walk: GoWalk, node: FlatNode): void {
	const before = walk.bodyStart;
	const body = walk.table.field(node, "body");
	walk.bodyStart = body === NONE ? walk.table.end(node) : walk.table.start(body);
	for (const child of partsOf(walk.table, node)) {
		if (walk.table.fieldName(child) === "name") continue;
		if (child === body) walk.visitChildren(child);
		else walk.visit(child);
	}
	walk.bodyStart = before;
}

function visitClosure(walk: GoWalk, node: FlatNode): void {
	walk.inScope("function", node, () => visitParts(walk, node));
}

function visitParameter(walk: GoWalk, node: FlatNode): void {
	const type = readGoType(walk.table, walk.table.field(node, "type"));
	const variadic = walk.table.type(node) === "variadic_parameter_declaration";
	const from = walk.bodyStart;
	// Those of a function type or of a result list that stands alone have no body to be seen in; that does no harm.
	for (const name of partsIn(walk.table, node, "name")) {
		walk.define(name, "parameter", node, { from, type: variadic && type !== undefined ? { k: "list", of: type } : type });
	}
	walk.visit(walk.table.field(node, "type"));
}

function visitTypeParameter(walk: GoWalk, node: FlatNode): void {
	const type = readGoType(walk.table, walk.table.field(node, "type"));
	for (const name of partsIn(walk.table, node, "name")) walk.define(name, "typeParameter", node, { type });
	walk.visit(walk.table.field(node, "type"));
}

function listGenerics(walk: GoWalk, node: FlatNode): readonly string[] {
	const list = walk.table.field(node, "type_parameters");
	if (list === NONE) return [];
	return partsOf(walk.table, list)
		.flatMap((parameter) => partsIn(walk.table, parameter, "name"))
		.map((name) => walk.table.text(name));
}

/** Parameters, result and signature of something that can be called. */
function readCallable(walk: GoWalk, node: FlatNode): Details {
	const result = walk.table.field(node, "result");
	const body = walk.table.field(node, "body");
	return {
		type: readGoResult(walk.table, result),
		parameters: readParameters(walk, walk.table.field(node, "parameters")),
		...(result === NONE ? {} : { typeText: walk.table.text(result) }),
		...(body === NONE ? {} : { body: walk.table.start(body) }),
	};
}

function readParameters(walk: GoWalk, list: FlatNode): Parameters {
	const names: string[] = [];
	let required = 0;
	let variadic = false;
	for (const parameter of partsOf(walk.table, list)) {
		const written = partsIn(walk.table, parameter, "name").map((name) => walk.table.text(name));
		if (walk.table.type(parameter) === "variadic_parameter_declaration") variadic = true;
		else required += Math.max(1, written.length);
		names.push(...(written.length === 0 ? [""] : written));
	}
	return { required, optional: 0, variadic, names };
}

function visitType(walk: GoWalk, node: FlatNode): void {
	const written = walk.table.field(node, "type");
	const generics = listGenerics(walk, node);
	const body = walk.table.type(written) === "struct_type" || walk.table.type(written) === "interface_type";
	const type = readGoType(walk.table, written);
	const embeds = type?.k === "body" ? type.embeds.map(nameOf).filter((name) => name !== "") : [];
	const definition = walk.define(walk.table.field(node, "name"), TYPE_KINDS[walk.table.type(written)] ?? "type", node, {
		type,
		...(walk.table.type(node) === "type_alias" ? { alias: true } : {}),
		...(body ? { body: walk.table.start(written) + "interface".length } : {}),
		...(embeds.length > 0 ? { supertypes: embeds } : {}),
		...(generics.length > 0 ? { generics } : {}),
	});
	walk.facts.inDefinition(definition, () =>
		walk.inScope("type", node, () => {
			walk.visit(walk.table.field(node, "type_parameters"));
			walk.visit(written);
		}),
	);
}

function visitField(walk: GoWalk, node: FlatNode): void {
	const owner = walk.table.start(walk.table.parent(walk.table.parent(node)));
	const written = walk.table.field(node, "type");
	const type = readGoType(walk.table, written);
	const names = partsIn(walk.table, node, "name");
	let last = -1;
	for (const name of names) last = walk.define(name, "field", node, { scope: -1, owner, type });
	if (names.length === 0) {
		// An embedded field is declared under its type's name, which is a use of that type too.
		const name = findEmbeddedName(walk, written);
		if (name !== NONE) walk.define(name, "field", node, { scope: -1, owner, type });
	}
	walk.facts.inDefinition(names.length > 0 && last !== -1 ? last : walk.facts.enclosing, () => walk.visit(written));
}

function findEmbeddedName(walk: GoWalk, node: FlatNode): FlatNode {
	switch (walk.table.type(node)) {
		case "qualified_type":
			return walk.table.field(node, "name");
		case "generic_type":
			return findEmbeddedName(walk, walk.table.field(node, "type"));
		case "pointer_type":
			return findEmbeddedName(walk, partsOf(walk.table, node)[0] ?? NONE);
		default:
			return walk.table.type(node) === "type_identifier" ? node : NONE;
	}
}

function visitInterfaceMethod(walk: GoWalk, node: FlatNode): void {
	const definition = walk.define(walk.table.field(node, "name"), "method", node, {
		scope: -1,
		owner: walk.table.start(walk.table.parent(node)),
		...readCallable(walk, node),
	});
	visitBody(walk, node, definition);
}

/** Name of a type, for people. */
function nameOf(type: TypeExpression): string {
	return type.k === "name" ? type.path.join(".") : "";
}
