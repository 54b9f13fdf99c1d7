import { bindingsIn, definitionAt } from "../../facts/scope-lookup.ts";
import type { Definition, DefinitionRef, IndexContext } from "../../types.ts";
import { isScript } from "./kinds.ts";

/** Declarations that every file sees: the top of scripts, which for TypeScript are mostly ambient `.d.ts` files. */
export function findGlobal(name: string, context: IndexContext, accepts: (definition: Definition) => boolean): readonly DefinitionRef[] {
	const all = context.memo(`typescript global ${name}`, () =>
		context
			.filesWithWord(name)
			.filter((file) => file.endsWith(".d.ts"))
			.flatMap((file) => {
				const facts = context.facts(file);
				if (facts === undefined || !isScript(facts)) return [];
				return (bindingsIn(facts, 0, name)?.definitions ?? []).map((definition) => ({ path: file, definition }));
			}),
	);
	return all.filter((ref) => {
		const facts = context.facts(ref.path);
		return facts !== undefined && accepts(definitionAt(facts, ref.definition));
	});
}
