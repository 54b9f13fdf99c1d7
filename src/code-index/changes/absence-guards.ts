import type { Definition, DefinitionRef, FileFacts, IndexContext, Occurrence } from "../types.ts";
import { hasWord } from "../word-search.ts";
import { bareType, containerOf } from "./shared-definitions.ts";
import type { ChangedVersions, TreeComparison } from "./tree-comparison.ts";

/** A use that is bound to nothing at the head, and what it was bound to. */
export interface LostUse {
	readonly path: string;
	readonly facts: FileFacts;
	readonly occurrence: Occurrence;
	readonly target: DefinitionRef;
	/** Changed files that the name could come from. */
	readonly files: readonly ChangedVersions[];
	readonly trees: TreeComparison;
	/** The tree before the change. */
	readonly base: IndexContext;
}

/** True when the name may be there in a way that the index cannot see: then nothing is said. */
export function isUncertainAbsence(lost: LostUse): boolean {
	return (
		lost.files.some((file) => file.head !== undefined && mayHoldUnseen(lost, file.head.path, file.head.facts)) ||
		mayBindUnseen(lost) ||
		mayInheritUnseen(lost) ||
		isGuarded(lost)
	);
}

/** The file as it is now may have the name all the same: from a wildcard that leads nowhere, or made at run time. */
function mayHoldUnseen(lost: LostUse, path: string, facts: FileFacts): boolean {
	const { name } = lost.occurrence;
	if (facts.hasErrors || facts.dynamicNames?.includes(name) === true) return true;
	if (facts.definitions.some((definition) => definition.name === "__getattr__" && definition.container === undefined)) return true;
	return leadsOutside(lost, path, facts) || (facts.grammar === "rust" && isMacroArgument(lost.trees.head.text(path) ?? "", name));
}

/** Rust: a macro that stands where items stand gets the name, and may define it. */
function isMacroArgument(text: string, name: string): boolean {
	for (const call of text.matchAll(/^(?:\w+::)*\w+!\s*[({[]/gm)) {
		const rest = text.slice(call.index + call[0].length);
		// The end of such a call stands at the start of a line again, or on its own line.
		const end = /^[)}\]]|[)}\]];?$/m.exec(rest);
		if (hasWord(end === null ? rest : rest.slice(0, end.index), name)) return true;
	}
	return false;
}

/** The file of the use may bind the name by a wildcard import of something that is not here. */
function mayBindUnseen(lost: LostUse): boolean {
	const { occurrence, facts, path } = lost;
	if (facts.dynamicNames?.includes(occurrence.name) === true) return true;
	return occurrence.receiver === undefined && occurrence.role !== "import" && leadsOutside(lost, path, facts);
}

/** A wildcard whose module is none of this tree. */
function leadsOutside(lost: LostUse, path: string, facts: FileFacts): boolean {
	const support = lost.trees.supportOf(path);
	if (support === undefined) return true;
	const modules = [
		...facts.imports.flatMap((entry) => (entry.kind === "wildcard" ? [entry.module] : [])),
		...facts.exports.flatMap((entry) => (entry.exported === "*" && entry.module !== undefined ? [entry.module] : [])),
	];
	return modules.some((module) => support.resolveModule(module, path, lost.trees.head).length === 0);
}

const TYPE_KIND = /^(class|interface|struct|enum|trait|type)$/;

/** Annotations of libraries that write members. */
const MEMBER_MAKERS =
	/^(?:lombok\.)?(?:Data|Getter|Setter|Value|Builder|SuperBuilder|With|Wither|Accessors|Delegate|AllArgsConstructor|NoArgsConstructor|RequiredArgsConstructor)\b/;

/** The member may come from a supertype that the index does not know, or be written by an annotation. */
function mayInheritUnseen(lost: LostUse): boolean {
	const before = lost.base.facts(lost.target.path);
	const member = before?.definitions[lost.target.definition];
	if (before === undefined || member === undefined) return true;
	const around = containerOf(before, member);
	const owner = member.owner ?? around?.name;
	if (owner === undefined || (member.owner === undefined && around?.kind === "module")) return false;
	// Members of an object that a variable holds: a type written beside it hides them.
	if (member.owner === undefined && !TYPE_KIND.test(around?.kind ?? "")) return true;
	const types = typesNamed(lost.trees.head, bareType(owner), lost.target.path, before);
	// The type is gone too or comes from elsewhere: its absence is told by itself, not once for each member.
	if (types.length === 0) return true;
	// Java: a member may not be less visible than what it hides, so no type outside has a visible one of this name.
	if (member.kind === "enumMember" || (before.grammar === "java" && !member.exported)) return false;
	return types.some(({ facts, definition }) => {
		if (definition.decorators?.some((text) => MEMBER_MAKERS.test(text)) === true) return true;
		return (definition.supertypes ?? []).some((supertype) => !isHarmlessSupertype(supertype, facts));
	});
}

/** Supertypes that surely bring no member of the name. */
function isHarmlessSupertype(supertype: string, facts: FileFacts): boolean {
	const name = bareType(supertype);
	if (facts.grammar === "python") return /^(object|Generic|Protocol|ABC|Enum|IntEnum|Exception|ValueError|RuntimeError)$/.test(name);
	if (facts.grammar === "java") return /^(Serializable|Cloneable|Comparable|AutoCloseable|Closeable|Runnable|Object)$/.test(name);
	return false;
}

function typesNamed(
	context: IndexContext,
	name: string,
	path: string,
	before: FileFacts,
): readonly { readonly facts: FileFacts; readonly definition: Definition }[] {
	const folder = path.slice(0, path.lastIndexOf("/") + 1);
	const paths = before.grammar === "go" ? context.paths.filter((other) => other.startsWith(folder) && other.endsWith(".go")) : [path];
	return paths.flatMap((one) => {
		const facts = context.facts(one);
		if (facts === undefined) return [];
		return facts.definitions
			.filter((definition) => definition.name === name && TYPE_KIND.test(definition.kind))
			.map((definition) => ({ facts, definition }));
	});
}

/** Python: under `try` or `if`, the author may have thought of the name being away. */
function isGuarded({ facts, occurrence, path, trees }: LostUse): boolean {
	if (facts.grammar !== "python") return false;
	const isImport = occurrence.role === "import";
	const lines = trees.head.text(path)?.split("\n") ?? [];
	let indent = indentOf(lines[occurrence.line - 1] ?? "");
	for (let row = occurrence.line - 2; row >= 0 && indent > 0; row--) {
		const line = lines[row] ?? "";
		if (line.trim() === "" || indentOf(line) >= indent) continue;
		indent = indentOf(line);
		if (/^\s*(if|elif)\b.*\b(hasattr|TYPE_CHECKING|version_info|VERSION|PY\d)\b/.test(line)) return true;
		if (isImport && /^\s*((if|elif)\b|(try|else|finally)\s*:|except\b)/.test(line)) return true;
		if (/^\s*try\s*:/.test(line) && catchesAbsence(lines, row + 1, indent)) return true;
	}
	return false;
}

/** Some `except` of the `try` takes what a missing name raises. */
function catchesAbsence(lines: readonly string[], from: number, indent: number): boolean {
	for (const line of lines.slice(from)) {
		if (line.trim() === "" || indentOf(line) > indent) continue;
		if (!/^\s*(except\b|else\s*:|finally\s*:)/.test(line)) return false;
		if (/^\s*except\s*:|^\s*except\b.*\b(NameError|AttributeError|ImportError)\b/.test(line)) return true;
	}
	return false;
}

function indentOf(line: string): number {
	return line.length - line.trimStart().length;
}
