import { createLineTable, type LineTable } from "../facts/line-table.ts";
import { squeeze } from "../facts/squeeze.ts";
import type { GrammarId } from "../grammars.ts";
import type { Definition, DefinitionKind, FileFacts, Import, Occurrence, OccurrenceRole, Parameters, Scope } from "../types.ts";
import type { Expression } from "./expressions.ts";
import type { TypedDefinition } from "./typing-facts.ts";

export interface NewDefinition extends Omit<TypedDefinition, "scope" | "from"> {
	readonly kind: DefinitionKind;
	/** The whole declaration. */
	readonly start: number;
	readonly end: number;
	/** Where its body begins; the signature stands before it. */
	readonly body?: number;
	readonly exported: boolean;
	readonly scope?: number;
	readonly from?: number;
	readonly parameters?: Parameters;
	/** Its type as written. */
	readonly typeText?: string;
	readonly ownerText?: string;
	readonly trait?: string;
	readonly supertypes?: readonly string[];
	readonly decorators?: readonly string[];
	readonly conditional?: boolean;
	/** Tells a type in a part of the file only; declares nothing. */
	readonly hidden?: boolean;
}

export interface NewOccurrence {
	readonly name: string;
	readonly at: number;
	readonly role: OccurrenceRole;
	/** What stands before the dot; false when it cannot be told. */
	readonly receiver?: Expression | false;
	readonly receiverText?: string;
	readonly isKey?: boolean;
	readonly args?: number;
	readonly spread?: boolean;
	readonly isConstruction?: boolean;
	readonly import?: number;
}

interface Placed<T> {
	readonly value: T;
	readonly scope: number;
	readonly enclosing: number;
}

/** Collects the facts of one file while its tree is walked; knows the scope and the definition that the walk is in. */
export class TypedFactsBuilder {
	readonly text: string;
	readonly #lines: LineTable;
	readonly #definitions: (Placed<NewDefinition> & { readonly container: number })[] = [];
	readonly #occurrences: Placed<NewOccurrence>[] = [];
	readonly #scopes: Scope[] = [];
	readonly #imports: Import[] = [];
	readonly #known = new Set<string>();
	package: string | undefined;
	/** Index of the innermost open scope. */
	scope = -1;
	/** Index of the innermost open definition; final only once the facts are built. */
	enclosing = -1;

	constructor(text: string) {
		this.text = text;
		this.#lines = createLineTable(text);
	}

	inScope(kind: Scope["kind"], start: number, end: number, inside: () => void): void {
		const before = this.scope;
		const parent = before === -1 ? {} : { parent: before };
		this.#scopes.push({ ...parent, kind, startIndex: start, endIndex: end });
		this.scope = this.#scopes.length - 1;
		inside();
		this.scope = before;
	}

	inDefinition(definition: number, inside: () => void): void {
		const before = this.enclosing;
		this.enclosing = definition;
		inside();
		this.enclosing = before;
	}

	/** Adds a definition, by default known in the whole open scope. */
	define(definition: NewDefinition): number {
		const scope = definition.scope ?? this.scope;
		this.#known.add(`${scope}\0${definition.name}`);
		this.#definitions.push({ value: definition, scope, enclosing: this.enclosing, container: this.enclosing });
		return this.#definitions.length - 1;
	}

	/** Does this scope itself know the name already? */
	knows(scope: number, name: string): boolean {
		return this.#known.has(`${scope}\0${name}`);
	}

	use(occurrence: NewOccurrence): void {
		this.#occurrences.push({ value: occurrence, scope: this.scope, enclosing: this.enclosing });
	}

	import(found: Omit<Import, "scope" | "line">): number {
		this.#imports.push({ ...found, scope: Math.max(0, this.scope), line: this.#lines.at(found.index).line });
		return this.#imports.length - 1;
	}

	build(grammar: GrammarId, hasErrors: boolean): FileFacts {
		const order = this.#definitions.map((_, index) => index);
		const rank = (index: number): number => (this.#definitions[index]?.value.hidden === true ? 1 : 0);
		const at = (index: number): number => this.#definitions[index]?.value.at ?? 0;
		order.sort((a, b) => rank(a) - rank(b) || at(a) - at(b) || a - b);
		const moved = new Map(order.map((from, to) => [from, to]));
		const placed = order.flatMap((index) => this.#definitions[index] ?? []);
		const occurrences = [...this.#occurrences].sort((a, b) => a.value.at - b.value.at);
		return {
			grammar,
			...(this.package === undefined ? {} : { package: this.package }),
			definitions: placed.filter(({ value }) => value.hidden !== true).map((one) => this.#toDefinition(one, moved)),
			occurrences: occurrences.map((one) => this.#toOccurrence(one, moved)),
			imports: this.#imports,
			exports: [],
			scopes: this.#scopes,
			hasErrors,
			typing: {
				definitions: placed.map(({ value, scope }) => toTyped(value, scope)),
				receivers: occurrences.map(({ value }) => value.receiver ?? null),
			},
		};
	}

	#toDefinition(
		{ value, scope, container }: Placed<NewDefinition> & { readonly container: number },
		moved: ReadonlyMap<number, number>,
	): Definition {
		const around = moved.get(container);
		return {
			name: value.name,
			kind: value.kind,
			...this.#lines.at(value.at),
			index: value.at,
			startLine: this.#lines.at(value.start).line,
			endLine: this.#lines.at(value.end).line,
			startIndex: value.start,
			endIndex: value.end,
			exported: value.exported,
			signature: squeeze(this.text.slice(value.start, value.body ?? value.end)),
			...(around === undefined ? {} : { container: around }),
			...(value.ownerText === undefined ? {} : { owner: value.ownerText }),
			...(value.trait === undefined ? {} : { trait: value.trait }),
			...(scope === -1 ? {} : { scope }),
			...(value.isStatic === true ? { isStatic: true } : {}),
			...(value.parameters === undefined ? {} : { parameters: value.parameters }),
			...(value.typeText === undefined ? {} : { type: { form: "annotation" as const, text: squeeze(value.typeText) } }),
			...(value.supertypes === undefined ? {} : { supertypes: value.supertypes }),
			...(value.conditional === true ? { conditional: true } : {}),
			...(value.decorators === undefined ? {} : { decorators: value.decorators }),
		};
	}

	#toOccurrence({ value, scope, enclosing }: Placed<NewOccurrence>, moved: ReadonlyMap<number, number>): Occurrence {
		const around = moved.get(enclosing);
		return {
			name: value.name,
			...this.#lines.at(value.at),
			index: value.at,
			role: value.role,
			scope: Math.max(0, scope),
			...(value.receiverText === undefined ? {} : { receiver: squeeze(value.receiverText) }),
			...(value.isKey === true ? { isKey: true } : {}),
			...(value.args === undefined ? {} : { arguments: { count: value.args, spread: value.spread === true } }),
			...(value.isConstruction === true ? { isConstruction: true } : {}),
			...(around === undefined ? {} : { enclosing: around }),
			...(value.import === undefined ? {} : { import: value.import }),
		};
	}
}

function toTyped(value: NewDefinition, scope: number): TypedDefinition {
	return {
		name: value.name,
		at: value.at,
		scope,
		from: value.from ?? 0,
		sort: value.sort,
		...(value.owner === undefined ? {} : { owner: value.owner }),
		...(value.receiver === undefined ? {} : { receiver: value.receiver }),
		...(value.type === undefined ? {} : { type: value.type }),
		...(value.value === undefined ? {} : { value: value.value }),
		...(value.generics === undefined ? {} : { generics: value.generics }),
		...(value.bases === undefined ? {} : { bases: value.bases }),
		...(value.alias === true ? { alias: true } : {}),
		...(value.isStatic === true ? { isStatic: true } : {}),
	};
}
