import { squeeze } from "../facts/squeeze.ts";
import type { IndexState } from "../index-state.ts";
import type { FileFacts, ReferenceHit } from "../types.ts";
import { describeSymbol } from "./describe-symbol.ts";

/** A use of a name as answers show it. */
export function describeHit(
	state: IndexState,
	path: string,
	facts: FileFacts,
	number: number,
	judged: Pick<ReferenceHit, "certainty" | "evidence">,
): ReferenceHit {
	const occurrence = facts.occurrences[number];
	if (occurrence === undefined) throw new Error(`there is no occurrence ${number}`);
	const { line, column, index, role, enclosing } = occurrence;
	return {
		...{ path, line, column, index, role, ...judged },
		text: lineAround(state.context.text(path) ?? "", index),
		...(enclosing === undefined ? {} : { enclosing: describeSymbol({ path, definition: enclosing }, facts) }),
		...(occurrence.arguments === undefined ? {} : { arguments: occurrence.arguments }),
	};
}

function lineAround(text: string, index: number): string {
	const end = text.indexOf("\n", index);
	return squeeze(text.slice(text.lastIndexOf("\n", index - 1) + 1, end === -1 ? text.length : end));
}
