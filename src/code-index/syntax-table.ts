import type { Language, Tree } from "web-tree-sitter";

/** Index of a node in a {@link SyntaxTable}; `NO_NODE` stands for none. */
export type NodeIndex = number;

export const NO_NODE: NodeIndex = -1;

/**
 * A syntax tree copied out of the parser once, in source order: reading it costs no call into wasm, and it outlives the
 * tree (INDEX.md 2.2: node objects are what makes whole-repository passes slow). Offsets in UTF-16 units.
 */
export class SyntaxTable {
	readonly text: string;
	readonly #names: readonly string[];
	readonly #named: readonly boolean[];
	readonly #fields: ReadonlyMap<string, number>;
	readonly #type: number[] = [];
	readonly #start: number[] = [];
	readonly #end: number[] = [];
	readonly #field: number[] = [];
	readonly #parent: number[] = [];
	readonly #first: number[] = [];
	readonly #next: number[] = [];

	constructor(tree: Tree, text: string) {
		this.text = text;
		const grammar = describeGrammar(tree.language);
		this.#names = grammar.names;
		this.#named = grammar.named;
		this.#fields = grammar.fields;
		this.#copy(tree);
	}

	#copy(tree: Tree): void {
		const cursor = tree.walk();
		const last: number[] = [];
		const open: number[] = [];
		try {
			for (;;) {
				const node = this.#type.length;
				const parent = open.at(-1) ?? NO_NODE;
				const before = last[open.length] ?? NO_NODE;
				if (before === NO_NODE) {
					if (parent !== NO_NODE) this.#first[parent] = node;
				} else this.#next[before] = node;
				last[open.length] = node;
				this.#type.push(cursor.nodeTypeId);
				this.#start.push(cursor.startIndex);
				this.#end.push(cursor.endIndex);
				this.#field.push(cursor.currentFieldId);
				this.#parent.push(parent);
				this.#first.push(NO_NODE);
				this.#next.push(NO_NODE);
				if (cursor.gotoFirstChild()) {
					open.push(node);
					last[open.length] = NO_NODE;
					continue;
				}
				while (!cursor.gotoNextSibling()) {
					if (!cursor.gotoParent()) return;
					open.pop();
				}
			}
		} finally {
			cursor.delete();
		}
	}

	get size(): number {
		return this.#type.length;
	}

	/** Type of a node as the grammar names it; an anonymous token's type is its text. */
	type(node: NodeIndex): string {
		return this.#names[this.#type[node] ?? 0] ?? "ERROR";
	}

	start(node: NodeIndex): number {
		return this.#start[node] ?? 0;
	}

	end(node: NodeIndex): number {
		return this.#end[node] ?? 0;
	}

	source(node: NodeIndex): string {
		return this.text.slice(this.#start[node], this.#end[node]);
	}

	parent(node: NodeIndex): NodeIndex {
		return this.#parent[node] ?? NO_NODE;
	}

	first(node: NodeIndex): NodeIndex {
		return this.#first[node] ?? NO_NODE;
	}

	next(node: NodeIndex): NodeIndex {
		return this.#next[node] ?? NO_NODE;
	}

	/** The first child that stands in a field of the grammar. */
	child(node: NodeIndex, field: string): NodeIndex {
		const id = this.#fields.get(field);
		for (let child = this.first(node); child !== NO_NODE; child = this.next(child)) {
			if (this.#field[child] === id) return child;
		}
		return NO_NODE;
	}

	/** Is it more than a token, and no comment? */
	isNamed(node: NodeIndex): boolean {
		return this.#named[this.#type[node] ?? 0] ?? false;
	}

	/** All children that stand in a field, tokens and comments left out. */
	childrenIn(node: NodeIndex, field: string): readonly NodeIndex[] {
		const id = this.#fields.get(field);
		return this.children(node).filter((child) => this.#field[child] === id && this.isNamed(child));
	}

	/** Children without tokens and comments. */
	children(node: NodeIndex): readonly NodeIndex[] {
		const found: NodeIndex[] = [];
		for (let child = this.first(node); child !== NO_NODE; child = this.next(child)) {
			if (this.isNamed(child)) found.push(child);
		}
		return found;
	}

	/** Does a child of this type, or a token of this text, stand directly below? */
	has(node: NodeIndex, type: string): boolean {
		return this.find(node, type) !== NO_NODE;
	}

	find(node: NodeIndex, type: string): NodeIndex {
		for (let child = this.first(node); child !== NO_NODE; child = this.next(child)) {
			if (this.type(child) === type) return child;
		}
		return NO_NODE;
	}

	/** Is the node the child of its parent that stands in this field? */
	isField(node: NodeIndex, field: string): boolean {
		return this.#field[node] === this.#fields.get(field) && this.#field[node] !== undefined;
	}
}

interface GrammarNames {
	readonly names: readonly string[];
	readonly named: readonly boolean[];
	readonly fields: ReadonlyMap<string, number>;
}

const grammars = new WeakMap<Language, GrammarNames>();

function describeGrammar(language: Language): GrammarNames {
	let known = grammars.get(language);
	if (known === undefined) {
		const names: string[] = [];
		const named: boolean[] = [];
		for (let id = 0; id < language.nodeTypeCount; id++) {
			const name = language.nodeTypeForId(id) ?? "ERROR";
			names.push(name);
			named.push(language.nodeTypeIsNamed(id) && !name.endsWith("comment"));
		}
		const fields = new Map<string, number>();
		for (let id = 1; id <= language.fieldCount; id++) {
			const name = language.fieldNameForId(id);
			if (name !== null) fields.set(name, id);
		}
		known = { names, named, fields };
		grammars.set(language, known);
	}
	return known;
}
