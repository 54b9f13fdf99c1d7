import type { DefinitionRef, IndexContext } from "../types.ts";
import { distinct, type FoundMember, type Place, type TypeContext, type Values } from "./values.ts";

/** Questions that one occurrence may cost; types that lead to each other without an end are given up then. */
const MAX_QUESTIONS = 300;

/** A language's ways to find out what an expression is. */
export interface TypeRules {
	evaluateText(text: string, place: Place, context: TypeContext, depth: number): Values;
	readType(text: string, place: Place, context: TypeContext, depth: number, self?: DefinitionRef): Values;
	findMember(values: Values, name: string, context: TypeContext, depth: number): FoundMember;
	valuesOfExport(file: string, name: string, context: TypeContext, depth: number): Values;
}

/** Joins the index with a language's rules; one context an index. */
export function createTypeContext(rules: TypeRules): (index: IndexContext) => TypeContext {
	const made = new WeakMap<IndexContext, TypeContext>();
	return (index) => {
		const before = made.get(index);
		if (before !== undefined) return before;
		let left = MAX_QUESTIONS;
		const bounded = (depth: number, ask: () => Values): Values => {
			if (depth === 0) left = MAX_QUESTIONS;
			left--;
			return left < 0 ? [] : distinct(ask());
		};
		const own: TypeContext = {
			...index,
			evaluateText: (text, place, depth) => bounded(depth, () => rules.evaluateText(text, place, own, depth)),
			readType: (text, place, depth, self) => bounded(depth, () => rules.readType(text, place, own, depth, self)),
			findMember: (values, name, depth) => rules.findMember(values, name, own, depth),
			valuesOfExport: (file, name, depth) => bounded(depth, () => rules.valuesOfExport(file, name, own, depth)),
		};
		made.set(index, own);
		return own;
	};
}
