import { createTypeContext } from "../type-context.ts";
import { evaluateText, valuesOfExport } from "./evaluate.ts";
import { findMember } from "./members-of.ts";
import { readType } from "./read-type.ts";

/** The index with TypeScript's ways to find out what an expression is. */
export const withTypes = createTypeContext({ evaluateText, readType, findMember, valuesOfExport });
