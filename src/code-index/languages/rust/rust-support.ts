import type { FileFacts, IndexContext, LanguageSupport, OccurrenceRole, Resolution } from "../../types.ts";
import type { Meaning } from "../known-types.ts";
import { extractRustFacts } from "./extract-rust-facts.ts";
import type { Wanted } from "./rust-names.ts";
import { RustRules } from "./rust-rules.ts";

/**
 * Rust: modules, `use` trees and crates of the work space; members through declared types, impls and traits, in macro
 * bodies too (INDEX.md 3.4).
 */
export const RUST_SUPPORT: LanguageSupport = {
	id: "rust",
	grammars: ["rust"],
	version: 2,
	isExact: false,
	extract: extractRustFacts,
	resolve: resolveRust,
	resolveModule(specifier, path, context) {
		const file = new RustRules(context).fileOf(specifier.split("::"), path);
		return file === undefined ? [] : [file];
	},
};

const WANTED: Readonly<Record<OccurrenceRole, Wanted>> = { call: "value", read: "value", write: "value", type: "type", import: "any" };

function resolveRust(path: string, facts: FileFacts, index: number, context: IndexContext): Resolution {
	const occurrence = facts.occurrences[index];
	const receiver = facts.typing?.receivers[index];
	if (occurrence === undefined || receiver === undefined || receiver === false) return { kind: "unknown" };
	const rules = new RustRules(context);
	// On the way of a `use`, only modules and types can stand.
	const wanted = occurrence.role === "import" && occurrence.import === undefined ? "module" : WANTED[occurrence.role];
	if (receiver === null) return toResolution(rules.lookUp([occurrence.name], occurrence.index, path, wanted), "resolved");
	if (receiver.k === "scope") {
		return toResolution(rules.lookUp([...receiver.path, occurrence.name], occurrence.index, path, wanted), "resolved");
	}
	const type = rules.inference.typeOf(receiver, path);
	if (type === undefined) return { kind: "unknown" };
	return toResolution(
		rules.findMember(type, occurrence.name, occurrence.role === "call" ? occurrence.arguments?.count : undefined),
		"typed",
	);
}

function toResolution(meaning: Meaning | undefined, certainty: "resolved" | "typed"): Resolution {
	if (meaning === undefined || meaning.k === "module") return { kind: "unknown" };
	if (meaning.k === "external") return { kind: "external", evidence: meaning.evidence };
	return { kind: "found", targets: meaning.refs, certainty, evidence: meaning.evidence };
}
