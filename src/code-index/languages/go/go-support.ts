import type { FileFacts, IndexContext, LanguageSupport, Resolution } from "../../types.ts";
import type { KnownType, Meaning } from "../known-types.ts";
import { extractGoFacts } from "./extract-go-facts.ts";
import { folderOfImport, goFilesOf } from "./go-packages.ts";
import { GoRules } from "./go-rules.ts";

/**
 * Go: packages are folders, import paths are found through the module lines of all go.mod files; members through the
 * declared types of receivers, embedded types included (INDEX.md 3.4).
 */
export const GO_SUPPORT: LanguageSupport = {
	id: "go",
	grammars: ["go"],
	version: 1,
	isExact: false,
	extract: (tree, text) => extractGoFacts(tree, text),
	resolve: resolveGo,
	resolveModule(specifier, _path, context) {
		const folder = folderOfImport(specifier, context);
		return folder === undefined ? [] : goFilesOf(folder, context).filter((file) => !file.endsWith("_test.go"));
	},
};

function resolveGo(path: string, facts: FileFacts, index: number, context: IndexContext): Resolution {
	const occurrence = facts.occurrences[index];
	const receiver = facts.typing?.receivers[index];
	if (occurrence === undefined || receiver === undefined) return { kind: "unknown" };
	const rules = new GoRules(context);
	if (receiver === null) return toResolution(rules.lookUpValue([occurrence.name], occurrence.index, path), "resolved");
	if (receiver === false) return { kind: "unknown" };
	const type = rules.inference.typeOf(receiver, path);
	if (type === undefined) {
		// A bare name that means nothing here is a package or a variable from outside.
		if (receiver.k !== "name") return { kind: "unknown" };
		const meaning = rules.lookUpValue([receiver.name], receiver.at, path);
		return meaning?.k === "external" ? { kind: "external", evidence: meaning.evidence } : { kind: "unknown" };
	}
	if (occurrence.isKey === true && hasKeys(type, rules)) {
		return toResolution(rules.lookUpValue([occurrence.name], occurrence.index, path), "resolved");
	}
	if (occurrence.isKey === true && type.k === "external") {
		// Braces of a type from outside: a struct has exported fields, a map may have any expression as its key.
		const meaning = rules.lookUpValue([occurrence.name], occurrence.index, path);
		if (meaning?.k === "found") return /^\p{Lu}/u.test(occurrence.name) ? { kind: "unknown" } : toResolution(meaning, "resolved");
	}
	return toResolution(rules.findMember(type, occurrence.name), type.k === "module" ? "resolved" : "typed");
}

/** In braces that make a map or list, a key is an expression. */
function hasKeys(type: KnownType, rules: GoRules): boolean {
	if (type.k === "map" || type.k === "list") return true;
	const made = type.k === "declared" ? rules.inference.definition(type.ref)?.type : undefined;
	return made?.k === "map" || made?.k === "list";
}

function toResolution(meaning: Meaning | undefined, certainty: "resolved" | "typed"): Resolution {
	if (meaning === undefined || meaning.k === "module") return { kind: "unknown" };
	if (meaning.k === "external") return { kind: "external", evidence: meaning.evidence };
	return { kind: "found", targets: meaning.refs, certainty, evidence: meaning.evidence };
}
