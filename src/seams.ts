/*
 * Every interface to the outside, with its failure contract. Adapters implement these; the pure middle
 * only knows the types. Expected failure is a value, misuse is a throw (principle 5 of the style guide).
 */

export type * from "./seams/model.ts";
export type * from "./seams/git.ts";
export type * from "./seams/tools.ts";
export type * from "./seams/github.ts";
export type * from "./seams/output.ts";
