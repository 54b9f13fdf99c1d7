import { definitionAt, membersOf } from "../../facts/scope-lookup.ts";
import type { DefinitionRef, IndexContext } from "../../types.ts";
import { supertypesOf } from "./members-of.ts";
import { withTypes } from "./type-context.ts";

/** Members of the same name in the types above the target's own: a call through them may reach it. */
export function relatedTypeScript(target: DefinitionRef, index: IndexContext): readonly DefinitionRef[] {
	const context = withTypes(index);
	const facts = context.facts(target.path);
	if (facts === undefined) return [];
	const definition = definitionAt(facts, target.definition);
	if (definition.container === undefined || definition.scope !== undefined || definition.kind === "constructor") return [];
	const found: DefinitionRef[] = [];
	const seen = new Set<string>();
	const climb = (owner: DefinitionRef): void => {
		const key = `${owner.path}:${owner.definition}`;
		const ownerFacts = context.facts(owner.path);
		if (seen.has(key) || ownerFacts === undefined || seen.size > 50) return;
		seen.add(key);
		for (const above of supertypesOf(ownerFacts, owner.path, owner.definition, context, 0)) {
			if (typeof above === "string") continue;
			const aboveFacts = context.facts(above.path);
			for (const member of aboveFacts === undefined ? [] : membersOf(aboveFacts, above.definition)) {
				if (aboveFacts !== undefined && definitionAt(aboveFacts, member).name === definition.name)
					found.push({ path: above.path, definition: member });
			}
			climb(above);
		}
	};
	climb({ path: target.path, definition: definition.container });
	return found;
}
