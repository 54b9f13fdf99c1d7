import type { Definition, FileFacts, IndexContext, Occurrence, Parameters, Resolution } from "../types.ts";
import { EarlierMeanings } from "./earlier-meanings.ts";
import { argumentsFit } from "./parameters-fit.ts";
import { listShared, type SharedDefinition } from "./shared-definitions.ts";
import {
	type ChangedVersions,
	MAX_CANDIDATE_FILES,
	occurrencesOf,
	type SearchLimits,
	type StaleUse,
	type TreeComparison,
} from "./tree-comparison.ts";

/** A call that fitted the callable before the change and does not fit it now. */
export interface StaleCall extends StaleUse {
	readonly before: Parameters;
	readonly now: Parameters;
	/** Path and line of the callable at the head. */
	readonly place: { readonly path: string; readonly line: number };
}

export interface StaleCalls extends SearchLimits {
	readonly calls: readonly StaleCall[];
}

/** A callable whose parameters changed. */
interface ChangedCallable {
	/** What calls name: the callable, or the type that it constructs. */
	readonly name: string;
	readonly path: string;
	/** Positions in the head's facts that a call may be bound to. */
	readonly positions: readonly number[];
	/** The same before the change. */
	readonly earlier: { readonly path: string; readonly positions: readonly number[] };
	readonly before: Definition & { readonly parameters: Parameters };
	readonly now: Definition & { readonly parameters: Parameters };
	readonly isConstructor: boolean;
}

/**
 * Calls at the head that are surely bound to a callable whose parameters the change altered, that fitted before, and that
 * do not fit now. Overloaded, decorated and conditional callables are left alone.
 */
export async function findStaleCalls(trees: TreeComparison): Promise<StaleCalls> {
	const calls: StaleCall[] = [];
	const common: string[] = [];
	const earlier = new EarlierMeanings(trees);
	for (const callable of trees.files.filter((file) => trees.isAsked(file)).flatMap((file) => listChangedCallables(file, trees))) {
		if (!(await trees.goOn())) return { calls, common, outOfTime: true };
		const files = trees.head.filesWithWord(callable.name);
		if (files.length > MAX_CANDIDATE_FILES) {
			common.push(callable.name);
			continue;
		}
		for (const path of files) {
			if (trees.isIgnored(path)) continue;
			if (!(await trees.goOn())) return { calls, common, outOfTime: true };
			calls.push(...staleCallsIn(path, callable, trees, earlier));
		}
	}
	return { calls, common, outOfTime: false };
}

function listChangedCallables({ base, head }: ChangedVersions, trees: TreeComparison): readonly ChangedCallable[] {
	if (base === undefined || head === undefined || head.facts.hasErrors || base.facts.hasErrors || trees.isIgnored(head.path)) return [];
	const earlier = uniqueByKey(listShared(base.facts));
	return [...uniqueByKey(listShared(head.facts)).values()].flatMap((shared): readonly ChangedCallable[] => {
		const now = shared.definition;
		const same = earlier.get(shared.key);
		const before = same?.definition;
		if (same === undefined || !isPlainCallable(before) || !isPlainCallable(now) || before.kind !== now.kind) return [];
		if (sameParameters(before.parameters, now.parameters)) return [];
		const isConstructor = now.kind === "constructor";
		const owner = now.container === undefined ? undefined : head.facts.definitions[now.container];
		if (isConstructor && (owner === undefined || (owner.decorators?.length ?? 0) > 0)) return [];
		return [
			{
				name: isConstructor ? (owner?.name ?? now.name) : now.name,
				path: head.path,
				positions: withType(shared, isConstructor),
				earlier: { path: base.path, positions: withType(same, isConstructor) },
				before,
				now,
				isConstructor,
			},
		];
	});
}

function withType({ position, definition }: SharedDefinition, isConstructor: boolean): readonly number[] {
	return isConstructor && definition.container !== undefined ? [position, definition.container] : [position];
}

/** Definitions whose key no other of the file has: neither overloaded nor defined by condition. */
function uniqueByKey(shared: readonly SharedDefinition[]): ReadonlyMap<string, SharedDefinition> {
	const counts = new Map<string, number>();
	for (const { key } of shared) counts.set(key, (counts.get(key) ?? 0) + 1);
	return new Map(shared.filter(({ key }) => counts.get(key) === 1).map((one) => [one.key, one]));
}

/** Decorators that leave the parameters as they are. */
const PLAIN_DECORATOR =
	/^(?:staticmethod|classmethod|abstractmethod|abc\.abstractmethod|(?:typing\.)?(?:override|final)|Override|Deprecated|Test|Nullable|NonNull|Nonnull|SuppressWarnings|inline|must_use|allow|doc|cfg_attr|track_caller|deprecated)\b/;

function isPlainCallable(definition: Definition | undefined): definition is Definition & { readonly parameters: Parameters } {
	if (definition?.parameters === undefined || definition.conditional === true) return false;
	return definition.decorators?.every((text) => PLAIN_DECORATOR.test(text.replace(/^[@#[\s]+/, ""))) ?? true;
}

function sameParameters(before: Parameters, now: Parameters): boolean {
	return JSON.stringify(before) === JSON.stringify(now);
}

function staleCallsIn(path: string, callable: ChangedCallable, trees: TreeComparison, earlier: EarlierMeanings): readonly StaleCall[] {
	const facts = trees.head.facts(path);
	const support = trees.supportOf(path);
	if (facts === undefined || support === undefined || facts.hasErrors) return [];
	const scripts = [facts.grammar, trees.head.facts(callable.path)?.grammar].includes("javascript");
	return occurrencesOf(facts, callable.name).flatMap((position): readonly StaleCall[] => {
		const call = facts.occurrences[position];
		if (call?.role !== "call" || call.arguments === undefined) return [];
		if (argumentsFit(call.arguments, callable.now.parameters) || !argumentsFit(call.arguments, callable.before.parameters)) return [];
		if (scripts && isPrefix(callable.before.parameters.names, callable.now.parameters.names)) return [];
		if (passesReceiver(call, callable.now, facts) || isSpreadBySyntax(call, facts, trees.head, path)) return [];
		const meaning = findMeaning({ path, facts, position }, callable, trees, earlier);
		if (meaning === undefined) return [];
		return [
			{
				path,
				occurrence: call,
				target: { path: callable.path, definition: callable.before },
				certainty: meaning.certainty,
				evidence: meaning.evidence,
				before: callable.before.parameters,
				now: callable.now.parameters,
				place: { path: callable.path, line: callable.now.line },
			},
		];
	});
}

/**
 * The meaning of a call that is surely the callable: now, or before the change where overloads are told apart by their
 * arguments, so that a call that does not fit means nothing.
 */
function findMeaning(
	call: { readonly path: string; readonly facts: FileFacts; readonly position: number },
	callable: ChangedCallable,
	trees: TreeComparison,
	earlier: EarlierMeanings,
): Extract<Resolution, { readonly kind: "found" }> | undefined {
	const now = trees.supportOf(call.path)?.resolve(call.path, call.facts, call.position, trees.head);
	if (now?.kind === "found") return isOnly(now, callable.path, callable.positions) ? now : undefined;
	const before = earlier.resolve(call.path, call.facts, call.position);
	return before?.kind === "found" && isOnly(before, callable.earlier.path, callable.earlier.positions) ? before : undefined;
}

function isOnly(meaning: Extract<Resolution, { readonly kind: "found" }>, path: string, positions: readonly number[]): boolean {
	return meaning.targets.every((target) => target.path === path && positions.includes(target.definition));
}

/** One list of names begins with the other: in JavaScript what is missing or too many at the end may be meant. */
function isPrefix(before: readonly string[], now: readonly string[]): boolean {
	const length = Math.min(before.length, now.length);
	return before.slice(0, length).every((name, index) => name === now[index]);
}

/** `Type.method(value, …)`: the receiver is the first argument, and how many are meant is not sure. */
function passesReceiver(call: Occurrence, callable: Definition, facts: FileFacts): boolean {
	if (call.receiver === undefined || callable.isStatic === true || callable.kind !== "method") return false;
	if (facts.grammar !== "python" && facts.grammar !== "rust" && facts.grammar !== "go") return false;
	return /(^|[.:])\(?\*?[A-Z]\w*\)?$/.test(call.receiver.replace(/<.*>$/, "")) || call.receiver === "cls" || call.receiver === "Self";
}

/** Go hands all results of one call on as arguments; a template literal has no argument list. */
function isSpreadBySyntax(call: Occurrence, facts: FileFacts, context: IndexContext, path: string): boolean {
	if (facts.grammar !== "go" || call.arguments?.count !== 1) return false;
	const text = context.text(path) ?? "";
	const open = text.indexOf("(", call.index);
	const rest = text.slice(open + 1, open + 400).trimStart();
	return open !== -1 && /^[\w.]+(\[[^\]]*\])?\(/.test(rest);
}
