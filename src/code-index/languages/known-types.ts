import type { DefinitionRef } from "../types.ts";
import type { TypeExpression } from "./expressions.ts";

/** What the type parameters of a declaration stand for; undefined for one that its caller chose and nobody knows. */
export type Substitution = ReadonlyMap<string, KnownType | undefined>;

/** The type of an expression, as far as the sources of the repository tell. */
export type KnownType =
	/** A type that the repository declares. */
	| { readonly k: "declared"; readonly ref: DefinitionRef; readonly args: readonly (KnownType | undefined)[] }
	/** A type written in place: a struct or interface without a name. */
	| {
			readonly k: "body";
			readonly path: string;
			readonly at: number;
			readonly embeds: readonly TypeExpression[];
			readonly with: Substitution;
	  }
	/** A type from outside the repository; the name as written. */
	| { readonly k: "external"; readonly name: string; readonly args: readonly (KnownType | undefined)[] }
	| { readonly k: "list"; readonly of: KnownType | undefined; readonly isChannel?: boolean }
	| { readonly k: "map"; readonly key: KnownType | undefined; readonly of: KnownType | undefined }
	| { readonly k: "tuple"; readonly of: readonly (KnownType | undefined)[] }
	/** A value that can be called. */
	| { readonly k: "function"; readonly result: KnownType | undefined }
	/** A function or method of the repository, not called yet; several for overloads. */
	| { readonly k: "callable"; readonly refs: readonly DefinitionRef[]; readonly with: Substitution }
	/** The type itself, where a value could stand. */
	| { readonly k: "static"; readonly type: KnownType }
	/** A package or module; the id is the language's own. */
	| { readonly k: "module"; readonly id: string };

/** What a name means. */
export type Meaning =
	| { readonly k: "found"; readonly refs: readonly DefinitionRef[]; readonly evidence: string; readonly with?: Substitution }
	| { readonly k: "module"; readonly id: string; readonly evidence: string }
	/** Nothing of this repository. */
	| { readonly k: "external"; readonly evidence: string };

export const NOTHING: Substitution = new Map();
