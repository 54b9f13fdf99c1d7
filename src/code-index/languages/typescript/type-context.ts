import type { IndexContext } from "../../types.ts";
import { distinct, type TypeContext, type Values } from "../values.ts";
import { evaluateText, valuesOfExport } from "./evaluate.ts";
import { findMember } from "./members-of.ts";
import { readType } from "./read-type.ts";

/** Questions that one occurrence may cost; types that lead to each other without an end are given up then. */
const MAX_QUESTIONS = 300;

const made = new WeakMap<IndexContext, TypeContext>();

/** The index with TypeScript's ways to find out what an expression is. */
export function withTypes(index: IndexContext): TypeContext {
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
		evaluateText: (text, place, depth) => bounded(depth, () => evaluateText(text, place, own, depth)),
		readType: (text, place, depth, self) => bounded(depth, () => readType(text, place, own, depth, self)),
		findMember: (values, name, depth) => findMember(values, name, own, depth),
		valuesOfExport: (file, name, depth) => bounded(depth, () => valuesOfExport(file, name, own, depth)),
	};
	made.set(index, own);
	return own;
}
