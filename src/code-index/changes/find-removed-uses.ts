import type { DefinitionRef, FileFacts, IndexContext, Occurrence, Resolution } from "../types.ts";
import { isUncertainAbsence } from "./absence-guards.ts";
import { baseVersions, EarlierMeanings } from "./earlier-meanings.ts";
import { overlayContext } from "./overlay-context.ts";
import { isPlatformName } from "./platform-names.ts";
import { keyOf, listShared } from "./shared-definitions.ts";
import {
	type ChangedVersions,
	MAX_CANDIDATE_FILES,
	occurrencesOf,
	type SearchLimits,
	type StaleUse,
	type TreeComparison,
} from "./tree-comparison.ts";

/** A use of what is not there any more. */
export interface RemovedUse extends StaleUse {
	/** `definition`: it is gone; `export`: it still stands in its file and is not handed on any more. */
	readonly gone: "definition" | "export";
	/** What the definition seems to be called now; only where a single one fits. */
	readonly renamedTo?: string;
}

export interface RemovedUses extends SearchLimits {
	readonly uses: readonly RemovedUse[];
}

/**
 * Uses at the head of what the change removed or renamed. A use counts only when it was bound to that definition in the
 * tree before the change, by a binding or by a known type, and is bound to nothing now. What could be there in a way that
 * no index sees (wildcards, dynamic names, unknown supertypes) counts as there.
 */
export async function findRemovedUses(trees: TreeComparison): Promise<RemovedUses> {
	const search = new RemovedSearch(trees);
	const uses: RemovedUse[] = [];
	const common: string[] = [];
	for (const [name, changed] of search.listCandidates()) {
		if (!(await trees.goOn())) return { uses, common, outOfTime: true };
		const files = trees.head.filesWithWord(name);
		if (files.length > MAX_CANDIDATE_FILES) {
			common.push(name);
			continue;
		}
		for (const path of files) {
			if (trees.isIgnored(path)) continue;
			if (!(await trees.goOn())) return { uses, common, outOfTime: true };
			uses.push(...search.usesIn(path, name, changed));
		}
	}
	return { uses, common, outOfTime: false };
}

class RemovedSearch {
	readonly #trees: TreeComparison;
	/** All changed files as they were. */
	readonly #base: IndexContext;
	readonly #earlier: EarlierMeanings;

	constructor(trees: TreeComparison) {
		this.#trees = trees;
		this.#earlier = new EarlierMeanings(trees);
		this.#base = this.#earlier.base;
	}

	/** Names that some changed file handed to others, or bound, and does not any more. In the order of the files. */
	listCandidates(): ReadonlyMap<string, readonly ChangedVersions[]> {
		const names = new Map<string, ChangedVersions[]>();
		for (const file of this.#trees.files.filter((one) => this.#trees.isAsked(one))) {
			if (file.base === undefined || this.#trees.isIgnored(file.base.path) || file.head?.facts.hasErrors === true) continue;
			const moved = file.head?.path !== file.base.path;
			const left = file.head === undefined || moved ? new Set<string>() : boundNames(file.head.facts);
			for (const key of boundNames(file.base.facts)) {
				if (left.has(key)) continue;
				const name = key.split(".").at(-1) ?? key;
				names.set(name, [...new Set([...(names.get(name) ?? []), file])]);
			}
		}
		return names;
	}

	usesIn(path: string, name: string, changed: readonly ChangedVersions[]): readonly RemovedUse[] {
		const facts = this.#trees.head.facts(path);
		const support = this.#trees.supportOf(path);
		if (facts === undefined || support === undefined || facts.hasErrors) return [];
		const found: RemovedUse[] = [];
		for (const position of occurrencesOf(facts, name)) {
			const occurrence = facts.occurrences[position];
			if (occurrence === undefined || occurrence.isKey === true) continue;
			const now = support.resolve(path, facts, position, this.#trees.head);
			if (now.kind === "found") continue;
			const before = this.#earlier.resolve(path, facts, position);
			if (before?.kind !== "found") continue;
			if (occurrence.receiver === undefined && occurrence.role !== "import" && isPlatformName(name, facts.grammar)) continue;
			const use = this.#judge({ path, facts, occurrence, before }, changed);
			if (use !== undefined) found.push(use);
		}
		return found;
	}

	#judge(
		use: {
			readonly path: string;
			readonly facts: FileFacts;
			readonly occurrence: Occurrence;
			readonly before: Extract<Resolution, { readonly kind: "found" }>;
		},
		changed: readonly ChangedVersions[],
	): RemovedUse | undefined {
		const { before, path, occurrence } = use;
		const target = before.targets[0];
		const definition = target === undefined ? undefined : this.#base.facts(target.path)?.definitions[target.definition];
		if (target === undefined || definition === undefined || this.#trees.isIgnored(target.path)) return undefined;
		const there = before.targets.filter((one) => this.#isStillThere(one));
		if (there.length > 0 && before.certainty === "typed") return undefined;
		const files = this.#trees.files.filter((file) => changed.includes(file) || file.base?.path === target.path);
		if (isUncertainAbsence({ ...use, target, files, trees: this.#trees, base: this.#base })) return undefined;
		if (before.certainty === "typed" && !this.#dependsOnlyOn(target, use)) return undefined;
		const renamedTo = there.length > 0 ? undefined : this.#findNewName(target);
		return {
			path,
			occurrence,
			target: { path: target.path, definition },
			certainty: before.certainty,
			evidence: before.evidence,
			gone: there.length > 0 ? "export" : "definition",
			...(renamedTo === undefined ? {} : { renamedTo }),
		};
	}

	#isStillThere(target: DefinitionRef): boolean {
		const before = this.#base.facts(target.path);
		const now = this.#trees.head.facts(target.path);
		if (before === undefined || now === undefined) return false;
		const key = keyOf(before, target.definition);
		return now.definitions.some(
			(definition, position) => definition.name === before.definitions[target.definition]?.name && keyOf(now, position) === key,
		);
	}

	/** True when the use is bound again as soon as the target's file alone is as it was: then no other change explains it. */
	#dependsOnlyOn(
		target: DefinitionRef,
		use: { readonly path: string; readonly facts: FileFacts; readonly occurrence: Occurrence },
	): boolean {
		const file = this.#trees.files.find((one) => one.base?.path === target.path);
		const support = this.#trees.supportOf(use.path);
		if (file === undefined || support === undefined) return false;
		if (file.head?.path === use.path) return true;
		const position = use.facts.occurrences.indexOf(use.occurrence);
		const context = overlayContext(this.#trees.head, baseVersions([file]));
		const again = support.resolve(use.path, use.facts, position, context);
		return again.kind === "found" && again.targets.some((one) => one.path === target.path && one.definition === target.definition);
	}

	/** The only definition that is new in the same place and of the same kind and shape. */
	#findNewName(target: DefinitionRef): string | undefined {
		const file = this.#trees.files.find((one) => one.base?.path === target.path);
		if (file?.base === undefined || file.head === undefined) return undefined;
		const old = file.base.facts.definitions[target.definition];
		const known = new Set(listShared(file.base.facts).map((shared) => shared.key));
		const prefix = keyOf(file.base.facts, target.definition).split(".").slice(0, -1).join(".");
		const fresh = listShared(file.head.facts).filter(
			({ key, definition }) =>
				!known.has(key) &&
				key.split(".").slice(0, -1).join(".") === prefix &&
				definition.kind === old?.kind &&
				definition.parameters?.required === old.parameters?.required &&
				Math.abs(definition.endLine - definition.startLine - (old.endLine - old.startLine)) <= 2,
		);
		return fresh.length === 1 ? fresh[0]?.definition.name : undefined;
	}
}

/** Keys of shared definitions, and names that exports and file-wide imports bind: what others may take from a file. */
function boundNames(facts: FileFacts): ReadonlySet<string> {
	return new Set([
		...listShared(facts).map((shared) => shared.key),
		...facts.exports.flatMap((entry) => (entry.exported === "*" ? [] : [entry.exported])),
		...facts.imports.flatMap((entry) => (entry.local === undefined || entry.scope !== 0 ? [] : [entry.local])),
	]);
}
