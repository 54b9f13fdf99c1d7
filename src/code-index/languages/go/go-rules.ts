import type { DefinitionRef, IndexContext } from "../../types.ts";
import { type KnownType, type Meaning, NOTHING, type Substitution } from "../known-types.ts";
import { definitionsNamed, findLocal, typedDefinition } from "../scope-lookup.ts";
import { TypeInference, type TypeRules } from "../type-inference.ts";
import { findImport, findInPackage, findMethods, folderOfImport, type GoPackage, packageNameOf, packageOf } from "./go-packages.ts";

const MAX_EMBEDDING = 8;

/** Packages whose functions return what they were given. */
const GENERIC_PACKAGES = /^package (?:slices|maps|iter|cmp|sync|sync\/atomic|unique|golang\.org\/x\/exp\/.*|.*\/(?:lo|generics?))$/;

/** How Go finds names and members (Go specification: declarations and scope, selectors, struct types). */
export class GoRules implements TypeRules {
	readonly #context: IndexContext;
	readonly inference: TypeInference;

	constructor(context: IndexContext) {
		this.#context = context;
		this.inference = new TypeInference(context, this);
	}

	lookUpValue(path: readonly string[], at: number, file: string): Meaning | undefined {
		return this.#lookUp(path, at, file);
	}

	lookUpType(path: readonly string[], at: number, file: string): Meaning | undefined {
		return this.#lookUp(path, at, file);
	}

	#lookUp(path: readonly string[], at: number, file: string): Meaning | undefined {
		const [name, member] = path;
		if (name === undefined || name === "") return undefined;
		const meaning = this.#lookUpBare(name, at, file);
		if (member === undefined || meaning.k === "external") return meaning;
		return meaning.k === "module" ? this.#inModule(meaning.id, member) : undefined;
	}

	/** Local scopes, then the package, then the file's imports; what is left is predeclared or from outside. */
	#lookUpBare(name: string, at: number, file: string): Meaning {
		const facts = this.#context.facts(file);
		if (facts === undefined) return { k: "external", evidence: "the file cannot be read" };
		const local = findLocal(facts, name, at);
		if (local !== undefined) return { k: "found", refs: [{ path: file, definition: local }], evidence: "declared in an enclosing scope" };
		const own = packageOf(file, facts);
		const refs = findInPackage(own, name, this.#context);
		if (refs.length > 0) return { k: "found", refs, evidence: `package ${own.name}` };
		const imported = findImport(name, facts, this.#context);
		if (imported?.k === "package") return { k: "module", id: packageId(imported.package), evidence: `package ${imported.module}` };
		if (imported !== undefined) return { k: "external", evidence: `package ${imported.module}` };
		for (const wildcard of facts.imports) {
			const folder = wildcard.kind === "wildcard" ? folderOfImport(wildcard.module, this.#context) : undefined;
			const packageName = folder === undefined ? undefined : packageNameOf(folder, this.#context);
			if (folder === undefined || packageName === undefined) continue;
			const found = findInPackage({ folder, name: packageName }, name, this.#context);
			if (found.length > 0) return { k: "found", refs: found, evidence: `package ${wildcard.module}` };
		}
		return { k: "external", evidence: "not declared in this repository" };
	}

	#inModule(id: string, name: string): Meaning {
		const package_ = parsePackageId(id);
		const refs = findInPackage(package_, name, this.#context);
		if (refs.length === 0) return { k: "external", evidence: `not in package ${package_.name}` };
		return { k: "found", refs, evidence: `package ${package_.folder === "" ? package_.name : package_.folder}` };
	}

	isGeneric(name: string): boolean {
		return GENERIC_PACKAGES.test(name);
	}

	/** `atomic.Pointer[T]` and the like: what is in the brackets is all that such a type can give. */
	externalMember(of: KnownType, name: string): KnownType | undefined {
		if (of.k !== "external" || of.args.length !== 1 || name === "") return undefined;
		const inner = of.args[0];
		return inner === undefined ? undefined : { k: "function", result: inner };
	}

	/** The member at the shallowest depth of embedding. */
	findMember(of: KnownType, name: string): Meaning | undefined {
		if (of.k === "module") return this.#inModule(of.id, name);
		let level: readonly KnownType[] = [of.k === "static" ? of.type : of];
		let open = false;
		for (let depth = 0; depth < MAX_EMBEDDING && level.length > 0; depth++) {
			const next: KnownType[] = [];
			for (const type of level) {
				const found = this.#ownMember(type, name);
				if (found !== undefined) return found;
				const embedded = this.#embedded(type);
				if (embedded.some((one) => one === undefined)) open = true;
				next.push(...embedded.filter((one) => one !== undefined));
			}
			level = next;
		}
		return open ? undefined : { k: "external", evidence: "the receiver's type has no such member here" };
	}

	/** `steps` bounds types that stand for each other. */
	#ownMember(type: KnownType, name: string, steps = MAX_EMBEDDING): Meaning | undefined {
		if (type.k === "body") return this.#inBody(type.path, type.at, name, type.with, "an unnamed struct");
		if (type.k !== "declared") return undefined;
		const facts = this.#context.facts(type.ref.path);
		const definition = this.inference.definition(type.ref);
		if (facts === undefined || definition === undefined) return undefined;
		const known = this.inference.substitution(type);
		if (definition.scope === 0) {
			const refs = findMethods(packageOf(type.ref.path, facts), definition.name, name, this.#context);
			if (refs.length > 0) {
				return { k: "found", refs, evidence: `receiver is ${definition.name}`, with: this.#receiverArguments(refs[0], type) };
			}
		}
		const made = definition.type;
		if (made?.k === "body") return this.#inBody(type.ref.path, made.at, name, known, definition.name);
		if (made?.k !== "name" || steps === 0) return undefined;
		// `type A B`: the fields, and an interface's methods, are B's; its own methods are not.
		const under = this.inference.evaluate(made, type.ref.path, known);
		return under === undefined || under.k === "external" ? undefined : this.#ownField(under, name, steps - 1);
	}

	#ownField(type: KnownType, name: string, steps: number): Meaning | undefined {
		const meaning = this.#ownMember(type, name, steps);
		const ref = meaning?.k === "found" ? meaning.refs[0] : undefined;
		return ref !== undefined && this.inference.definition(ref)?.owner !== undefined ? meaning : undefined;
	}

	/** A method names the type parameters of its receiver anew. */
	#receiverArguments(ref: DefinitionRef | undefined, type: KnownType & { readonly k: "declared" }): Substitution {
		const receiver = ref === undefined ? undefined : this.inference.definition(ref)?.receiver;
		if (receiver?.k !== "name" || receiver.args === undefined || type.args.length === 0) return NOTHING;
		const known = new Map<string, KnownType | undefined>();
		receiver.args.forEach((argument, index) => {
			if (argument.k === "name" && argument.path[0] !== undefined) known.set(argument.path[0], type.args[index]);
		});
		return known;
	}

	#inBody(file: string, at: number, name: string, known: Substitution, owner: string): Meaning | undefined {
		const facts = this.#context.facts(file);
		if (facts === undefined) return undefined;
		const definition = definitionsNamed(facts, name).find((index) => typedDefinition(facts, index)?.owner === at);
		return definition === undefined
			? undefined
			: { k: "found", refs: [{ path: file, definition }], evidence: `receiver is ${owner}`, with: known };
	}

	/** Types whose members a type takes over; undefined stands for one that is not known. */
	#embedded(type: KnownType, steps = MAX_EMBEDDING): readonly (KnownType | undefined)[] {
		if (type.k === "body") return type.embeds.map((embed) => this.inference.evaluate(embed, type.path, type.with));
		if (type.k !== "declared") return [];
		const made = this.inference.definition(type.ref)?.type;
		const known = this.inference.substitution(type);
		if (made?.k === "body") return made.embeds.map((embed) => this.inference.evaluate(embed, type.ref.path, known));
		if (made?.k !== "name" || steps === 0) return [];
		const under = this.inference.evaluate(made, type.ref.path, known);
		return under?.k === "declared" || under?.k === "body" ? this.#embedded(under, steps - 1) : [under];
	}
}

function packageId(package_: GoPackage): string {
	return `${package_.folder}\0${package_.name}`;
}

function parsePackageId(id: string): GoPackage {
	const [folder = "", name = ""] = id.split("\0");
	return { folder, name };
}
