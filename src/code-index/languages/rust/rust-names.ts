import type { FileFacts, Import, IndexContext } from "../../types.ts";
import type { Meaning } from "../known-types.ts";
import { findLocal, typedDefinition } from "../scope-lookup.ts";
import type { TypedDefinition } from "../typing-facts.ts";
import { findCrate, findCrateRoot, itemsOf, moduleAt, openModule, parentModule, type RustModule, scopeOfModule } from "./rust-crates.ts";

export type Wanted = "type" | "value" | "module" | "any";

const MAX_STEPS = 24;
const OUTSIDE: Meaning = { k: "external", evidence: "not declared in this repository" };

const SORTS: Readonly<Record<Wanted, readonly TypedDefinition["sort"][]>> = {
	type: ["type", "typeParameter", "module"],
	value: ["value", "function", "type", "module"],
	module: ["module", "type", "typeParameter"],
	any: ["type", "function", "value", "module", "typeParameter"],
};

/** Finds names of Rust (Reference: paths, use declarations, visibility apart). One per question. */
export class RustNames {
	readonly #context: IndexContext;
	/** Members of types reached by a path, such as `Type::new`. */
	readonly #memberOf: (type: Meaning & { readonly k: "found" }, name: string) => Meaning | undefined;
	#steps = 0;
	/** Modules that are being searched: glob imports may lead back to them. */
	readonly #open = new Set<string>();

	constructor(context: IndexContext, memberOf: (type: Meaning & { readonly k: "found" }, name: string) => Meaning | undefined) {
		this.#context = context;
		this.#memberOf = memberOf;
	}

	/** What a path means at a place; external for what no module of the repository declares. */
	lookUp(path: readonly string[], at: number, file: string, wanted: Wanted): Meaning | undefined {
		const [first, ...rest] = path;
		if (first === undefined) return undefined;
		const facts = this.#context.facts(file);
		if (facts === undefined) return OUTSIDE;
		const start = this.#first(first, at, file, facts, rest.length > 0 ? "module" : wanted);
		return this.#follow(start, rest, wanted);
	}

	#follow(start: Meaning | undefined, rest: readonly string[], wanted: Wanted): Meaning | undefined {
		let meaning = start;
		let module = this.asModule(start);
		for (const [position, name] of rest.entries()) {
			if (name === "super" && module !== undefined) {
				module = parentModule(module, this.#context);
				meaning = module === undefined ? OUTSIDE : asMeaning(module);
				continue;
			}
			const isLast = position === rest.length - 1;
			if (module !== undefined) meaning = this.inModule(module, name, isLast ? wanted : "module");
			else if (meaning?.k === "found") meaning = this.#memberOf(meaning, name);
			else return meaning;
			module = this.asModule(meaning);
		}
		return meaning;
	}

	#first(name: string, at: number, file: string, facts: FileFacts, wanted: Wanted): Meaning | undefined {
		const here = moduleAt(file, at, this.#context);
		if (name === "self") return findSelf(facts, at, file) ?? asMeaning(here);
		if (name === "crate") return asMeaning({ file: findCrateRoot(file, this.#context), at: -1 });
		if (name === "super") {
			const parent = parentModule(here, this.#context);
			return parent === undefined ? OUTSIDE : asMeaning(parent);
		}
		const moduleStart = here.at === -1 ? 0 : here.at;
		const accepts = (definition: TypedDefinition): boolean =>
			SORTS[wanted].includes(definition.sort) && (facts.scopes[definition.scope]?.startIndex ?? 0) > moduleStart;
		const local = findLocal(facts, name, at, accepts);
		if (local !== undefined) return { k: "found", refs: [{ path: file, definition: local }], evidence: "declared in an enclosing scope" };
		const inner = this.#inBlocks(name, at, file, facts, moduleStart, wanted);
		if (inner !== undefined) return inner;
		const found = this.inModule(here, name, wanted);
		if (found?.k === "found" || found?.k === "module") return found;
		const crate = findCrate(name, this.#context);
		return crate === undefined ? found : asMeaning({ file: crate, at: -1 });
	}

	/** `use` inside a function. */
	#inBlocks(name: string, at: number, file: string, facts: FileFacts, moduleStart: number, wanted: Wanted): Meaning | undefined {
		for (const one of [...facts.imports].reverse()) {
			const scope = facts.scopes[one.scope];
			if (one.scope === 0 || scope === undefined || scope.startIndex <= moduleStart || at < scope.startIndex || at >= scope.endIndex)
				continue;
			const found = this.#throughImport(one, name, file, wanted);
			if (found?.k === "found" || found?.k === "module") return found;
		}
		return undefined;
	}

	#throughImport(one: Import, name: string, file: string, wanted: Wanted): Meaning | undefined {
		if (one.kind === "effect" || (one.kind !== "wildcard" && one.local !== name)) return undefined;
		const path = one.module === "" ? [] : one.module.split("::");
		const last = one.kind === "wildcard" ? name : one.kind === "module" ? undefined : one.imported;
		return this.#imported(last === undefined ? path : [...path, last], one, file, wanted, name);
	}

	/** A path of a `use` starts at a name of its module, or at a crate. */
	#imported(path: readonly string[], one: Import, file: string, wanted: Wanted, name: string): Meaning | undefined {
		if (this.#steps >= MAX_STEPS) return undefined;
		this.#steps++;
		try {
			const [first = "", ...rest] = path;
			const isOwn = one.kind !== "wildcard" && rest.length === 0 && first === name;
			const crate = isOwn ? findCrate(first, this.#context) : undefined;
			if (isOwn) return crate === undefined ? OUTSIDE : asMeaning({ file: crate, at: -1 });
			return this.lookUp(path, one.index, file, wanted);
		} finally {
			this.#steps--;
		}
	}

	/** What a name means in a module: an item, or what its `use` items bring. */
	inModule(module: RustModule, name: string, wanted: Wanted): Meaning | undefined {
		const key = `${module.at}:${module.file}:${name}:${wanted}`;
		if (this.#open.has(key)) return undefined;
		const search = (): Meaning | undefined => {
			this.#open.add(key);
			const found = this.#searchModule(module, name, wanted);
			this.#open.delete(key);
			return found;
		};
		// An answer found on the way through other modules may lack what is open there.
		return this.#open.size === 0 ? this.#context.memo(`rust:in:${key}`, search) : search();
	}

	#searchModule(module: RustModule, name: string, wanted: Wanted): Meaning | undefined {
		const facts = this.#context.facts(module.file);
		if (facts === undefined) return OUTSIDE;
		const items = itemsOf(module, name, this.#context);
		const isModule = (index: number): boolean => typedDefinition(facts, index)?.sort === "module";
		const toFound = (chosen: readonly number[]): Meaning => ({
			k: "found",
			refs: chosen.map((definition) => ({ path: module.file, definition })),
			evidence: `declared in ${module.file}`,
		});
		const chosen = pick(facts, items, wanted);
		// A module often has the name of the one thing that is used from it: `mod copy; pub use copy::copy;`.
		if (chosen.length > 0 && (wanted === "module" || !chosen.every(isModule))) return toFound(chosen);
		const imported = this.#throughImports(module, facts, name, wanted);
		if (chosen.length === 0) return imported;
		if (imported?.k !== "found") return toFound(chosen);
		const own = wanted === "any" ? toFound(chosen) : undefined;
		return own?.k === "found" ? { ...imported, refs: [...own.refs, ...imported.refs] } : imported;
	}

	#throughImports(module: RustModule, facts: FileFacts, name: string, wanted: Wanted): Meaning | undefined {
		if (this.#steps >= MAX_STEPS) return undefined;
		const scope = scopeOfModule(module, facts);
		let outside: Meaning | undefined;
		for (const kind of ["name", "module", "wildcard"] as const) {
			for (const one of facts.imports) {
				if (one.scope !== scope || one.kind !== kind) continue;
				if (kind !== "wildcard" && one.local !== name) continue;
				const found = this.#throughImport(one, name, module.file, wanted);
				if (found?.k === "found") return { ...found, evidence: `through use ${one.module}` };
				if (found?.k === "module") return found;
				if (found !== undefined && kind !== "wildcard") outside = found;
			}
			if (outside !== undefined) return outside;
		}
		return OUTSIDE;
	}

	/** The module that a meaning stands for; undefined for anything else. */
	asModule(meaning: Meaning | undefined): RustModule | undefined {
		if (meaning?.k === "module") return parseModule(meaning.id);
		if (meaning?.k !== "found") return undefined;
		for (const ref of meaning.refs) {
			const facts = this.#context.facts(ref.path);
			const definition = facts === undefined ? undefined : typedDefinition(facts, ref.definition);
			if (facts === undefined || definition?.sort !== "module" || facts.definitions[ref.definition]?.kind !== "module") continue;
			return openModule(moduleAt(ref.path, definition.at, this.#context), ref.definition, this.#context);
		}
		return undefined;
	}
}

/** In a method, `self` is its parameter; elsewhere, the module. */
function findSelf(facts: FileFacts, at: number, file: string): Meaning | undefined {
	const local = findLocal(facts, "self", at);
	return local === undefined ? undefined : { k: "found", refs: [{ path: file, definition: local }], evidence: "the method's self" };
}

/** Several items may share a name: of those that fit best, all (the same under different conditions). */
function pick(facts: FileFacts, items: readonly number[], wanted: Wanted): readonly number[] {
	if (wanted === "any") return items;
	for (const sort of SORTS[wanted]) {
		const fitting = items.filter((index) => {
			const found = typedDefinition(facts, index)?.sort;
			return found === sort || (sort === "value" && found === "function");
		});
		if (fitting.length > 0) return fitting;
	}
	return [];
}

function asMeaning(module: RustModule): Meaning {
	return { k: "module", id: `${module.at}:${module.file}`, evidence: `module ${module.file}` };
}

function parseModule(id: string): RustModule {
	const split = id.indexOf(":");
	return { at: Number(id.slice(0, split)), file: id.slice(split + 1) };
}
