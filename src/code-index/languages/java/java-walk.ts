import { NO_NODE, type NodeIndex, type SyntaxTable } from "../../syntax-table.ts";
import type { DefinitionKind, FileFacts, Scope } from "../../types.ts";
import type { Expression, TypeExpression } from "../expressions.ts";
import { FactsBuilder, type NewDefinition } from "../facts-builder.ts";

export type Details = Partial<Omit<NewDefinition, "type" | "value">> & {
	readonly type?: TypeExpression | undefined;
	readonly value?: Expression | undefined;
};

export type Handlers = Readonly<Record<string, (walk: JavaWalk, node: NodeIndex) => void>>;

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
	readonly table: SyntaxTable;
	readonly facts: FactsBuilder;
	readonly #handlers: Handlers;
	/** Where the body of the type around begins; members belong to it. */
	body: number | undefined;

	constructor(table: SyntaxTable, handlers: Handlers) {
		this.table = table;
		this.facts = new FactsBuilder(table.text);
		this.#handlers = handlers;
	}

	run(hasErrors: boolean): FileFacts {
		this.facts.inScope("file", 0, this.table.text.length, () => this.visitChildren(0));
		return this.facts.build("java", hasErrors);
	}

	visitChildren(node: NodeIndex): void {
		for (let child = this.table.first(node); child !== NO_NODE; child = this.table.next(child)) this.visit(child);
	}

	visit(node: NodeIndex): void {
		if (node === NO_NODE || !this.table.isNamed(node)) return;
		const type = this.table.type(node);
		const handler = this.#handlers[type];
		if (handler !== undefined) handler(this, node);
		else this.visitPlain(node);
	}

	/** Goes on below a node, in a scope of its own where the node has one. */
	visitPlain(node: NodeIndex): void {
		if (SCOPES.has(this.table.type(node))) this.inScope("block", node, () => this.visitChildren(node));
		else this.visitChildren(node);
	}

	inScope(kind: Scope["kind"], node: NodeIndex, inside: () => void): void {
		this.facts.inScope(kind, this.table.start(node), this.table.end(node), inside);
	}

	/** Runs `inside` in the body of a type: a scope, and the owner of the members declared there. */
	inBody(node: NodeIndex, inside: () => void): void {
		const before = this.body;
		this.body = this.table.start(node);
		this.inScope("type", node, inside);
		this.body = before;
	}

	define(name: NodeIndex, kind: DefinitionKind, whole: NodeIndex, more: Details = {}): number {
		const { type, value, ...rest } = more;
		return this.facts.define({
			name: this.table.source(name),
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
	hasModifier(node: NodeIndex, word: string): boolean {
		const modifiers = this.table.find(node, "modifiers");
		return modifiers !== NO_NODE && this.table.has(modifiers, word);
	}

	annotationsOf(node: NodeIndex): readonly string[] {
		const modifiers = this.table.find(node, "modifiers");
		return this.table
			.children(modifiers)
			.filter((child) => this.table.type(child).endsWith("annotation"))
			.map((child) => this.table.source(child).slice(1));
	}
}
