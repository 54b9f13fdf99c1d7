/**
 * What a type or an expression looks like, as far as it helps to tell the type of a receiver: plain data, so that it can
 * be kept with a file's facts. `at` is the offset where a name stands: its meaning depends on the scope there.
 */

/** A type as written. Pointers, references and qualifiers are left out: members are found through them. */
export type TypeExpression =
	| { readonly k: "name"; readonly path: readonly string[]; readonly at: number; readonly args?: readonly TypeExpression[] }
	/** Slice, array, channel: something with elements; those of a channel have no position. */
	| { readonly k: "list"; readonly of: TypeExpression; readonly isChannel?: boolean }
	| { readonly k: "map"; readonly key: TypeExpression; readonly of: TypeExpression }
	| { readonly k: "tuple"; readonly of: readonly TypeExpression[] }
	| { readonly k: "function"; readonly result: TypeExpression | undefined }
	/** A type with members of its own, written at `at`: a struct or an interface. `embeds` are types whose members it takes over. */
	| { readonly k: "body"; readonly at: number; readonly embeds: readonly TypeExpression[] };

export type Expression =
	| { readonly k: "name"; readonly name: string; readonly at: number }
	/** A qualified name, such as Rust's `a::b`. */
	| { readonly k: "path"; readonly path: readonly string[]; readonly at: number; readonly args?: readonly TypeExpression[] }
	| { readonly k: "member"; readonly of: Expression; readonly name: string; readonly args?: number }
	| { readonly k: "call"; readonly of: Expression; readonly args: number }
	/** Not a value: what a qualified name stands in, such as `a::b` of `a::b::C`. */
	| { readonly k: "scope"; readonly path: readonly string[]; readonly at: number }
	/** A literal of, a cast to, or a new object of a type. */
	| { readonly k: "typed"; readonly type: TypeExpression }
	/** Element of a list or map: by index, by iteration, from a channel. */
	| { readonly k: "element"; readonly of: Expression }
	/** Key of a map, or position in a list. */
	| { readonly k: "key"; readonly of: Expression }
	| { readonly k: "nth"; readonly of: Expression; readonly n: number }
	/** What is left once a wrapper is taken off: Rust's `?` and `.await`. */
	| { readonly k: "unwrap"; readonly of: Expression; readonly by: "try" | "await" }
	/** The object of the enclosing type: Java's `this` and `super`. */
	| { readonly k: "self"; readonly at: number; readonly super?: boolean };

/** A qualified name as an expression, `a.b.C`; undefined for an empty one. */
export function qualify(path: readonly string[], at: number): Expression | undefined {
	const [first, ...rest] = path;
	if (first === undefined) return undefined;
	return rest.reduce<Expression>((of, name) => ({ k: "member", of, name }), { k: "name", name: first, at });
}
