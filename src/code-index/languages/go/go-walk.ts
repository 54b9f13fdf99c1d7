import { NONE, type FlatNode, type FlatTree } from "../../flat-tree.ts";
import type { DefinitionKind, FileFacts, Scope } from "../../types.ts";
import type { Expression, TypeExpression } from "../expressions.ts";
import { TypedFactsBuilder, type NewDefinition } from "../typed-facts-builder.ts";

export type Details = Partial<Omit<NewDefinition, "type" | "value">> & {
	readonly type?: TypeExpression | undefined;
	readonly value?: Expression | undefined;
};

export type Handlers = Readonly<Record<string, (walk: GoWalk, node: FlatNode) => void>>;

const SORTS: ReadonlyMap<DefinitionKind, NewDefinition["sort"]> = new Map([
	["function", "function"],
	["method", "function"],
	["type", "type"],
	["struct", "type"],
	["interface", "type"],
	["typeParameter", "typeParameter"],
]);

/** Nodes that open a scope of their own. */
const SCOPES = new Set([
	"block",
	"if_statement",
	"for_statement",
	"expression_switch_statement",
	"type_switch_statement",
	"select_statement",
	"expression_case",
	"default_case",
	"communication_case",
]);

/** One walk over a Go file: hands each node to the handler of its type, or goes on below it. */
export class GoWalk {
	readonly table: FlatTree;
	readonly facts: TypedFactsBuilder;
	readonly #handlers: Handlers;
	/** Parameters are known from here on: in `f(key key)`, the second one is the type. */
	bodyStart = 0;

	constructor(table: FlatTree, text: string, handlers: Handlers) {
		this.table = table;
		this.facts = new TypedFactsBuilder(text);
		this.#handlers = handlers;
	}

	run(hasErrors: boolean): FileFacts {
		this.facts.inScope("file", 0, this.facts.text.length, () => this.visitChildren(0));
		return this.facts.build("go", hasErrors);
	}

	visitChildren(node: FlatNode): void {
		for (let child = this.table.child(node); child !== NONE; child = this.table.next(child)) this.visit(child);
	}

	visit(node: FlatNode): void {
		if (node === NONE || !this.table.isNamed(node)) return;
		const type = this.table.type(node);
		const handler = this.#handlers[type];
		if (handler !== undefined) handler(this, node);
		else if (SCOPES.has(type)) this.inScope("block", node, () => this.visitChildren(node));
		else this.visitChildren(node);
	}

	inScope(kind: Scope["kind"], node: FlatNode, inside: () => void): void {
		this.facts.inScope(kind, this.table.start(node), this.table.end(node), inside);
	}

	define(name: FlatNode, kind: DefinitionKind, whole: FlatNode, more: Details = {}): number {
		const text = this.table.text(name);
		const { type, value, ...rest } = more;
		const reachable = kind === "field" || (rest.scope ?? this.facts.scope) <= 0;
		return this.facts.define({
			name: text,
			kind,
			sort: SORTS.get(kind) ?? "value",
			at: this.table.start(name),
			start: this.table.start(whole),
			end: this.table.end(whole),
			exported: reachable && /^\p{Lu}/u.test(text),
			...rest,
			...(type === undefined ? {} : { type }),
			...(value === undefined ? {} : { value }),
		});
	}
}
