import { NO_NODE, type NodeIndex } from "../../syntax-table.ts";
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

function visitPackage(walk: JavaWalk, node: NodeIndex): void {
	const name = walk.table.children(node).find((child) => walk.table.type(child).endsWith("identifier"));
	walk.facts.package = name === undefined ? "" : walk.table.source(name).replaceAll(/\s/g, "");
}

function visitModule(walk: JavaWalk, node: NodeIndex): void {
	walk.define(walk.table.child(node, "name"), "module", node, { scope: -1, exported: true });
}

function visitImport(walk: JavaWalk, node: NodeIndex): void {
	const written = walk.table.children(node)[0] ?? NO_NODE;
	const path = readPath(walk.table, written);
	const isStatic = walk.table.has(node, "static");
	const index = walk.table.start(written);
	const whole = path.join(".");
	const name = path.at(-1) ?? "";
	const common = { index, ...(isStatic ? { isStatic } : {}) };
	const wildcard = walk.table.has(node, "asterisk");
	const found = wildcard
		? walk.facts.import({ kind: "wildcard", module: whole, ...common })
		: walk.facts.import({ kind: "name", module: path.slice(0, -1).join("."), imported: name, local: name, ...common });
	const names = listNames(walk, written);
	names.forEach((part, position) => {
		const isLast = position === names.length - 1;
		// Packages are written small; only types and members can be looked up.
		if (!(isLast && !wildcard) && !/^\p{Lu}/u.test(path[position] ?? "")) return;
		walk.facts.use({
			name: walk.table.source(part),
			at: walk.table.start(part),
			role: "import",
			receiver: qualify(path.slice(0, position), index) ?? false,
			...(isLast ? { import: found } : {}),
		});
	});
}

function listNames(walk: JavaWalk, node: NodeIndex): readonly NodeIndex[] {
	if (walk.table.type(node) === "identifier") return [node];
	return walk.table.children(node).flatMap((child) => listNames(walk, child));
}

function visitType(walk: JavaWalk, node: NodeIndex): void {
	const table = walk.table;
	const body = table.child(node, "body");
	const supers = listSupertypes(walk, node);
	const isMember = walk.body !== undefined && walk.facts.enclosing !== -1 && table.type(table.parent(node)) !== "block";
	const generics = listGenerics(walk, node);
	const annotations = walk.annotationsOf(node);
	const definition = walk.define(table.child(node, "name"), TYPE_KINDS[table.type(node)] ?? "class", node, {
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
			const components = table.child(node, "parameters");
			for (const child of table.children(node)) {
				if (child !== body && child !== components && !table.isField(child, "name")) walk.visit(child);
			}
			walk.inBody(body, () => {
				if (components !== NO_NODE) visitComponents(walk, components);
				walk.visitChildren(body);
			});
		}),
	);
}

function listSupertypes(walk: JavaWalk, node: NodeIndex): readonly TypeExpression[] {
	const clauses = walk.table
		.children(node)
		.filter((child) => ["superclass", "super_interfaces", "extends_interfaces"].includes(walk.table.type(child)));
	return clauses
		.flatMap((clause) => walk.table.children(clause))
		.flatMap((child) => (walk.table.type(child) === "type_list" ? walk.table.children(child) : [child]))
		.flatMap((child) => readJavaType(walk.table, child) ?? []);
}

function nameOf(type: TypeExpression): string {
	return type.k === "name" ? type.path.join(".") : "";
}

function listGenerics(walk: JavaWalk, node: NodeIndex): readonly string[] {
	return walk.table
		.children(walk.table.child(node, "type_parameters"))
		.map((parameter) => walk.table.source(walk.table.find(parameter, "type_identifier")));
}

/** A record's components are its fields, and methods of their names read them. */
function visitComponents(walk: JavaWalk, node: NodeIndex): void {
	for (const component of walk.table.children(node)) {
		const type = readJavaType(walk.table, walk.table.child(component, "type"));
		const name = walk.table.child(component, "name");
		if (name !== NO_NODE) walk.define(name, "field", component, { scope: -1, ...memberOf(walk), type, exported: true });
		for (const child of walk.table.children(component)) if (child !== name) walk.visit(child);
	}
}

function memberOf(walk: JavaWalk): { readonly owner?: number } {
	return walk.body === undefined ? {} : { owner: walk.body };
}

/** The braces behind `new T()` or an enum constant: a type without a name. */
function visitUnnamedBody(walk: JavaWalk, node: NodeIndex): void {
	const parent = walk.table.parent(node);
	const extended = readJavaType(walk.table, walk.table.child(parent, "type"));
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

function visitCallable(walk: JavaWalk, node: NodeIndex): void {
	const table = walk.table;
	const kind = table.type(node).includes("constructor") ? "constructor" : "method";
	const written = table.child(node, "type");
	const body = table.child(node, "body");
	const generics = listGenerics(walk, node);
	const annotations = walk.annotationsOf(node);
	const definition = walk.define(table.child(node, "name"), kind, node, {
		scope: -1,
		...memberOf(walk),
		type: withDimensions(readJavaType(table, written), countDimensions(table, table.child(node, "dimensions"))),
		exported: !walk.hasModifier(node, "private"),
		...readSignature(walk, node),
		...(written === NO_NODE ? {} : { typeText: table.source(written) }),
		...(body === NO_NODE ? {} : { body: table.start(body) }),
		...(generics.length > 0 ? { generics } : {}),
		...(annotations.length > 0 ? { decorators: annotations } : {}),
		...(walk.hasModifier(node, "static") ? { isStatic: true } : {}),
	});
	walk.facts.inDefinition(definition, () =>
		walk.inScope("function", node, () => {
			for (const child of table.children(node)) if (!table.isField(child, "name")) walk.visit(child);
		}),
	);
}

/** Parameters; those of a compact constructor are the record's components. */
function readSignature(walk: JavaWalk, node: NodeIndex): Details {
	const table = walk.table;
	const isCompact = table.type(node) === "compact_constructor_declaration";
	const record = isCompact ? table.parent(table.parent(node)) : node;
	const names: string[] = [];
	let required = 0;
	let variadic = false;
	for (const parameter of table.children(table.child(record, "parameters"))) {
		if (table.type(parameter) === "receiver_parameter") continue;
		const isSpread = table.type(parameter) === "spread_parameter";
		const name = table.child(isSpread ? table.find(parameter, "variable_declarator") : parameter, "name");
		names.push(name === NO_NODE ? "" : table.source(name));
		if (isSpread) variadic = true;
		else required++;
	}
	const parameters: Parameters = { required, optional: 0, variadic, names };
	return { parameters };
}

function visitEnumConstant(walk: JavaWalk, node: NodeIndex): void {
	const table = walk.table;
	const around = table.parent(table.parent(node));
	const enumName = table.child(around, "name");
	const type: TypeExpression = { k: "name", path: [table.source(enumName)], at: table.start(enumName) };
	const name = table.child(node, "name");
	const definition = walk.define(name, "enumMember", node, { scope: -1, ...memberOf(walk), type, exported: true, isStatic: true });
	walk.facts.inDefinition(definition, () => {
		// A constant is made by a constructor, under the name of the enum.
		const at = table.start(name);
		const args = table.children(table.child(node, "arguments")).length;
		walk.facts.use({ name: table.source(enumName), at, role: "call", receiver: { k: "self", at }, isConstruction: true, args });
		for (const child of table.children(node)) if (child !== name) walk.visit(child);
	});
}

function visitFields(walk: JavaWalk, node: NodeIndex): void {
	const table = walk.table;
	const written = table.child(node, "type");
	const type = readJavaType(table, written);
	const isConstant = table.type(node) === "constant_declaration" || (walk.hasModifier(node, "static") && walk.hasModifier(node, "final"));
	const annotations = walk.annotationsOf(node);
	let first = -1;
	for (const declarator of table.childrenIn(node, "declarator")) {
		const dimensions = countDimensions(table, table.child(declarator, "dimensions"));
		const definition = walk.define(table.child(declarator, "name"), isConstant ? "constant" : "field", node, {
			scope: -1,
			...memberOf(walk),
			type: withDimensions(type, dimensions),
			typeText: table.source(written),
			exported: !walk.hasModifier(node, "private"),
			...(annotations.length > 0 ? { decorators: annotations } : {}),
			...(isConstant || walk.hasModifier(node, "static") ? { isStatic: true } : {}),
		});
		if (first === -1) first = definition;
		walk.facts.inDefinition(definition, () => walk.visit(table.child(declarator, "value")));
	}
	walk.facts.inDefinition(first, () => {
		for (const child of table.children(node)) if (table.type(child) !== "variable_declarator") walk.visit(child);
	});
}

function visitTypeParameter(walk: JavaWalk, node: NodeIndex): void {
	const bound = walk.table.find(node, "type_bound");
	const type = bound === NO_NODE ? undefined : readJavaType(walk.table, bound);
	walk.define(walk.table.find(node, "type_identifier"), "typeParameter", node, { type });
	walk.visit(bound);
}
