import type { FileFacts } from "../types.ts";
import type { TypedDefinition } from "./typing-facts.ts";

const byName = new WeakMap<FileFacts, ReadonlyMap<string, readonly number[]>>();

/** Positions of the definitions of a name in a file's facts. */
export function definitionsNamed(facts: FileFacts, name: string): readonly number[] {
	let known = byName.get(facts);
	if (known === undefined) {
		const made = new Map<string, number[]>();
		facts.typing?.definitions.forEach((definition, index) => {
			const list = made.get(definition.name);
			if (list === undefined) made.set(definition.name, [index]);
			else list.push(index);
		});
		known = made;
		byName.set(facts, known);
	}
	return known.get(name) ?? [];
}

export function typedDefinition(facts: FileFacts, index: number): TypedDefinition | undefined {
	return facts.typing?.definitions[index];
}

/**
 * The definition that the scopes around an offset give to a bare name; undefined when only the file's own scope, or
 * none, knows it. The innermost scope wins, and in it the last one declared before the offset.
 */
export function findLocal(
	facts: FileFacts,
	name: string,
	at: number,
	accepts?: (definition: TypedDefinition) => boolean,
): number | undefined {
	let best: number | undefined;
	let bestStart = -1;
	let bestFrom = -1;
	for (const index of definitionsNamed(facts, name)) {
		const definition = typedDefinition(facts, index);
		if (definition === undefined || definition.scope <= 0 || definition.from > at) continue;
		const scope = facts.scopes[definition.scope];
		if (scope === undefined || at < scope.startIndex || at >= scope.endIndex) continue;
		if (accepts !== undefined && !accepts(definition)) continue;
		if (scope.startIndex < bestStart || (scope.startIndex === bestStart && definition.from < bestFrom)) continue;
		best = index;
		bestStart = scope.startIndex;
		bestFrom = definition.from;
	}
	return best;
}
