import { type FlatNode, type FlatTree, NONE } from "../../flat-tree.ts";
import type { DefinitionKind, FileFacts, Scope } from "../../types.ts";
import type { Expression, TypeExpression } from "../expressions.ts";
import { partsOf } from "../tree-parts.ts";
import { type NewDefinition, TypedFactsBuilder } from "../typed-facts-builder.ts";

export type Details = Partial<Omit<NewDefinition, "type" | "value">> & {
	readonly type?: TypeExpression | undefined;
	readonly value?: Expression | undefined;
};

export type Handlers = Readonly<Record<string, (walk: RustWalk, node: FlatNode) => void>>;

/** Parses a piece of source; undefined when it cannot be parsed. The flag says whether it has errors. */
export type ParsePiece = (text: string) => { readonly tree: FlatTree; readonly hasError: boolean } | undefined;

const SORTS: ReadonlyMap<DefinitionKind, NewDefinition["sort"]> = new Map([
	["function", "function"],
	["method", "function"],
	["struct", "type"],
	["enum", "type"],
	["trait", "type"],
	["type", "type"],
	["typeParameter", "typeParameter"],
	["module", "module"],
	["macro", "module"],
]);

/** Nodes that open a scope of their own. */
const SCOPES = new Set(["block", "if_expression", "while_expression", "for_expression", "match_arm", "const_block", "async_block"]);

/** One walk over a Rust file: hands each node to the handler of its type, or goes on below it. */
export class RustWalk {
	/** The tree that is walked: the file's, or that of a macro's body, moved to where the body stands. */
	tree: FlatTree;
	readonly facts: TypedFactsBuilder;
	readonly parse: ParsePiece;
	readonly #handlers: Handlers;
	/** The type, trait or impl around: where its braces open, and what `Self` is written as. */
	owner: { readonly at: number; readonly self?: TypeExpression; readonly trait?: string } | undefined;

	constructor(tree: FlatTree, text: string, parse: ParsePiece, handlers: Handlers) {
		this.tree = tree;
		this.facts = new TypedFactsBuilder(text);
		this.parse = parse;
		this.#handlers = handlers;
	}

	run(hasErrors: boolean): FileFacts {
		this.facts.inScope("file", 0, this.facts.text.length, () => this.visitChildren(0));
		return this.facts.build("rust", hasErrors);
	}

	visitChildren(node: FlatNode): void {
		for (let child = this.tree.child(node); child !== NONE; child = this.tree.next(child)) this.visit(child);
	}

	visit(node: FlatNode): void {
		if (node === NONE || !this.tree.isNamed(node)) return;
		const type = this.tree.type(node);
		const handler = this.#handlers[type];
		if (handler !== undefined) handler(this, node);
		else if (SCOPES.has(type)) this.inScope("block", node, () => this.visitChildren(node));
		else this.visitChildren(node);
	}

	inScope(kind: Scope["kind"], node: FlatNode, inside: () => void): void {
		this.facts.inScope(kind, this.tree.start(node), this.tree.end(node), inside);
	}

	/** Runs `inside` in the braces of a type, trait or impl. */
	inOwner(node: FlatNode, owner: RustWalk["owner"], inside: () => void): void {
		const before = this.owner;
		this.owner = owner;
		this.inScope("type", node, inside);
		this.owner = before;
	}

	/** Walks another tree for a while: a macro's body. */
	inTree(tree: FlatTree, inside: () => void): void {
		const before = this.tree;
		this.tree = tree;
		inside();
		this.tree = before;
	}

	define(name: FlatNode, kind: DefinitionKind, whole: FlatNode, more: Details = {}): number {
		const { type, value, ...rest } = more;
		return this.facts.define({
			name: this.tree.text(name),
			kind,
			sort: SORTS.get(kind) ?? "value",
			at: this.tree.start(name),
			start: this.tree.start(whole),
			end: this.tree.end(whole),
			exported: partsOf(this.tree, whole).some((part) => this.tree.type(part) === "visibility_modifier"),
			...rest,
			...(type === undefined ? {} : { type }),
			...(value === undefined ? {} : { value }),
		});
	}
}

/** The same tree, placed elsewhere in a text. */
export function moveTree(tree: FlatTree, by: number): FlatTree {
	return { ...tree, start: (node) => tree.start(node) + by, end: (node) => tree.end(node) + by };
}
