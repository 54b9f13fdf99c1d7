import type { DefinitionRef, FileFacts, IndexContext, LanguageSupport, Occurrence, Resolution } from "../../types.ts";
import type { KnownType, Meaning } from "../known-types.ts";
import { extractJavaFacts } from "./extract-java-facts.ts";
import { findClass } from "./java-classes.ts";
import { JavaRules } from "./java-rules.ts";

/**
 * Java: classes by package and import, members through declared types, class hierarchy and number of arguments
 * (INDEX.md 3.4).
 */
export const JAVA_SUPPORT: LanguageSupport = {
	id: "java",
	grammars: ["java"],
	version: 1,
	isExact: false,
	extract: (tree, text) => extractJavaFacts(tree, text),
	resolve: resolveJava,
	resolveModule(specifier, _path, context) {
		const split = specifier.lastIndexOf(".");
		return findClass(specifier.slice(0, Math.max(0, split)), specifier.slice(split + 1), context).map((ref) => ref.path);
	},
};

function resolveJava(path: string, facts: FileFacts, index: number, context: IndexContext): Resolution {
	const occurrence = facts.occurrences[index];
	const receiver = facts.typing?.receivers[index];
	if (occurrence === undefined || receiver === undefined || receiver === false) return { kind: "unknown" };
	const rules = new JavaRules(context);
	if (receiver === null) return resolveBare(path, occurrence, rules);
	const type = rules.inference.typeOf(receiver, path);
	if (occurrence.isKey === true && occurrence.role === "read" && type?.k !== "declared") {
		return toResolution(rules.lookUpBare(occurrence.name, occurrence.index, path), "resolved");
	}
	if (type === undefined) return { kind: "unknown" };
	const args = occurrence.arguments?.count;
	if (occurrence.isConstruction === true) return resolveCreation(type, occurrence, args ?? 0, receiver.k === "self", rules);
	const certainty = type.k === "module" || type.k === "static" ? "resolved" : "typed";
	const meaning = rules.findMember(type, occurrence.name, args);
	if (occurrence.isKey === true && meaning?.k !== "found") {
		return toResolution(rules.lookUpBare(occurrence.name, occurrence.index, path), "resolved");
	}
	return toResolution(meaning, certainty);
}

function resolveBare(path: string, occurrence: Occurrence, rules: JavaRules): Resolution {
	const at = occurrence.index;
	if (occurrence.isConstruction === true) {
		const type = rules.lookUpType([occurrence.name], at, path);
		return withConstructors(type, occurrence.arguments?.count ?? 0, rules);
	}
	if (occurrence.role === "type") return toResolution(rules.lookUpType([occurrence.name], at, path), "resolved");
	if (occurrence.role === "call")
		return toResolution(rules.lookUpValue([occurrence.name], at, path, occurrence.arguments?.count ?? 0), "resolved");
	return toResolution(rules.lookUpBare(occurrence.name, at, path), "resolved");
}

/** A creation uses the type and one of its constructors; `this(…)` and `super(…)` only the latter. */
function resolveCreation(type: KnownType, occurrence: Occurrence, args: number, isCall: boolean, rules: JavaRules): Resolution {
	if (!isCall) return withConstructors(rules.findMember(type, occurrence.name, undefined), args, rules);
	if (type.k !== "declared") return { kind: "external", evidence: "extends something from outside" };
	const targets = rules.constructorsOf(type.ref, args);
	if (targets.length === 0) return { kind: "external", evidence: "no written constructor" };
	return { kind: "found", targets, certainty: "resolved", evidence: `constructor of ${occurrence.name}` };
}

function withConstructors(meaning: Meaning | undefined, args: number, rules: JavaRules): Resolution {
	const plain = toResolution(meaning, "resolved");
	if (plain.kind !== "found") return plain;
	const constructors: readonly DefinitionRef[] = plain.targets.flatMap((target) => rules.constructorsOf(target, args));
	return { ...plain, targets: [...plain.targets, ...constructors] };
}

function toResolution(meaning: Meaning | undefined, certainty: "resolved" | "typed"): Resolution {
	if (meaning === undefined || meaning.k === "module") return { kind: "unknown" };
	if (meaning.k === "external") return { kind: "external", evidence: meaning.evidence };
	return { kind: "found", targets: meaning.refs, certainty, evidence: meaning.evidence };
}
