import type { DefinitionRef, FileFacts, IndexContext } from "../../types.ts";
import { type KnownType, type Meaning, NOTHING, type Substitution } from "../known-types.ts";
import { findLocal, typedDefinition } from "../scope-lookup.ts";
import { TypeInference, type TypeRules } from "../type-inference.ts";
import type { TypedDefinition } from "../typing-facts.ts";
import { findClass, findTopLevel, isPackage, typesAround } from "./java-classes.ts";
import { findLibraryMember } from "./java-library.ts";
import { searchHierarchy, type Wanted } from "./java-members.ts";

const OUTSIDE: Meaning = { k: "external", evidence: "not declared in this repository" };

/** How Java finds names and members (Java Language Specification 6.4, 6.5, 8.2, 15.12). */
export class JavaRules implements TypeRules {
	readonly #context: IndexContext;
	readonly inference: TypeInference;

	constructor(context: IndexContext) {
		this.#context = context;
		this.inference = new TypeInference(context, this);
	}

	lookUpValue(path: readonly string[], at: number, file: string, calledWith?: number): Meaning | undefined {
		const facts = this.#context.facts(file);
		const [name] = path;
		if (facts === undefined || name === undefined) return undefined;
		if (calledWith !== undefined) return this.#lookUpMethod(name, at, file, facts, calledWith);
		const variable = this.#lookUpIn(name, at, file, facts, "value");
		if (variable?.k === "found") return variable;
		const type = this.lookUpType([name], at, file);
		if (type?.k === "found") return type;
		if (isPackage(name, this.#context)) return { k: "module", id: name, evidence: `package ${name}` };
		return variable ?? type;
	}

	lookUpType(path: readonly string[], at: number, file: string): Meaning | undefined {
		const facts = this.#context.facts(file);
		const [name, ...rest] = path;
		if (facts === undefined || name === undefined) return undefined;
		let meaning: Meaning | undefined = this.#lookUpTypeName(name, at, file, facts);
		if (meaning.k === "external" && rest.length > 0) meaning = { k: "module", id: name, evidence: `package ${name}` };
		for (const part of rest) {
			const of: KnownType | undefined =
				meaning?.k === "module" ? { k: "module", id: meaning.id } : meaning?.k === "found" ? this.#asDeclared(meaning) : undefined;
			meaning = of === undefined ? meaning : this.findMember(of, part, undefined);
		}
		return meaning?.k === "module" ? OUTSIDE : meaning;
	}

	#asDeclared(meaning: Meaning & { readonly k: "found" }): KnownType | undefined {
		const ref = meaning.refs[0];
		return ref === undefined ? undefined : { k: "declared", ref, args: [] };
	}

	/**
	 * Variables, and types in their own way: local scopes and the types around, from the inside out; then imports.
	 * External when a type around extends something from outside, which may declare the name.
	 */
	#lookUpIn(name: string, at: number, file: string, facts: FileFacts, wanted: "value" | "type"): Meaning | undefined {
		const accepts = (definition: TypedDefinition): boolean =>
			wanted === "value" ? definition.sort === "value" : definition.sort === "type" || definition.sort === "typeParameter";
		const local = findLocal(facts, name, at, accepts);
		const localStart = local === undefined ? -1 : (facts.scopes[typedDefinition(facts, local)?.scope ?? 0]?.startIndex ?? -1);
		const asLocal = (): Meaning => ({
			k: "found",
			refs: [{ path: file, definition: local ?? 0 }],
			evidence: "declared in an enclosing scope",
		});
		for (const around of typesAround(facts, at)) {
			if (local !== undefined && localStart >= around.start) return asLocal();
			const found = searchHierarchy(
				this.#typeAround(file, facts, around.definition),
				name,
				{ sort: wanted },
				this.#context,
				this.inference,
			);
			if (found?.k === "found") return { ...found, evidence: describeAround(facts, around.definition) };
		}
		return local === undefined ? undefined : asLocal();
	}

	#typeAround(file: string, facts: FileFacts, definition: number): KnownType {
		const typed = typedDefinition(facts, definition);
		if (typed?.name === "" && typed.type?.k === "body") {
			return { k: "body", path: file, at: typed.type.at, embeds: typed.type.embeds, with: NOTHING };
		}
		return { k: "declared", ref: { path: file, definition }, args: [] };
	}

	/** The innermost type around that has a method of the name, then static imports. */
	#lookUpMethod(name: string, at: number, file: string, facts: FileFacts, calledWith: number): Meaning | undefined {
		let unknown = false;
		for (const around of typesAround(facts, at)) {
			const wanted: Wanted = { sort: "method", args: calledWith };
			const found = searchHierarchy(this.#typeAround(file, facts, around.definition), name, wanted, this.#context, this.inference);
			if (found === undefined) unknown = true;
			if (found?.k === "found") return { ...found, evidence: describeAround(facts, around.definition) };
		}
		return this.#lookUpStaticImport(name, facts, { sort: "method", args: calledWith }) ?? (unknown ? undefined : OUTSIDE);
	}

	#lookUpStaticImport(name: string, facts: FileFacts, wanted: Wanted): Meaning | undefined {
		for (const one of facts.imports) {
			if (one.isStatic !== true || (one.kind === "name" && one.imported !== name)) continue;
			const of = this.#findQualified(one.module);
			const type: KnownType | undefined = of?.k === "found" ? this.#asDeclared(of) : undefined;
			const found = type === undefined ? undefined : searchHierarchy(type, name, wanted, this.#context, this.inference);
			if (found?.k === "found") return { ...found, evidence: `static import from ${one.module}` };
		}
		return undefined;
	}

	#lookUpTypeName(name: string, at: number, file: string, facts: FileFacts): Meaning {
		const inner = this.#lookUpIn(name, at, file, facts, "type");
		if (inner?.k === "found") return inner;
		const top = findTopLevel(facts, name);
		if (top !== undefined) return { k: "found", refs: [{ path: file, definition: top }], evidence: "declared in this file" };
		for (const one of facts.imports) {
			if (one.kind !== "name" || one.imported !== name || one.isStatic === true) continue;
			return this.#findQualified(`${one.module}.${name}`) ?? { k: "external", evidence: `${one.module}.${name}` };
		}
		const own = findClass(facts.package ?? "", name, this.#context);
		if (own.length > 0) return { k: "found", refs: own, evidence: `package ${facts.package ?? ""}` };
		for (const one of facts.imports) {
			if (one.kind !== "wildcard" && one.isStatic !== true) continue;
			if (one.kind === "name" && one.imported !== name) continue;
			const found = this.#findQualified(`${one.module}.${name}`);
			if (found !== undefined) return found;
		}
		return OUTSIDE;
	}

	/** A class by its full name, nested ones too; undefined when the repository has none. */
	#findQualified(name: string): (Meaning & { readonly k: "found" }) | undefined {
		return this.#context.memo(`java:qualified:${name}`, () => {
			const parts = name.split(".");
			for (let split = parts.length - 1; split >= 0; split--) {
				const refs = findClass(parts.slice(0, split).join("."), parts[split] ?? "", this.#context);
				if (refs.length === 0) continue;
				let found: Meaning | undefined = { k: "found", refs, evidence: `imported from ${parts.slice(0, split).join(".")}` };
				for (const nested of parts.slice(split + 1)) {
					const of: KnownType | undefined = found?.k === "found" ? this.#asDeclared(found) : undefined;
					found = of === undefined ? undefined : searchHierarchy(of, nested, { sort: "type" }, this.#context, this.inference);
				}
				return found?.k === "found" ? found : undefined;
			}
			return undefined;
		});
	}

	findMember(of: KnownType, name: string, calledWith: number | undefined): Meaning | undefined {
		if (of.k === "module") return this.#inPackage(of.id, name);
		const type = of.k === "static" ? of.type : of;
		if (type.k !== "declared" && type.k !== "body") return OUTSIDE;
		return searchHierarchy(
			type,
			name,
			calledWith === undefined ? { sort: "any" } : { sort: "method", args: calledWith },
			this.#context,
			this.inference,
		);
	}

	#inPackage(id: string, name: string): Meaning {
		const refs = findClass(id, name, this.#context);
		if (refs.length > 0) return { k: "found", refs, evidence: `package ${id}` };
		const longer = `${id}.${name}`;
		return isPackage(longer, this.#context) ? { k: "module", id: longer, evidence: `package ${longer}` } : OUTSIDE;
	}

	selfType(at: number, file: string, isSuper: boolean): KnownType | undefined {
		const facts = this.#context.facts(file);
		const around = facts === undefined ? undefined : typesAround(facts, at)[0];
		if (facts === undefined || around === undefined) return undefined;
		const own = this.#typeAround(file, facts, around.definition);
		if (!isSuper) return own;
		const made = typedDefinition(facts, around.definition)?.type;
		const base = made?.k === "body" ? made.embeds[0] : undefined;
		return base === undefined ? { k: "external", name: "java.lang.Object", args: [] } : this.inference.evaluate(base, file, NOTHING);
	}

	externalMember(of: KnownType, name: string): KnownType | undefined {
		return findLibraryMember(of, name);
	}

	/** What a loop over the type gives: the argument of the container that it is, or that it extends. */
	elementOf(of: KnownType): KnownType | undefined {
		let types: readonly (KnownType | undefined)[] = [of];
		for (let depth = 0; depth < 4; depth++) {
			for (const type of types) if (type?.k === "external" && type.args.length === 1) return type.args[0];
			types = types.flatMap((type) => (type?.k === "declared" ? this.#basesOf(type) : []));
		}
		return undefined;
	}

	#basesOf(type: KnownType & { readonly k: "declared" }): readonly (KnownType | undefined)[] {
		const made = this.inference.definition(type.ref)?.type;
		const known: Substitution = this.inference.substitution(type);
		return made?.k === "body" ? made.embeds.map((base) => this.inference.evaluate(base, type.ref.path, known)) : [];
	}

	/** The constructors that a creation with so many arguments can mean. */
	constructorsOf(type: DefinitionRef, args: number): readonly DefinitionRef[] {
		const name = this.inference.definition(type)?.name ?? "";
		const of: KnownType = { k: "declared", ref: type, args: [] };
		const found = searchHierarchy(of, name, { sort: "constructor", args }, this.#context, this.inference);
		return found?.k === "found" ? found.refs : [];
	}

	/** A bare name where its kind does not matter. */
	lookUpBare(name: string, at: number, file: string): Meaning | undefined {
		const facts = this.#context.facts(file);
		const meaning = this.lookUpValue([name], at, file);
		if (meaning?.k === "found" || facts === undefined) return meaning;
		return this.#lookUpStaticImport(name, facts, { sort: "any" }) ?? meaning ?? OUTSIDE;
	}
}

function describeAround(facts: FileFacts, definition: number): string {
	const name = typedDefinition(facts, definition)?.name;
	return name === undefined || name === "" ? "member of the unnamed class around" : `member of ${name}`;
}
