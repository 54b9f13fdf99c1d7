import { NO_NODE, type NodeIndex, type SyntaxTable } from "../../syntax-table.ts";
import type { DefinitionKind, FileFacts, Scope } from "../../types.ts";
import type { Expression, TypeExpression } from "../expressions.ts";
import { FactsBuilder, type NewDefinition } from "../facts-builder.ts";

export type Details = Partial<Omit<NewDefinition, "type" | "value">> & {
	readonly type?: TypeExpression | undefined;
	readonly value?: Expression | undefined;
};

export type Handlers = Readonly<Record<string, (walk: GoWalk, node: NodeIndex) => void>>;

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
	readonly table: SyntaxTable;
	readonly facts: FactsBuilder;
	readonly #handlers: Handlers;
	/** Parameters are known from here on: in `f(key key)`, the second one is the type. */
	bodyStart = 0;

	constructor(table: SyntaxTable, handlers: Handlers) {
		this.table = table;
		this.facts = new FactsBuilder(table.text);
		this.#handlers = handlers;
	}

	run(hasErrors: boolean): FileFacts {
		this.facts.inScope("file", 0, this.table.text.length, () => this.visitChildren(0));
		return this.facts.build("go", hasErrors);
	}

	visitChildren(node: NodeIndex): void {
		for (let child = this.table.first(node); child !== NO_NODE; child = this.table.next(child)) this.visit(child);
	}

	visit(node: NodeIndex): void {
		if (node === NO_NODE || !this.table.isNamed(node)) return;
		const type = this.table.type(node);
		const handler = this.#handlers[type];
		if (handler !== undefined) handler(this, node);
		else if (SCOPES.has(type)) this.inScope("block", node, () => this.visitChildren(node));
		else this.visitChildren(node);
	}

	inScope(kind: Scope["kind"], node: NodeIndex, inside: () => void): void {
		this.facts.inScope(kind, this.table.start(node), this.table.end(node), inside);
	}

	define(name: NodeIndex, kind: DefinitionKind, whole: NodeIndex, more: Details = {}): number {
		const text = this.table.source(name);
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
