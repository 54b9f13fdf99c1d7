import type { FactsBuilder } from "../../facts/facts-builder.ts";
import { squeeze } from "../../facts/squeeze.ts";
import { type FlatNode, type FlatTree, NONE } from "../../flat-tree.ts";
import type { Arguments, OccurrenceRole } from "../../types.ts";

/** What the parts of the TypeScript and JavaScript extractor share while they walk one tree. */
export interface Walk {
	readonly tree: FlatTree;
	readonly facts: FactsBuilder;
	/** JavaScript alone: fields come to be by assignments, modules by `require`. */
	readonly isJavaScript: boolean;
	visit(node: FlatNode): void;
	visitChildren(node: FlatNode): void;
	/** Expression that stands for the type which an object literal has to have; set by whoever knows it. */
	readonly expected: Map<FlatNode, string>;
	/** True while the declaration of an `export` is walked. */
	exporting: boolean;
}

export type Handler = (node: FlatNode, walk: Walk) => void;
export type Handlers = Readonly<Record<string, Handler>>;

interface UseOptions {
	readonly receiver?: FlatNode | string;
	readonly isKey?: boolean;
	readonly arguments?: Arguments;
	readonly isConstruction?: boolean;
	readonly import?: number;
	/** Where the name is inside quotes. */
	readonly quoted?: boolean;
}

/** Records the name at the node. */
export function useName(walk: Walk, node: FlatNode, role: OccurrenceRole, options: UseOptions = {}): void {
	const { receiver, quoted, ...rest } = options;
	const name = quoted === true ? walk.tree.text(node).slice(1, -1) : walk.tree.text(node);
	if (name === "") return;
	walk.facts.use({
		name,
		index: walk.tree.start(node) + (quoted === true ? 1 : 0),
		role,
		...rest,
		...(receiver === undefined ? {} : { receiver: typeof receiver === "string" ? receiver : squeeze(walk.tree.text(receiver)) }),
	});
}

/** The expression inside of parentheses, `!` and type arguments. */
export function unwrap(tree: FlatTree, node: FlatNode): FlatNode {
	let inner = node;
	while (["non_null_expression", "parenthesized_expression", "instantiation_expression"].includes(tree.type(inner))) {
		const next = tree.namedChildren(inner)[0] ?? NONE;
		if (next === NONE) break;
		inner = next;
	}
	return inner;
}

export function hasToken(tree: FlatTree, node: FlatNode, token: string): boolean {
	return tree.childOfType(node, token) !== NONE;
}

/** Text of a string literal without its quotes; undefined for any other node. */
export function stringValue(tree: FlatTree, node: FlatNode): string | undefined {
	return tree.type(node) === "string" ? tree.text(node).slice(1, -1) : undefined;
}

/** Arguments of a call as its arity sees them. */
export function countArguments(tree: FlatTree, node: FlatNode): Arguments {
	if (node === NONE) return { count: 0, spread: false };
	if (tree.type(node) !== "arguments") return { count: 1, spread: true };
	const given = tree.namedChildren(node).filter((child) => tree.type(child) !== "comment");
	const spread = given.some((child) => tree.type(child) === "spread_element");
	return { count: given.filter((child) => tree.type(child) !== "spread_element").length, spread };
}
