import { createHash } from "node:crypto";
import { listShared } from "../../src/code-index/changes/shared-definitions.ts";
import type { Definition, IndexContext } from "../../src/code-index/types.ts";
import { isOutsideSearch } from "../../src/tools/diagnosis/find-stale-uses.ts";

export type SeedKind = "delete" | "rename" | "arity";

/** A function whose name is defined once in the repository and called in another place. */
export interface SeedTarget {
	readonly path: string;
	readonly line: number;
	/** As called. */
	readonly name: string;
	readonly definitionName: string;
	readonly definition: Definition;
}

/** Numbers that are the same for the same seed on every machine. */
export function createRandom(seed: string): { shuffle<T>(items: readonly T[]): readonly T[] } {
	const rank = (index: number) => createHash("sha256").update(`${seed}\0${index}`).digest("hex");
	return {
		shuffle: (items) =>
			items
				.map((item, index) => ({ item, rank: rank(index) }))
				.sort((a, b) => (a.rank < b.rank ? -1 : 1))
				.map(({ item }) => item),
	};
}

/** Free functions (and static methods, the free functions of Java); with `methods` the other methods instead. */
export function listTargets(tree: IndexContext, methods: boolean): readonly SeedTarget[] {
	const counts = new Map<string, number>();
	const called = new Map<string, number>();
	const candidates: SeedTarget[] = [];
	for (const path of tree.paths) {
		const facts = tree.facts(path);
		if (facts === undefined) continue;
		for (const definition of facts.definitions) counts.set(definition.name, (counts.get(definition.name) ?? 0) + 1);
		for (const use of facts.occurrences) if (use.role === "call") called.set(use.name, (called.get(use.name) ?? 0) + 1);
		if (isOutsideSearch(path, tree.text(path)) || facts.hasErrors) continue;
		for (const { definition } of listShared(facts)) {
			const isFree = definition.kind === "function" || (definition.kind === "method" && definition.isStatic === true);
			if (definition.kind !== "function" && definition.kind !== "method") continue;
			if (isFree === methods || definition.parameters === undefined || definition.conditional === true) continue;
			candidates.push({ path, line: definition.line, name: definition.name, definitionName: definition.name, definition });
		}
	}
	return candidates.filter((one) => counts.get(one.name) === 1 && (called.get(one.name) ?? 0) > 0 && isCalledOutside(one, tree));
}

/** Recursion alone is no use that a deletion breaks. */
function isCalledOutside(target: SeedTarget, tree: IndexContext): boolean {
	return tree.filesWithWord(target.name).some((path) => {
		if (isOutsideSearch(path, tree.text(path))) return false;
		return tree
			.facts(path)
			?.occurrences.some(
				(use) =>
					use.name === target.name &&
					use.role === "call" &&
					!(path === target.path && use.index >= target.definition.startIndex && use.index < target.definition.endIndex),
			);
	});
}

/** The file's text with the breakage; undefined when this kind does not fit the function. */
export function seedBreakage({ definition, path, name }: SeedTarget, kind: SeedKind, tree: IndexContext): string | undefined {
	const text = tree.text(path) ?? "";
	if (kind === "rename") return `${text.slice(0, definition.index)}${name}Renamed${text.slice(definition.index + name.length)}`;
	if (kind === "delete") return `${text.slice(0, startWithAttributes(text, definition.startIndex))}${text.slice(definition.endIndex)}`;
	// What takes any number of arguments takes one more as well.
	if (definition.parameters?.variadic === true) return undefined;
	const open = text.indexOf("(", definition.index + name.length);
	if (open === -1 || open > definition.endIndex || !/^[\s<\w,[\]:'?>&+=]*$/.test(text.slice(definition.index + name.length, open)))
		return undefined;
	const rest = text.slice(open + 1);
	const receiver = /^\s*(?:&\s*(?:'\w+\s+)?(?:mut\s+)?self|mut\s+self|self|cls)\s*(?::[^,)]*)?(,\s*|(?=\)))/.exec(rest)?.[0] ?? "";
	const isMethod = /\b(self|cls)\b/.test(receiver);
	const at = open + 1 + (isMethod ? receiver.length : 0);
	const comma = isMethod && !receiver.includes(",") ? ", " : "";
	const end = text.slice(at).trimStart().startsWith(")") ? "" : ", ";
	return `${text.slice(0, at)}${comma}${newParameter(path)}${end}${text.slice(at)}`;
}

/** Attributes and documentation on the lines above go with the definition: Rust's grammar has them beside it. */
function startWithAttributes(text: string, start: number): number {
	let line = text.lastIndexOf("\n", start - 1) + 1;
	if (text.slice(line, start).trim() !== "") return start;
	for (let above = line; above > 0; ) {
		above = text.lastIndexOf("\n", above - 2) + 1;
		if (!/^\s*(#\[.*\]|\/\/\/.*)$/.test(text.slice(above, line - 1))) return line;
		line = above;
	}
	return line;
}

function newParameter(path: string): string {
	if (/\.go$/.test(path)) return "seeded int";
	if (/\.rs$/.test(path)) return "seeded: u32";
	if (/\.java$/.test(path)) return "int seeded";
	return /\.[cm]?tsx?$/.test(path) ? "seeded: number" : "seeded";
}
