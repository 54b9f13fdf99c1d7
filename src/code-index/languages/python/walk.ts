import type { FactsBuilder } from "../../facts/facts-builder.ts";
import { squeeze } from "../../facts/squeeze.ts";
import { type FlatNode, type FlatTree, NONE } from "../../flat-tree.ts";
import type { Arguments, OccurrenceRole, TypeHint } from "../../types.ts";

/** What the parts of the Python extractor share while they walk one tree. */
export interface Walk {
	readonly tree: FlatTree;
	readonly facts: FactsBuilder;
	visit(node: FlatNode): void;
	visitChildren(node: FlatNode): void;
	/** Names that `global` and `nonlocal` bind elsewhere, by the scope that says so. */
	readonly elsewhere: Map<number, Map<string, number>>;
	/** Statements around that may not run: `if`, `try`, loops. Functions begin anew. */
	branches: number;
	/** An annotation is walked. */
	inType: boolean;
}

export type Handler = (node: FlatNode, walk: Walk) => void;
export type Handlers = Readonly<Record<string, Handler>>;

interface UseOptions {
	readonly receiver?: FlatNode;
	readonly arguments?: Arguments;
	readonly import?: number;
}

/** Records the name at the node. */
export function useName(walk: Walk, node: FlatNode, role: OccurrenceRole, options: UseOptions = {}): void {
	const { receiver, ...rest } = options;
	walk.facts.use({
		name: walk.tree.text(node),
		index: walk.tree.start(node),
		role: role === "read" && walk.inType ? "type" : role,
		...rest,
		...(receiver === undefined ? {} : { receiver: squeeze(walk.tree.text(receiver)) }),
	});
}

/** The scope that an assignment binds in: a comprehension has its own names, a block none. */
export function bindingScope(walk: Walk, name: string): number {
	const scope = walk.facts.scope("function", "type", "file");
	return walk.elsewhere.get(scope)?.get(name) ?? scope;
}

/** What a value says about the type of the name that it is given to. */
export function valueHint(tree: FlatTree, node: FlatNode): TypeHint | undefined {
	switch (tree.type(node)) {
		case "":
		case "lambda":
		case "conditional_expression":
		case "none":
			return undefined;
		case "call":
			return { form: "call", text: squeeze(tree.text(tree.field(node, "function"))) };
		case "list":
		case "tuple":
		case "set":
		case "dictionary":
		case "list_comprehension":
		case "dictionary_comprehension":
		case "set_comprehension":
			return { form: "copy", text: "[]" };
		default:
			return { form: "copy", text: squeeze(tree.text(node)) };
	}
}

export function typeHint(tree: FlatTree, node: FlatNode): TypeHint | undefined {
	return node === NONE ? undefined : { form: "annotation", text: squeeze(tree.text(node)) };
}

/** Arguments of a call as its arity sees them. */
export function countArguments(tree: FlatTree, node: FlatNode): Arguments {
	if (tree.type(node) === "generator_expression") return { count: 1, spread: false };
	let count = 0;
	let spread = false;
	const names: string[] = [];
	for (const child of tree.namedChildren(node)) {
		const type = tree.type(child);
		if (type === "comment") continue;
		if (type === "keyword_argument") names.push(tree.text(tree.field(child, "name")));
		else if (type === "list_splat" || type === "dictionary_splat") spread = true;
		else count++;
	}
	return { count, spread, ...(names.length === 0 ? {} : { names }) };
}
