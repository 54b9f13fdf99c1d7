import { NONE, type FlatNode, type FlatTree } from "../../flat-tree.ts";
import { hasPart, partsOf } from "../tree-parts.ts";
import type { DefinitionKind, FileFacts, Scope } from "../../types.ts";
import type { Expression, TypeExpression } from "../expressions.ts";
import { TypedFactsBuilder, type NewDefinition } from "../typed-facts-builder.ts";

export type Details = Partial<Omit<NewDefinition, "type" | "value">> & {
	readonly type?: TypeExpression | undefined;
	readonly value?: Expression | undefined;
};

export type Handlers = Readonly<Record<string, (walk: JavaWalk, node: FlatNode) => void>>;

const SORTS: ReadonlyMap<DefinitionKind, NewDefinition["sort"]> = new Map([
	["method", "function"],
	["constructor", "function"],
	["class", "type"],
	["interface", "type"],
	["enum", "type"],
	["typeParameter", "typeParameter"],
]);

/** Nodes that open a scope of their own. */
const SCOPES = new Set([
	"block",
	"constructor_body",
	"for_statement",
	"enhanced_for_statement",
	"try_statement",
	"try_with_resources_statement",
	"catch_clause",
	"switch_block",
	"switch_rule",
	"static_initializer",
]);

/** One walk over a Java file: hands each node to the handler of its type, or goes on below it. */
export class JavaWalk {
	readonly table: FlatTree;
	readonly facts: TypedFactsBuilder;
	readonly #handlers: Handlers;
	/** Where the body of the type around begins; members belong to it. */
	body: number | undefined;

	constructor(table: FlatTree, text: string, handlers: Handlers) {
		this.table = table;
		this.facts = new TypedFactsBuilder(text);
		this.#handlers = handlers;
	}

	run(hasErrors: boolean): FileFacts {
		this.facts.inScope("file", 0, this.facts.text.length, () => this.visitChildren(0));
		return this.facts.build("java", hasErrors);
	}

	visitChildren(node: FlatNode): void {
		for (let child = this.table.child(node); child !== NONE; child = this.table.next(child)) this.visit(child);
	}

	visit(node: FlatNode): void {
		if (node === NONE || !this.table.isNamed(node)) return;
		const type = this.table.type(node);
		const handler = this.#handlers[type];
		if (handler !== undefined) handler(this, node);
		else this.visitPlain(node);
	}

	/** Goes on below a node, in a scope of its own where the node has one. */
	visitPlain(node: FlatNode): void {
		if (SCOPES.has(this.table.type(node))) this.inScope("block", node, () => this.visitChildren(node));
		else this.visitChildren(node);
	}

	inScope(kind: Scope["kind"], node: FlatNode, inside: () => void): void {
		this.facts.inScope(kind, this.table.start(node), this.table.end(node), inside);
	}

	/** Runs `inside` in the body of a type: a scope, and the owner of the members declared there. */
	inBody(node: FlatNode, inside: () => void): void {
		const before = this.body;
		this.body = this.table.start(node);
		this.inScope("type", node, inside);
		this.body = before;
	}

	define(name: FlatNode, kind: DefinitionKind, whole: FlatNode, more: Details = {}): number {
		const { type, value, ...rest } = more;
		return this.facts.define({
			name: this.table.text(name),
			kind,
			sort: SORTS.get(kind) ?? "value",
			at: this.table.start(name),
			start: this.table.start(whole),
			end: this.table.end(whole),
			exported: false,
			...rest,
			...(type === undefined ? {} : { type }),
			...(value === undefined ? {} : { value }),
		});
	}

	/** Is it written among the modifiers? */
	hasModifier(node: FlatNode, word: string): boolean {
		const modifiers = this.table.childOfType(node, "modifiers");
		return modifiers !== NONE && hasPart(this.table, modifiers, word);
	}

	annotationsOf(node: FlatNode): readonly string[] {
		const modifiers = this.table.childOfType(node, "modifiers");
		return partsOf(this.table, modifiers)
			.filter((child) => this.table.type(child).endsWith("annotation"))
			.map((child) => this.table.text(child).slice(1));
	}
}
