import type { IndexContext } from "../../types.ts";
import type { TypeExpression } from "../expressions.ts";
import { type KnownType, type Meaning, NOTHING } from "../known-types.ts";
import { definitionsNamed, typedDefinition } from "../scope-lookup.ts";
import { TypeInference, type TypeRules } from "../type-inference.ts";
import { findRustLibraryMember, heldBy } from "./rust-library.ts";
import { findInBody, findInImpls, findInTraits, listTraitMembers } from "./rust-members.ts";
import { RustNames, type Wanted } from "./rust-names.ts";

const OUTSIDE: Meaning = { k: "external", evidence: "the receiver's type has no such member here" };
const MAX_WRAPPERS = 6;

/** How Rust finds names and members (Reference: paths, method call expressions, associated items). */
export class RustRules implements TypeRules {
	readonly callsConstruct = true;
	readonly #context: IndexContext;
	readonly #names: RustNames;
	readonly inference: TypeInference;

	constructor(context: IndexContext) {
		this.#context = context;
		this.inference = new TypeInference(context, this);
		this.#names = new RustNames(context, (type, name) => this.#memberOfPath(type, name));
	}

	lookUpValue(path: readonly string[], at: number, file: string): Meaning | undefined {
		return this.lookUp(path, at, file, "value");
	}

	lookUpType(path: readonly string[], at: number, file: string): Meaning | undefined {
		return this.lookUp(path, at, file, "type");
	}

	lookUp(path: readonly string[], at: number, file: string, wanted: Wanted): Meaning | undefined {
		if (path[0] !== "Self") return this.#names.lookUp(path, at, file, wanted);
		let meaning = this.#lookUpSelf(at, file);
		for (const name of path.slice(1)) meaning = meaning?.k === "found" ? this.#memberOfPath(meaning, name) : meaning;
		return meaning;
	}

	/** The file of the module that a path means. */
	fileOf(path: readonly string[], file: string): string | undefined {
		return this.#names.asModule(this.#names.lookUp(path, 0, file, "module"))?.file;
	}

	/** `Self` is what the impl around is for, or the trait around. */
	#lookUpSelf(at: number, file: string): Meaning | undefined {
		const facts = this.#context.facts(file);
		if (facts === undefined) return undefined;
		let start = -1;
		for (const scope of facts.scopes) {
			if (scope.kind === "type" && scope.startIndex > start && at >= scope.startIndex && at < scope.endIndex) start = scope.startIndex;
		}
		const impl = definitionsNamed(facts, "impl").find((index) => typedDefinition(facts, index)?.at === start);
		if (impl !== undefined) {
			const receiver = typedDefinition(facts, impl)?.receiver;
			return receiver?.k === "name" ? this.lookUp(receiver.path, receiver.at, file, "type") : OUTSIDE;
		}
		const typing = facts.typing?.definitions ?? [];
		const around = typing.findIndex((one) => one.sort === "type" && one.type?.k === "body" && one.type.at === start);
		if (around !== -1) return { k: "found", refs: [{ path: file, definition: around }], evidence: "the trait around" };
		return this.#lookUpSelfOfType(at, file);
	}

	/** Inside the braces of a struct or enum, `Self` is that type. */
	#lookUpSelfOfType(at: number, file: string): Meaning | undefined {
		const facts = this.#context.facts(file);
		const definition =
			facts?.definitions.findIndex((one) => (one.kind === "struct" || one.kind === "enum") && at >= one.startIndex && at < one.endIndex) ??
			-1;
		return definition === -1 ? OUTSIDE : { k: "found", refs: [{ path: file, definition }], evidence: "the type around" };
	}

	/** What follows a type in a path: a variant, an associated function, constant or type. */
	#memberOfPath(meaning: Meaning & { readonly k: "found" }, name: string): Meaning | undefined {
		const type = this.#typeOf(meaning);
		return type === undefined ? undefined : this.findMember(type, name, 0);
	}

	#typeOf(meaning: Meaning & { readonly k: "found" }): KnownType | undefined {
		for (const ref of meaning.refs) {
			const definition = this.inference.definition(ref);
			if (definition?.sort !== "type" && definition?.sort !== "typeParameter") continue;
			if (definition.sort === "type" && definition.alias !== true) return { k: "declared", ref, args: [] };
			return definition.type === undefined ? undefined : this.inference.evaluate(definition.type, ref.path, NOTHING);
		}
		return undefined;
	}

	findMember(of: KnownType, name: string, calledWith: number | undefined): Meaning | undefined {
		let type: KnownType | undefined = of.k === "static" ? of.type : of;
		for (let depth = 0; depth < MAX_WRAPPERS && type !== undefined; depth++) {
			const found = this.#ownMember(type, name, calledWith !== undefined);
			if (found !== undefined) return found;
			const inner: KnownType | undefined = heldBy(type) ?? this.#derefOf(type);
			if (inner === undefined) return this.#ofAll(type, name);
			type = inner;
		}
		return undefined;
	}

	#ownMember(type: KnownType, name: string, isCall: boolean): Meaning | undefined {
		if (type.k === "body") {
			for (const bound of type.embeds) {
				const evaluated = this.inference.evaluate(bound, type.path, type.with);
				const found = evaluated === undefined ? undefined : this.#ownMember(evaluated, name, isCall);
				if (found !== undefined) return found;
			}
			return undefined;
		}
		if (type.k !== "declared") return undefined;
		const inBody = isCall ? undefined : findInBody(type, name, false, this.#context, this.inference);
		return (
			inBody ??
			findInImpls(type, name, this.#context, this.inference) ??
			(isCall ? findInBody(type, name, true, this.#context, this.inference) : undefined) ??
			findInTraits(type, name, this.#context, this.inference)
		);
	}

	/** `impl Deref for T { type Target = U; }` lends T the members of U. */
	#derefOf(type: KnownType): KnownType | undefined {
		return type.k === "declared" ? this.#associated(type, "Target") : undefined;
	}

	#associated(type: KnownType & { readonly k: "declared" }, name: string): KnownType | undefined {
		const found = findInImpls(type, name, this.#context, this.inference);
		const ref = found?.k === "found" ? found.refs[0] : undefined;
		const written: TypeExpression | undefined = ref === undefined ? undefined : this.inference.definition(ref)?.type;
		if (ref === undefined || written === undefined || found?.k !== "found") return undefined;
		return this.inference.evaluate(written, ref.path, found.with ?? NOTHING);
	}

	/** A trait that is given to all types adds its methods; otherwise a type whose members are known has no such one. */
	#ofAll(type: KnownType, name: string): Meaning | undefined {
		const members = listTraitMembers(name, this.#context);
		const blanket = members.filter((one) => one.isBlanket);
		if (type.k === "declared" || type.k === "body") {
			if (blanket.length === 0) return OUTSIDE;
			const traits = new Set(blanket.map((one) => one.trait));
			return traits.size > 1 ? undefined : { k: "found", refs: blanket.map(({ ref }) => ref), evidence: `trait ${blanket[0]?.trait}` };
		}
		return members.length > 0 ? undefined : OUTSIDE;
	}

	externalMember(of: KnownType, name: string): KnownType | undefined {
		return findRustLibraryMember(of, name);
	}

	/** What functions from outside return depends on what they are given. */
	isGeneric(): boolean {
		return true;
	}

	elementOf(of: KnownType): KnownType | undefined {
		if (of.k === "external" && of.args.length === 2 && /Map$/.test(of.name)) return { k: "tuple", of: of.args };
		return of.k === "external" ? of.args[0] : undefined;
	}

	unwrap(of: KnownType, by: "try" | "await"): KnownType | undefined {
		if (by === "try") return of.k === "external" ? of.args[0] : of;
		if (of.k === "external") return /(?:^|\.)(?:Future|IntoFuture|BoxFuture|JoinHandle)$/.test(of.name) ? of.args[0] : of;
		return of.k === "declared" ? (this.#associated(of, "Output") ?? of) : of;
	}
}
