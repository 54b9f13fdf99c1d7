import type { Expression, TypeExpression } from "./expressions.ts";

/*
 * What a file's text says about types, beside its plain facts: enough to follow a receiver through declared types,
 * constructors, fields and results (INDEX.md 3.4). Plain data, kept with the facts. Offsets in UTF-16 units.
 */

export interface TypedDefinition {
	readonly name: string;
	/** Where the name stands. */
	readonly at: number;
	/** Scope in which the bare name is known; -1 when it is reached through a receiver only. */
	readonly scope: number;
	/** The bare name is known from this offset on; 0 when order does not matter. */
	readonly from: number;
	/** What the name is: `function`, `type`, `value`, `typeParameter`. Constructors and methods are functions. */
	readonly sort: "function" | "type" | "value" | "typeParameter" | "module";
	/** Of a member: offset of the struct, interface or class body, or the impl, that it belongs to. */
	readonly owner?: number;
	/** Of a member declared outside its type: the type. */
	readonly receiver?: TypeExpression;
	/** Of a value its type, of a function its result, of a type what it is made of or stands for. */
	readonly type?: TypeExpression;
	/** The value that it starts with, when no type is written. */
	readonly value?: Expression;
	/** Names of its type parameters, in order. */
	readonly generics?: readonly string[];
	/** Of a type: whose members it takes over. */
	readonly bases?: readonly TypeExpression[];
	/** Another name of `type`, not a type of its own. */
	readonly alias?: boolean;
	readonly isStatic?: boolean;
}

export interface TypingFacts {
	/** Those of the facts, at the same positions, then names that exist only to tell a type in a part of the file. */
	readonly definitions: readonly TypedDefinition[];
	/** At the positions of the facts' occurrences: what stands before the dot; null for a bare name, false when its type cannot be told. */
	readonly receivers: readonly (Expression | null | false)[];
}
