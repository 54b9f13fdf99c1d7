import { skipBrackets } from "./expression.ts";

/** Splits at separators that stand outside of brackets and quotes. */
export function splitTop(text: string, separators: string): readonly string[] {
	const parts: string[] = [];
	let start = 0;
	for (let index = 0; index < text.length; index++) {
		const char = text[index] ?? "";
		if ("([{<".includes(char) || "\"'`".includes(char)) {
			const end = skipBrackets(text, index);
			if (end === undefined) break;
			index = end - 1;
		} else if (separators.includes(char)) {
			parts.push(text.slice(start, index).trim());
			start = index + 1;
		}
	}
	return [...parts, text.slice(start).trim()];
}
