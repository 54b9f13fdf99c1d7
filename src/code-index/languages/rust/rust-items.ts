import { type FlatNode, NONE } from "../../flat-tree.ts";
import type { DefinitionKind, Parameters } from "../../types.ts";
import type { Expression, TypeExpression } from "../expressions.ts";
import { partsIn, partsOf } from "../tree-parts.ts";
import { ANY, boundsOf, readRustType } from "./rust-types.ts";
import type { Details, Handlers, RustWalk } from "./rust-walk.ts";

/** Items: functions, types, traits, impls, modules, constants. */
export const ITEM_HANDLERS: Handlers = {
	mod_item: visitModule,
	function_item: visitFunction,
	function_signature_item: visitFunction,
	struct_item: visitType,
	union_item: visitType,
	enum_item: visitType,
	enum_variant: visitVariant,
	field_declaration: visitField,
	trait_item: visitTrait,
	impl_item: visitImpl,
	type_item: visitAlias,
	associated_type: visitAlias,
	const_item: visitConstant,
	static_item: visitConstant,
	macro_definition: visitMacroDefinition,
	type_parameter: visitTypeParameter,
	const_parameter: visitConstParameter,
	lifetime_parameter: visitLifetime,
	attribute_item: () => {},
	inner_attribute_item: () => {},
	visibility_modifier: () => {},
	lifetime: () => {},
	label: () => {},
};

function visitModule(walk: RustWalk, node: FlatNode): void {
	const body = walk.tree.field(node, "body");
	const at = body === NONE ? undefined : walk.tree.start(body);
	const definition = walk.define(walk.tree.field(node, "name"), "module", node, {
		...(at === undefined ? {} : { type: { k: "body", at, embeds: [] }, body: at }),
	});
	if (body !== NONE) walk.facts.inDefinition(definition, () => walk.inScope("module", body, () => walk.visitChildren(body)));
}

function listGenerics(walk: RustWalk, node: FlatNode): readonly string[] {
	return partsOf(walk.tree, walk.tree.field(node, "type_parameters"))
		.filter((part) => walk.tree.type(part).endsWith("type_parameter") || walk.tree.type(part) === "const_parameter")
		.map((part) => walk.tree.text(walk.tree.field(part, "name")));
}

function genericsOf(walk: RustWalk, node: FlatNode): { readonly generics?: readonly string[] } {
	const generics = listGenerics(walk, node);
	return generics.length > 0 ? { generics } : {};
}

/** Everything below but the declared name. */
function visitOthers(walk: RustWalk, node: FlatNode): void {
	for (const child of partsOf(walk.tree, node)) if (walk.tree.fieldName(child) !== "name") walk.visit(child);
}

function visitFunction(walk: RustWalk, node: FlatNode): void {
	const name = walk.tree.field(node, "name");
	const result = walk.tree.field(node, "return_type");
	const body = walk.tree.field(node, "body");
	const parameters = walk.tree.field(node, "parameters");
	const isMember = walk.owner !== undefined && walk.tree.type(walk.tree.parent(node)) === "declaration_list";
	const details: Details = {
		type: readRustType(walk.tree, result),
		parameters: readParameters(walk, parameters),
		...(result === NONE ? {} : { typeText: walk.tree.text(result) }),
		...(body === NONE ? {} : { body: walk.tree.start(body) }),
		...genericsOf(walk, node),
		...(isMember ? memberOf(walk, walk.tree.childOfType(parameters, "self_parameter") === NONE) : {}),
	};
	const definition = walk.define(name, isMember ? "method" : "function", node, details);
	walk.facts.inDefinition(definition, () => walk.inScope("function", node, () => visitOthers(walk, node)));
}

function memberOf(walk: RustWalk, isStatic: boolean): Details {
	const owner = walk.owner;
	if (owner === undefined) return {};
	return {
		scope: -1,
		owner: owner.at,
		...(isStatic ? { isStatic } : {}),
		...(owner.self === undefined ? {} : { receiver: owner.self, ownerText: nameOf(owner.self) }),
		...(owner.trait === undefined ? {} : { trait: owner.trait, exported: true }),
	};
}

function nameOf(type: TypeExpression): string {
	return type.k === "name" ? type.path.join("::") : "";
}

function readParameters(walk: RustWalk, node: FlatNode): Parameters {
	const names: string[] = [];
	let variadic = false;
	for (const part of partsOf(walk.tree, node)) {
		const type = walk.tree.type(part);
		if (type === "variadic_parameter") variadic = true;
		if (type !== "parameter") continue;
		const pattern = walk.tree.field(part, "pattern");
		names.push(walk.tree.type(pattern) === "identifier" ? walk.tree.text(pattern) : "");
	}
	return { required: names.length, optional: 0, variadic, names };
}

const TYPE_KINDS: Readonly<Record<string, DefinitionKind>> = { struct_item: "struct", union_item: "struct", enum_item: "enum" };

function visitType(walk: RustWalk, node: FlatNode): void {
	const body = walk.tree.field(node, "body");
	const at = walk.tree.start(body === NONE ? node : body);
	const definition = walk.define(walk.tree.field(node, "name"), TYPE_KINDS[walk.tree.type(node)] ?? "struct", node, {
		type: { k: "body", at, embeds: [] },
		value: readPositions(walk, body),
		...(body === NONE ? {} : { body: at }),
		...genericsOf(walk, node),
	});
	const before = walk.owner;
	walk.facts.inDefinition(definition, () =>
		walk.inScope("block", node, () => {
			walk.owner = { at };
			visitOthers(walk, node);
		}),
	);
	walk.owner = before;
}

/** Fields without names: they are known by their positions. */
function readPositions(walk: RustWalk, body: FlatNode): Expression | undefined {
	if (walk.tree.type(body) !== "ordered_field_declaration_list") return undefined;
	const types = partsIn(walk.tree, body, "type").map((type) => readRustType(walk.tree, type) ?? ANY);
	return { k: "typed", type: { k: "tuple", of: types } };
}

function visitVariant(walk: RustWalk, node: FlatNode): void {
	const around = walk.tree.parent(walk.tree.parent(node));
	const enumName = walk.tree.field(around, "name");
	const type: TypeExpression = { k: "name", path: [walk.tree.text(enumName)], at: walk.tree.start(enumName) };
	const body = walk.tree.field(node, "body");
	const definition = walk.define(walk.tree.field(node, "name"), "enumMember", node, {
		scope: -1,
		exported: true,
		type,
		...(walk.owner === undefined ? {} : { owner: walk.owner.at }),
		value:
			readPositions(walk, body) ?? (body === NONE ? undefined : { k: "typed", type: { k: "body", at: walk.tree.start(body), embeds: [] } }),
	});
	const before = walk.owner;
	if (body !== NONE) walk.owner = { at: walk.tree.start(body) };
	walk.facts.inDefinition(definition, () => visitOthers(walk, node));
	walk.owner = before;
}

function visitField(walk: RustWalk, node: FlatNode): void {
	const written = walk.tree.field(node, "type");
	const definition = walk.define(walk.tree.field(node, "name"), "field", node, {
		scope: -1,
		type: readRustType(walk.tree, written),
		typeText: walk.tree.text(written),
		...(walk.owner === undefined ? {} : { owner: walk.owner.at }),
	});
	walk.facts.inDefinition(definition, () => visitOthers(walk, node));
}

function visitTrait(walk: RustWalk, node: FlatNode): void {
	const body = walk.tree.field(node, "body");
	const at = walk.tree.start(body);
	const bounds = partsOf(walk.tree, walk.tree.field(node, "bounds")).flatMap((bound) => readRustType(walk.tree, bound) ?? []);
	const definition = walk.define(walk.tree.field(node, "name"), "trait", node, {
		type: { k: "body", at, embeds: bounds },
		body: at,
		...(bounds.length > 0 ? { supertypes: bounds.map(nameOf) } : {}),
		...genericsOf(walk, node),
	});
	walk.facts.inDefinition(definition, () =>
		walk.inScope("block", node, () => {
			for (const child of partsOf(walk.tree, node)) {
				if (child === body) walk.inOwner(body, { at }, () => walk.visitChildren(body));
				else if (walk.tree.fieldName(child) !== "name") walk.visit(child);
			}
		}),
	);
}

/** An impl declares nothing itself; it is remembered for what its `Self` and its trait are. */
function visitImpl(walk: RustWalk, node: FlatNode): void {
	const body = walk.tree.field(node, "body");
	const at = walk.tree.start(body);
	const self = readRustType(walk.tree, walk.tree.field(node, "type"));
	const trait = readRustType(walk.tree, walk.tree.field(node, "trait"));
	walk.inScope("block", node, () => {
		walk.facts.define({
			name: "impl",
			kind: "module",
			sort: "value",
			hidden: true,
			at,
			start: walk.tree.start(node),
			end: walk.tree.end(node),
			scope: -1,
			exported: false,
			...(self === undefined ? {} : { receiver: self }),
			...(trait === undefined ? {} : { type: trait }),
			...genericsOf(walk, node),
		});
		for (const child of partsOf(walk.tree, node)) {
			if (child !== body) walk.visit(child);
			else {
				const owner = {
					at,
					self: self ?? { k: "name", path: ["_"], at: 0 },
					...(trait === undefined ? {} : { trait: nameOf(trait) }),
				} as const;
				walk.inOwner(body, owner, () => walk.visitChildren(body));
			}
		}
	});
}

function visitAlias(walk: RustWalk, node: FlatNode): void {
	const isMember = walk.owner !== undefined && walk.tree.type(walk.tree.parent(node)) === "declaration_list";
	const written = walk.tree.field(node, "type");
	const bounds = readRustType(walk.tree, walk.tree.field(node, "bounds"));
	const type = written === NONE ? bounds : readRustType(walk.tree, written);
	const definition = walk.define(walk.tree.field(node, "name"), "type", node, {
		type,
		alias: true,
		...genericsOf(walk, node),
		...(isMember ? memberOf(walk, true) : {}),
	});
	walk.facts.inDefinition(definition, () => walk.inScope("block", node, () => visitOthers(walk, node)));
}

function visitConstant(walk: RustWalk, node: FlatNode): void {
	const isMember = walk.owner !== undefined && walk.tree.type(walk.tree.parent(node)) === "declaration_list";
	const kind = walk.tree.type(node) === "static_item" ? "variable" : "constant";
	const written = walk.tree.field(node, "type");
	const definition = walk.define(walk.tree.field(node, "name"), kind, node, {
		type: readRustType(walk.tree, written),
		typeText: walk.tree.text(written),
		...(isMember ? memberOf(walk, true) : {}),
	});
	walk.facts.inDefinition(definition, () => visitOthers(walk, node));
}

/** What a macro makes is not known before it is called: only its name is declared. */
function visitMacroDefinition(walk: RustWalk, node: FlatNode): void {
	const definition = walk.define(walk.tree.field(node, "name"), "macro", node);
	walk.facts.inDefinition(definition, () => visitMacroVariables(walk, node));
}

function visitMacroVariables(walk: RustWalk, node: FlatNode): void {
	for (const child of partsOf(walk.tree, node)) {
		if (walk.tree.type(child) === "token_binding_pattern") walk.define(walk.tree.field(child, "name"), "parameter", child, { scope: -1 });
		else visitMacroVariables(walk, child);
	}
}

function visitTypeParameter(walk: RustWalk, node: FlatNode): void {
	const name = walk.tree.field(node, "name");
	const inline = readRustType(walk.tree, walk.tree.field(node, "bounds"));
	const bounds = [
		...(inline === undefined ? [] : [inline]),
		...readWhere(walk, walk.tree.parent(walk.tree.parent(node)), walk.tree.text(name)),
	];
	walk.define(name, "typeParameter", node, { type: boundsOf(bounds) });
	visitOthers(walk, node);
}

/** Bounds that a where clause gives to a type parameter. */
function readWhere(walk: RustWalk, item: FlatNode, name: string): readonly TypeExpression[] {
	return partsOf(walk.tree, walk.tree.childOfType(item, "where_clause"))
		.filter((predicate) => walk.tree.text(walk.tree.field(predicate, "left")) === name)
		.flatMap((predicate) => readRustType(walk.tree, walk.tree.field(predicate, "bounds")) ?? []);
}

function visitConstParameter(walk: RustWalk, node: FlatNode): void {
	walk.define(walk.tree.field(node, "name"), "typeParameter", node);
	visitOthers(walk, node);
}

function visitLifetime(walk: RustWalk, node: FlatNode): void {
	const name = partsOf(walk.tree, walk.tree.field(node, "name"))[0] ?? NONE;
	if (name !== NONE) walk.define(name, "typeParameter", node, { scope: -1 });
	walk.visit(walk.tree.field(node, "bounds"));
}
