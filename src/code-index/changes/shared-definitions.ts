import type { Definition, FileFacts } from "../types.ts";

const PRIVATE_KINDS: ReadonlySet<Definition["kind"]> = new Set(["parameter", "typeParameter", "label"]);
const TYPE_KINDS: ReadonlySet<Definition["kind"]> = new Set(["class", "interface", "struct", "enum", "trait", "type"]);

/** A definition that code elsewhere can name: of the file, a module or a type. */
export interface SharedDefinition {
	/** Position in the file's definitions. */
	readonly position: number;
	readonly definition: Definition;
	/** What it stands in and its name, joined with dots: the same on both sides of a change. */
	readonly key: string;
	/** Belongs to a type. */
	readonly isMember: boolean;
}

/** Every definition that is no local of a function. */
export function listShared(facts: FileFacts): readonly SharedDefinition[] {
	return facts.definitions.flatMap((definition, position) => {
		if (PRIVATE_KINDS.has(definition.kind) || isLocal(facts, definition)) return [];
		const isMember = definition.owner !== undefined || TYPE_KINDS.has(containerOf(facts, definition)?.kind ?? "label");
		return [{ position, definition, key: keyOf(facts, position), isMember }];
	});
}

/** Names of the containers and its own, outermost first. */
export function keyOf(facts: FileFacts, position: number): string {
	const names: string[] = [];
	let current: number | undefined = position;
	// A container stands before what it holds; the limit only guards against a cycle in broken facts.
	for (let depth = 0; current !== undefined && depth < 50; depth++) {
		const definition: Definition | undefined = facts.definitions[current];
		if (definition === undefined) break;
		names.unshift(definition.name);
		if (definition.owner !== undefined) names.unshift(bareType(definition.owner));
		current = definition.container;
	}
	return names.join(".");
}

/** A type's name without reference marks, type arguments and path. */
export function bareType(text: string): string {
	return (
		text
			.replace(/<.*$|\[.*$/s, "")
			.split(/::|\./)
			.at(-1)
			?.replace(/[^\p{L}\p{N}_$]/gu, "") ?? ""
	);
}

export function containerOf(facts: FileFacts, definition: Definition): Definition | undefined {
	return definition.container === undefined ? undefined : facts.definitions[definition.container];
}

function isLocal(facts: FileFacts, definition: Definition): boolean {
	for (let inner: Definition | undefined = containerOf(facts, definition), depth = 0; inner !== undefined && depth < 50; depth++) {
		if (inner.kind === "function" || inner.kind === "method" || inner.kind === "constructor") return true;
		inner = containerOf(facts, inner);
	}
	const scope = definition.scope === undefined ? undefined : facts.scopes[definition.scope];
	return scope !== undefined && (scope.kind === "function" || scope.kind === "block");
}
