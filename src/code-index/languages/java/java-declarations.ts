import { NONE, type FlatNode } from "../../flat-tree.ts";
import { hasPart, partsIn, partsOf } from "../tree-parts.ts";
import type { DefinitionKind, Parameters } from "../../types.ts";
import { qualify, type TypeExpression } from "../expressions.ts";
import { countDimensions, readJavaType, readPath, withDimensions } from "./java-types.ts";
import type { Details, Handlers, JavaWalk } from "./java-walk.ts";

/** Package, imports, types and their members. */
export const DECLARATION_HANDLERS: Handlers = {
	package_declaration: visitPackage,
	import_declaration: visitImport,
	module_declaration: visitModule,
	class_declaration: visitType,
	interface_declaration: visitType,
	enum_declaration: visitType,
	record_declaration: visitType,
	annotation_type_declaration: visitType,
	class_body: visitUnnamedBody,
	method_declaration: visitCallable,
	annotation_type_element_declaration: visitCallable,
	constructor_declaration: visitCallable,
	compact_constructor_declaration: visitCallable,
	enum_constant: visitEnumConstant,
	field_declaration: visitFields,
	constant_declaration: visitFields,
	type_parameter: visitTypeParameter,
};

const TYPE_KINDS: Readonly<Record<string, DefinitionKind>> = {
	class_declaration: "class",
	interface_declaration: "interface",
	enum_declaration: "enum",
	record_declaration: "class",
	annotation_type_declaration: "interface",
};

function visitPackage(walk: JavaWalk, node: FlatNode): void {
	const name = partsOf(walk.table, node).find((child) => walk.table.type(child).endsWith("identifier"));
	walk.facts.package = name === undefined ? "" : walk.table.text(name).replaceAll(/\s/g, "");
}

function visitModule(walk: JavaWalk, node: FlatNode): void {
	walk.define(walk.table.field(node, "name"), "module", node, { scope: -1, exported: true });
}

function visitImport(walk: JavaWalk, node: FlatNode): void {
	const written = partsOf(walk.table, node)[0] ?? NONE;
	const path = readPath(walk.table, written);
	const isStatic = hasPart(walk.table, node, "static");
	const index = walk.table.start(written);
	const whole = path.join(".");
	const name = path.at(-1) ?? "";
	const common = { index, ...(isStatic ? { isStatic } : {}) };
	const wildcard = hasPart(walk.table, node, "asterisk");
	const found = wildcard
		? walk.facts.import({ kind: "wildcard", module: whole, ...common })
		: walk.facts.import({ kind: "name", module: path.slice(0, -1).join("."), imported: name, local: name, ...common });
	const names = listNames(walk, written);
	names.forEach((part, position) => {
		const isLast = position === names.length - 1;
		// Packages are written small; only types and members can be looked up.
		if (!(isLast && !wildcard) && !/^\p{Lu}/u.test(path[position] ?? "")) return;
		walk.facts.use({
			name: walk.table.text(part),
			at: walk.table.start(part),
			role: "import",
			receiver: qualify(path.slice(0, position), index) ?? false,
			...(isLast ? { import: found } : {}),
		});
	});
}

function listNames(walk: JavaWalk, node: FlatNode): readonly FlatNode[] {
	if (walk.table.type(node) === "identifier") return [node];
	return partsOf(walk.table, node).flatMap((child) => listNames(walk, child));
}

function visitType(walk: JavaWalk, node: FlatNode): void {
	const table = walk.table;
	const body = table.field(node, "body");
	const supers = listSupertypes(walk, node);
	const isMember = walk.body !== undefined && walk.facts.enclosing !== -1 && table.type(table.parent(node)) !== "block";
	const generics = listGenerics(walk, node);
	const annotations = walk.annotationsOf(node);
	const definition = walk.define(table.field(node, "name"), TYPE_KINDS[table.type(node)] ?? "class", node, {
		type: { k: "body", at: table.start(body), embeds: supers },
		body: table.start(body),
		exported: !walk.hasModifier(node, "private") && (walk.facts.scope === 0 || isMember),
		...(isMember ? { scope: -1, owner: walk.body as number } : {}),
		...(generics.length > 0 ? { generics } : {}),
		...(supers.length > 0 ? { supertypes: supers.map(nameOf) } : {}),
		...(annotations.length > 0 ? { decorators: annotations } : {}),
		...(isMember && (walk.hasModifier(node, "static") || table.type(node) !== "class_declaration") ? { isStatic: true } : {}),
	});
	walk.facts.inDefinition(definition, () =>
		walk.inScope("block", node, () => {
			const components = table.field(node, "parameters");
			for (const child of partsOf(table, node)) {
				if (child !== body && child !== components && table.fieldName(child) !== "name") walk.visit(child);
			}
			walk.inBody(body, () => {
				if (components !== NONE) visitComponents(walk, components);
				walk.visitChildren(body);
			});
		}),
	);
}

function listSupertypes(walk: JavaWalk, node: FlatNode): readonly TypeExpression[] {
	const clauses = partsOf(walk.table, node).filter((child) =>
		["superclass", "super_interfaces", "extends_interfaces"].includes(walk.table.type(child)),
	);
	return clauses
		.flatMap((clause) => partsOf(walk.table, clause))
		.flatMap((child) => (walk.table.type(child) === "type_list" ? partsOf(walk.table, child) : [child]))
		.flatMap((child) => readJavaType(walk.table, child) ?? []);
}

function nameOf(type: TypeExpression): string {
	return type.k === "name" ? type.path.join(".") : "";
}

function listGenerics(walk: JavaWalk, node: FlatNode): readonly string[] {
	return partsOf(walk.table, walk.table.field(node, "type_parameters")).map((parameter) =>
		walk.table.text(walk.table.childOfType(parameter, "type_identifier")),
	);
}

/** A record's components are its fields, and methods of their names read them. */
function visitComponents(walk: JavaWalk, node: FlatNode): void {
	for (const component of partsOf(walk.table, node)) {
		const type = readJavaType(walk.table, walk.table.field(component, "type"));
		const name = walk.table.field(component, "name");
		if (name !== NONE) walk.define(name, "field", component, { scope: -1, ...memberOf(walk), type, exported: true });
		for (const child of partsOf(walk.table, component)) if (child !== name) walk.visit(child);
	}
}

function memberOf(walk: JavaWalk): { readonly owner?: number } {
	return walk.body === undefined ? {} : { owner: walk.body };
}

/** The braces behind `new T()` or an enum constant: a type without a name. */
function visitUnnamedBody(walk: JavaWalk, node: FlatNode): void {
	const parent = walk.table.parent(node);
	const extended = readJavaType(walk.table, walk.table.field(parent, "type"));
	const start = walk.table.start(node);
	walk.facts.define({
		name: "",
		kind: "class",
		sort: "type",
		hidden: true,
		at: start,
		start,
		end: walk.table.end(node),
		scope: -1,
		exported: false,
		type: { k: "body", at: start, embeds: extended === undefined ? [] : [extended] },
	});
	walk.inBody(node, () => walk.visitChildren(node));
}

function visitCallable(walk: JavaWalk, node: FlatNode): void {
	const table = walk.table;
	const kind = table.type(node).includes("constructor") ? "constructor" : "method";
	const written = table.field(node, "type");
	const body = table.field(node, "body");
	const generics = listGenerics(walk, node);
	const annotations = walk.annotationsOf(node);
	const definition = walk.define(table.field(node, "name"), kind, node, {
		scope: -1,
		...memberOf(walk),
		type: withDimensions(readJavaType(table, written), countDimensions(table, table.field(node, "dimensions"))),
		exported: !walk.hasModifier(node, "private"),
		...readSignature(walk, node),
		...(written === NONE ? {} : { typeText: table.text(written) }),
		...(body === NONE ? {} : { body: table.start(body) }),
		...(generics.length > 0 ? { generics } : {}),
		...(annotations.length > 0 ? { decorators: annotations } : {}),
		...(walk.hasModifier(node, "static") ? { isStatic: true } : {}),
	});
	walk.facts.inDefinition(definition, () =>
		walk.inScope("function", node, () => {
			for (const child of partsOf(table, node)) if (table.fieldName(child) !== "name") walk.visit(child);
		}),
	);
}

/** Parameters; those of a compact constructor are the record's components. */
function readSignature(walk: JavaWalk, node: FlatNode): Details {
	const table = walk.table;
	const isCompact = table.type(node) === "compact_constructor_declaration";
	const record = isCompact ? table.parent(table.parent(node)) : node;
	const names: string[] = [];
	let required = 0;
	let variadic = false;
	for (const parameter of partsOf(table, table.field(record, "parameters"))) {
		if (table.type(parameter) === "receiver_parameter") continue;
		const isSpread = table.type(parameter) === "spread_parameter";
		const name = table.field(isSpread ? table.childOfType(parameter, "variable_declarator") : parameter, "name");
		names.push(name === NONE ? "" : table.text(name));
		if (isSpread) variadic = true;
		else required++;
	}
	const parameters: Parameters = { required, optional: 0, variadic, names };
	return { parameters };
}

function visitEnumConstant(walk: JavaWalk, node: FlatNode): void {
	const table = walk.table;
	const around = table.parent(table.parent(node));
	const enumName = table.field(around, "name");
	const type: TypeExpression = { k: "name", path: [table.text(enumName)], at: table.start(enumName) };
	const name = table.field(node, "name");
	const definition = walk.define(name, "enumMember", node, { scope: -1, ...memberOf(walk), type, exported: true, isStatic: true });
	walk.facts.inDefinition(definition, () => {
		// A constant is made by a constructor, under the name of the enum.
		const at = table.start(name);
		const args = partsOf(table, table.field(node, "arguments")).length;
		walk.facts.use({ name: table.text(enumName), at, role: "call", receiver: { k: "self", at }, isConstruction: true, args });
		for (const child of partsOf(table, node)) if (child !== name) walk.visit(child);
	});
}

function visitFields(walk: JavaWalk, node: FlatNode): void {
	const table = walk.table;
	const written = table.field(node, "type");
	const type = readJavaType(table, written);
	const isConstant = table.type(node) === "constant_declaration" || (walk.hasModifier(node, "static") && walk.hasModifier(node, "final"));
	const annotations = walk.annotationsOf(node);
	let first = -1;
	for (const declarator of partsIn(table, node, "declarator")) {
		const dimensions = countDimensions(table, table.field(declarator, "dimensions"));
		const definition = walk.define(table.field(declarator, "name"), isConstant ? "constant" : "field", node, {
			scope: -1,
			...memberOf(walk),
			type: withDimensions(type, dimensions),
			typeText: table.text(written),
			exported: !walk.hasModifier(node, "private"),
			...(annotations.length > 0 ? { decorators: annotations } : {}),
			...(isConstant || walk.hasModifier(node, "static") ? { isStatic: true } : {}),
		});
		if (first === -1) first = definition;
		walk.facts.inDefinition(definition, () => walk.visit(table.field(declarator, "value")));
	}
	walk.facts.inDefinition(first, () => {
		for (const child of partsOf(table, node)) if (table.type(child) !== "variable_declarator") walk.visit(child);
	});
}

function visitTypeParameter(walk: JavaWalk, node: FlatNode): void {
	const bound = walk.table.childOfType(node, "type_bound");
	const type = bound === NONE ? undefined : readJavaType(walk.table, bound);
	walk.define(walk.table.childOfType(node, "type_identifier"), "typeParameter", node, { type });
	walk.visit(bound);
}
