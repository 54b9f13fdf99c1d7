import type { FlatNode } from "../../flat-tree.ts";
import type { DefinitionKind, TypeHint } from "../../types.ts";
import { bindingScope, useName, type Walk } from "./walk.ts";

export interface BindTarget {
	readonly hint: TypeHint | undefined;
	/** The statement around it. */
	readonly whole: FlatNode;
	readonly kind?: DefinitionKind;
	/** Of a comprehension: its names are bound in its own scope. */
	readonly inPlace?: boolean;
}

/**
 * Binds the names of a target: the first binding of a name in its scope is its definition, later ones are writes.
 * `self.x = …` in a method defines a field, the first time.
 */
export function bind(node: FlatNode, walk: Walk, target: BindTarget): void {
	const { tree } = walk;
	switch (tree.type(node)) {
		case "identifier":
			bindName(node, walk, target);
			return;
		case "attribute":
			bindAttribute(node, walk, target);
			return;
		case "pattern_list":
		case "tuple_pattern":
		case "list_pattern":
		case "list_splat_pattern":
		case "list_splat":
		case "tuple":
		case "list":
		case "parenthesized_expression":
		case "expression_list":
		case "as_pattern_target":
			for (const child of tree.namedChildren(node)) {
				const isWhole = tree.type(node) === "as_pattern_target" || tree.type(node) === "parenthesized_expression";
				bind(child, walk, { ...target, hint: isWhole ? target.hint : undefined });
			}
			return;
		default:
			walk.visit(node);
	}
}

function bindName(node: FlatNode, walk: Walk, target: BindTarget): void {
	const { tree, facts } = walk;
	const name = tree.text(node);
	const scope = target.inPlace === true ? facts.scope() : bindingScope(walk, name);
	const known = facts.boundIn(scope, name);
	const owner = facts.container();
	const inClass = scope !== 0 && scope === facts.scope("type") && owner !== undefined && scope === facts.scope("function", "type", "file");
	if (known !== undefined || (inClass && facts.hasMember(owner, name))) {
		// What is first set to None gets its type later.
		if (known !== undefined && facts.definition(known).type === undefined && target.hint !== undefined)
			facts.amend(known, { type: target.hint });
		useName(walk, node, "write");
		return;
	}
	facts.define({
		name,
		kind: target.kind ?? (inClass ? "field" : /^[A-Z][A-Z0-9_]*$/.test(name) ? "constant" : "variable"),
		index: tree.start(node),
		startIndex: tree.start(target.whole),
		endIndex: tree.end(target.whole),
		exported: inClass || scope === 0,
		...(inClass ? {} : { scope }),
		...(target.hint === undefined ? {} : { type: target.hint }),
		...(walk.branches > 0 ? { conditional: true } : {}),
	});
}

function bindAttribute(node: FlatNode, walk: Walk, target: BindTarget): void {
	const { tree, facts } = walk;
	const object = tree.field(node, "object");
	const attribute = tree.field(node, "attribute");
	const method = facts.container(
		(definition) => definition.kind === "method" || definition.kind === "constructor" || definition.kind === "property",
	);
	const owner = method === undefined ? undefined : facts.definition(method).container;
	const isOwn = owner !== undefined && /^(?:self|cls)$/.test(tree.text(object));
	walk.visit(object);
	if (!isOwn || facts.hasMember(owner, tree.text(attribute))) {
		useName(walk, attribute, "write", { receiver: object });
		return;
	}
	facts.inDefinition(owner, () =>
		facts.define({
			name: tree.text(attribute),
			kind: "field",
			index: tree.start(attribute),
			startIndex: tree.start(target.whole),
			endIndex: tree.end(target.whole),
			exported: true,
			...(target.hint === undefined ? {} : { type: target.hint }),
		}),
	);
}
