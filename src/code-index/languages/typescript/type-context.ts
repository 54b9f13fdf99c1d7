import type { IndexContext } from "../../types.ts";
import type { TypeContext } from "../values.ts";
import { evaluateText, valuesOfExport } from "./evaluate.ts";
import { findMember } from "./members-of.ts";
import { readType } from "./read-type.ts";

const made = new WeakMap<IndexContext, TypeContext>();

/** The index with TypeScript's ways to find out what an expression is. */
export function withTypes(index: IndexContext): TypeContext {
	let context = made.get(index);
	if (context === undefined) {
		const own: TypeContext = {
			...index,
			evaluateText: (text, place, depth) => evaluateText(text, place, own, depth),
			readType: (text, place, depth, self) => readType(text, place, own, depth, self),
			findMember: (values, name, depth) => findMember(values, name, own, depth),
			valuesOfExport: (file, name, depth) => valuesOfExport(file, name, own, depth),
		};
		context = own;
		made.set(index, own);
	}
	return context;
}
