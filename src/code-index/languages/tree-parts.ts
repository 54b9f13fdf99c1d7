import { type FlatNode, type FlatTree, NONE } from "../flat-tree.ts";

/** Named children without comments, which the grammars allow anywhere. */
export function partsOf(tree: FlatTree, node: FlatNode): readonly FlatNode[] {
	return tree.namedChildren(node).filter((child) => !tree.type(child).endsWith("comment"));
}

/** Named children of a field, which may hold the commas between them too. */
export function partsIn(tree: FlatTree, node: FlatNode, field: string): readonly FlatNode[] {
	return tree.fields(node, field).filter((child) => tree.isNamed(child));
}

/** Does a child of this type, or a token of this text, stand directly below? */
export function hasPart(tree: FlatTree, node: FlatNode, type: string): boolean {
	return tree.childOfType(node, type) !== NONE;
}
