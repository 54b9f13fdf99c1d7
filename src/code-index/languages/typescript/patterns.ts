import type { NewDefinition } from "../../facts/facts-builder.ts";
import { type FlatNode, NONE } from "../../flat-tree.ts";
import type { DefinitionKind, TypeHint } from "../../types.ts";
import { useName, type Walk } from "./walk.ts";

export interface PatternTarget {
	readonly kind: DefinitionKind;
	readonly scope: number;
	/** What is known of the value that the whole pattern takes apart. */
	readonly hint: TypeHint | undefined;
	/** The declaration around it. */
	readonly whole: FlatNode;
	readonly exported: boolean;
	/** Offset where the declaration's head ends. */
	readonly headEnd?: number;
	readonly more?: Partial<NewDefinition>;
}

/**
 * Declares every name of a pattern; keys of an object pattern are uses of the members that they take out. Returns the
 * number of the first definition; undefined for an empty pattern.
 */
export function declarePattern(node: FlatNode, walk: Walk, target: PatternTarget): number | undefined {
	const { tree, facts } = walk;
	switch (tree.type(node)) {
		case "identifier":
		case "shorthand_property_identifier_pattern":
			return facts.define({
				name: tree.text(node),
				index: tree.start(node),
				startIndex: tree.start(target.whole),
				endIndex: tree.end(target.whole),
				kind: target.kind,
				scope: target.scope,
				exported: target.exported,
				...(target.headEnd === undefined ? {} : { headEnd: target.headEnd }),
				...(target.hint === undefined ? {} : { type: target.hint }),
				...target.more,
			});
		case "assignment_pattern":
		case "object_assignment_pattern": {
			const first = declarePattern(tree.field(node, "left"), walk, target);
			walk.visit(tree.field(node, "right"));
			return first;
		}
		case "rest_pattern":
			return declarePattern(tree.namedChildren(node)[0] ?? NONE, walk, { ...target, hint: undefined });
		case "array_pattern":
			return declareAll(tree.namedChildren(node), walk, () => ({ ...target, hint: elementOf(target.hint) }));
		case "object_pattern":
			return declareObject(node, walk, target);
		default:
			// A member expression as a loop's target, or text that does not parse.
			walk.visit(node);
			return undefined;
	}
}

function declareAll(nodes: readonly FlatNode[], walk: Walk, targetOf: (node: FlatNode) => PatternTarget): number | undefined {
	const numbers = nodes.map((node) => declarePattern(node, walk, targetOf(node)));
	return numbers.find((number) => number !== undefined);
}

function declareObject(node: FlatNode, walk: Walk, target: PatternTarget): number | undefined {
	const { tree } = walk;
	const source = expressionOf(target.hint);
	const numbers = tree.namedChildren(node).map((child) => {
		const inner = tree.type(child) === "object_assignment_pattern" ? tree.field(child, "left") : child;
		const isPair = tree.type(child) === "pair_pattern";
		const key = isPair ? tree.field(child, "key") : inner;
		const named = ["property_identifier", "shorthand_property_identifier_pattern"].includes(tree.type(key));
		const taken = named && source !== undefined ? { form: "copy" as const, text: `${source}.${tree.text(key)}` } : undefined;
		if (named) useName(walk, key, "read", { isKey: true, ...(source === undefined ? {} : { receiver: source }) });
		else if (isPair) walk.visit(key);
		return declarePattern(isPair ? tree.field(child, "value") : child, walk, { ...target, hint: taken });
	});
	return numbers.find((number) => number !== undefined);
}

/** An expression with the type that the hint speaks of; undefined when there is none. */
export function expressionOf(hint: TypeHint | undefined): string | undefined {
	switch (hint?.form) {
		case "annotation":
			return `(_ as ${hint.text})`;
		case "construct":
			return `new ${hint.text}()`;
		case "call":
			return `${hint.text}()`;
		case "copy":
			return hint.text;
		case "element":
			return `${hint.text}[0]`;
		case undefined:
			return undefined;
	}
}

function elementOf(hint: TypeHint | undefined): TypeHint | undefined {
	const text = expressionOf(hint);
	return text === undefined ? undefined : { form: "element", text };
}
