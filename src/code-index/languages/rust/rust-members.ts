import type { DefinitionRef, FileFacts, IndexContext } from "../../types.ts";
import type { TypeExpression } from "../expressions.ts";
import { type KnownType, type Meaning, NOTHING, type Substitution } from "../known-types.ts";
import { definitionsNamed, typedDefinition } from "../scope-lookup.ts";
import type { TypeInference } from "../type-inference.ts";
import type { TypedDefinition } from "../typing-facts.ts";

type Declared = KnownType & { readonly k: "declared" };

const nameOf = (type: TypeExpression | undefined): string => (type?.k === "name" ? (type.path.at(-1) ?? "") : "");

/** Where the members of a type that are written in its own braces belong. */
function bodyOf(definition: TypedDefinition | undefined): number | undefined {
	if (definition?.type?.k === "body") return definition.type.at;
	const held = definition?.value?.k === "typed" ? definition.value.type : undefined;
	return held?.k === "body" ? held.at : undefined;
}

/** Fields, variants, and what a trait declares. */
export function findInBody(
	type: Declared,
	name: string,
	isCall: boolean,
	context: IndexContext,
	inference: TypeInference,
): Meaning | undefined {
	const facts = context.facts(type.ref.path);
	const definition = inference.definition(type.ref);
	const body = bodyOf(definition);
	if (facts === undefined || definition === undefined || body === undefined) return undefined;
	const own = definitionsNamed(facts, name).filter((index) => typedDefinition(facts, index)?.owner === body);
	const functions = own.filter((index) => typedDefinition(facts, index)?.sort === "function");
	const chosen = isCall && functions.length > 0 ? functions : own;
	if (chosen.length === 0) return undefined;
	return {
		k: "found",
		refs: chosen.map((index) => ({ path: type.ref.path, definition: index })),
		evidence: `receiver is ${definition.name}`,
		with: inference.substitution(type),
	};
}

/** What impls of the type declare, those without a trait first. */
export function findInImpls(type: Declared, name: string, context: IndexContext, inference: TypeInference): Meaning | undefined {
	const typeName = inference.definition(type.ref)?.name ?? "";
	const key = `rust:impls:${type.ref.path}:${type.ref.definition}:${name}`;
	const found = context.memo(key, () => listImplMembers(type.ref, typeName, name, context, inference));
	const inherent = found.filter((one) => !one.ofTrait);
	const chosen = inherent.length > 0 ? inherent : found;
	const receiver = chosen[0]?.receiver;
	if (receiver === undefined) return undefined;
	return { k: "found", refs: chosen.map(({ ref }) => ref), evidence: `receiver is ${typeName}`, with: argumentsOf(receiver, type) };
}

interface ImplMember {
	readonly ref: DefinitionRef;
	readonly ofTrait: boolean;
	readonly receiver: TypeExpression;
}

function listImplMembers(
	type: DefinitionRef,
	typeName: string,
	name: string,
	context: IndexContext,
	inference: TypeInference,
): readonly ImplMember[] {
	const found: ImplMember[] = [];
	for (const file of context.filesWithWord(name)) {
		const facts = context.facts(file);
		if (facts?.typing === undefined) continue;
		for (const index of definitionsNamed(facts, name)) {
			const receiver = typedDefinition(facts, index)?.receiver;
			if (receiver === undefined || nameOf(receiver) !== typeName || !means(receiver, file, type, inference)) continue;
			found.push({ ref: { path: file, definition: index }, ofTrait: facts.definitions[index]?.trait !== undefined, receiver });
		}
	}
	return found;
}

function means(written: TypeExpression, file: string, ref: DefinitionRef, inference: TypeInference): boolean {
	const type = inference.evaluate(written, file, NOTHING);
	return type?.k === "declared" && type.ref.path === ref.path && type.ref.definition === ref.definition;
}

/** An impl names the type parameters of its type anew. */
function argumentsOf(receiver: TypeExpression, type: Declared): Substitution {
	if (receiver.k !== "name" || receiver.args === undefined || type.args.length === 0) return NOTHING;
	return new Map(
		receiver.args.flatMap((argument, index) =>
			argument.k === "name" && argument.path.length === 1 ? [[argument.path[0] ?? "", type.args[index]] as const] : [],
		),
	);
}

/** Traits that a type implements. */
function traitsOf(type: Declared, context: IndexContext, inference: TypeInference): readonly KnownType[] {
	const typeName = inference.definition(type.ref)?.name ?? "";
	return context.memo(`rust:traits:${type.ref.path}:${type.ref.definition}`, () => {
		const found: KnownType[] = [];
		for (const file of context.filesWithWord(typeName)) {
			const facts = context.facts(file);
			for (const index of facts === undefined ? [] : definitionsNamed(facts, "impl")) {
				const impl = facts === undefined ? undefined : typedDefinition(facts, index);
				if (impl?.receiver === undefined || impl.type === undefined || nameOf(impl.receiver) !== typeName) continue;
				if (!means(impl.receiver, file, type.ref, inference)) continue;
				const trait = inference.evaluate(impl.type, file, NOTHING);
				if (trait?.k === "declared") found.push(trait);
			}
		}
		return found;
	});
}

/** What a trait of the type, or one that such a trait builds on, says for all. */
export function findInTraits(type: Declared, name: string, context: IndexContext, inference: TypeInference): Meaning | undefined {
	let level: readonly KnownType[] = [type, ...traitsOf(type, context, inference)];
	for (let depth = 0; depth < 4 && level.length > 0; depth++) {
		const next: KnownType[] = [];
		for (const trait of level) {
			if (trait.k !== "declared") continue;
			const found = trait === type ? undefined : findInBody(trait, name, true, context, inference);
			if (found !== undefined) return found;
			const made = inference.definition(trait.ref)?.type;
			if (made?.k !== "body") continue;
			for (const bound of made.embeds) {
				const evaluated = inference.evaluate(bound, trait.ref.path, inference.substitution(trait));
				if (evaluated !== undefined) next.push(evaluated);
			}
		}
		level = next;
	}
	return undefined;
}

interface TraitMember {
	readonly ref: DefinitionRef;
	readonly trait: string;
	/** Some impl gives the trait to every type, or to every type with a bound. */
	readonly isBlanket: boolean;
}

/** Methods of a name that traits of the repository declare. */
export function listTraitMembers(name: string, context: IndexContext): readonly TraitMember[] {
	return context.memo(`rust:trait-members:${name}`, () =>
		context.filesWithWord(name).flatMap((file) => {
			const facts = context.facts(file);
			return facts === undefined ? [] : definitionsNamed(facts, name).flatMap((index) => asTraitMember(facts, file, index, context) ?? []);
		}),
	);
}

function asTraitMember(facts: FileFacts, file: string, index: number, context: IndexContext): TraitMember | undefined {
	const definition = typedDefinition(facts, index);
	if (definition?.sort !== "function" || definition.receiver !== undefined || definition.owner === undefined) return undefined;
	const container = facts.definitions[index]?.container;
	const trait = container === undefined ? undefined : facts.definitions[container];
	if (trait?.kind !== "trait") return undefined;
	return { ref: { path: file, definition: index }, trait: trait.name, isBlanket: hasBlanketImpl(trait.name, context) };
}

function hasBlanketImpl(trait: string, context: IndexContext): boolean {
	return context.memo(`rust:blanket:${trait}`, () =>
		context.filesWithWord(trait).some((file) => {
			const facts = context.facts(file);
			return (facts === undefined ? [] : definitionsNamed(facts, "impl")).some((index) => {
				const impl = facts === undefined ? undefined : typedDefinition(facts, index);
				return nameOf(impl?.type) === trait && (impl?.generics ?? []).includes(nameOf(impl?.receiver));
			});
		}),
	);
}
