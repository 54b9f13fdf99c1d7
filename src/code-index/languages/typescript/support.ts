import path from "node:path";
import { definitionAt } from "../../facts/scope-lookup.ts";
import type { DefinitionRef, IndexContext, LanguageSupport } from "../../types.ts";
import { extractTypeScript } from "./extract.ts";
import { resolveTypeScriptModule } from "./module-paths.ts";
import { relatedTypeScript } from "./related.ts";
import { resolveTypeScript } from "./resolve.ts";

/** TypeScript and JavaScript, JSX included (INDEX.md 0: scopes, the graph of imports and exports, declared types). */
export const TYPESCRIPT_SUPPORT: LanguageSupport = {
	id: "typescript",
	grammars: ["typescript", "tsx", "javascript"],
	version: 1,
	isExact: true,
	extract: (tree, text, _parse, grammar) => extractTypeScript(tree, text, grammar),
	resolve: resolveTypeScript,
	resolveModule: resolveTypeScriptModule,
	related: relatedTypeScript,
	searchWords,
};

/** A default export is imported under any name: who imports it names the module's file or folder. */
function searchWords(target: DefinitionRef, context: IndexContext): readonly string[] {
	const facts = context.facts(target.path);
	if (facts === undefined) return [];
	const { name } = definitionAt(facts, target.definition);
	const isDefault = facts.exports.some((entry) => (entry.exported === "default" || entry.exported === "export=") && entry.local === name);
	if (!isDefault) return [];
	const stem = path.posix.basename(target.path).replace(/\.d\.ts$|\.[cm]?[jt]sx?$/, "");
	return stem === "index" ? [path.posix.basename(path.posix.dirname(target.path))].filter((word) => word !== ".") : [stem];
}
