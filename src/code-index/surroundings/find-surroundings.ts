import type { FilePatch } from "../../domain/change-set.ts";
import type { Excerpt, Surroundings } from "../../domain/surroundings.ts";
import { listShared } from "../changes/shared-definitions.ts";
import type { IndexState } from "../index-state.ts";
import type { Definition } from "../types.ts";
import { type ChangedPlace, length, nameHunks, readPlace, touchedDefinitions } from "./changed-place.ts";

/** A function of which the diff shows a part is shown whole up to this many lines. */
const MAX_ENCLOSING_LINES = 80;
/** Of a longer definition the first lines are shown: signature, fields, documentation inside. */
const MAX_DEFINITION_LINES = 24;
const HEAD_LINES = 12;
/** Uses around which lines are shown, for one definition. */
const MAX_USES = 3;
const USE_CONTEXT = 2;
/** A name in more files than this says little about where it is used. */
const MAX_FILES_OF_A_NAME = 20;
/** The same, where only the name speaks. */
const MAX_FILES_OF_A_GUESS = 6;
const MAX_EXCERPTS = 60;

interface Candidate extends Excerpt {
	/** Higher is more helpful. */
	readonly score: number;
}

/**
 * What helps to read a change, most helpful first: the rest of the functions it stands in, what it uses, who uses what it
 * changed, and its tests. Made from the tree alone, in the same way every time.
 * @param isTest whether a path is one of tests
 * @param goOn lets others run; false when the time is up
 * @returns undefined when the time was up: half an answer would differ from run to run
 */
export async function findSurroundings(
	state: IndexState,
	patches: readonly FilePatch[],
	isTest: (path: string) => boolean,
	goOn: () => Promise<boolean>,
): Promise<Surroundings | undefined> {
	await state.prepare(patches.map((patch) => patch.path));
	const places = patches.flatMap((patch) => {
		const text = state.context.text(patch.path);
		const facts = state.context.facts(patch.path);
		return text === undefined || facts === undefined || patch.hunks.length === 0 ? [] : [readPlace(patch, text, facts)];
	});
	const found: Candidate[] = [];
	for (const place of places) {
		for (const find of [() => enclosingOf(place), () => usedBy(place, state, places), () => usersOf(place, state, isTest)]) {
			if (!(await goOn())) return undefined;
			found.push(...find());
		}
	}
	return {
		enclosing: new Map(places.map((place) => [place.path, nameHunks(place)])),
		excerpts: withoutOverlaps(found.sort((a, b) => b.score - a.score || compare(a.path, b.path) || a.startLine - b.startLine)).slice(
			0,
			MAX_EXCERPTS,
		),
	};
}

function compare(a: string, b: string): number {
	return a < b ? -1 : a > b ? 1 : 0;
}

/** The whole of functions of which the diff shows only a part. */
function enclosingOf(place: ChangedPlace): readonly Candidate[] {
	return touchedDefinitions(place).flatMap(({ definition }): readonly Candidate[] => {
		if (length(definition) >= MAX_ENCLOSING_LINES || isShown(place, definition.startLine, definition.endLine)) return [];
		return [cut(place.path, place.text, definition.startLine, definition.endLine, `the whole of \`${definition.name}\``, 50)];
	});
}

function isShown(place: ChangedPlace, from: number, to: number): boolean {
	for (let line = from; line <= to; line++) if (!place.shown.has(line)) return false;
	return true;
}

/** Definitions that touched lines refer to and the diff does not show. */
function usedBy(place: ChangedPlace, state: IndexState, places: readonly ChangedPlace[]): readonly Candidate[] {
	const support = state.supportOf(place.path);
	const candidates = new Map<string, { readonly path: string; readonly definition: Definition; uses: number; sure: boolean }>();
	place.facts.occurrences.forEach((occurrence, position) => {
		if (!place.touched.has(occurrence.line) || support === undefined) return;
		const meaning = support.resolve(place.path, place.facts, position, state.context);
		const targets = meaning.kind === "found" ? meaning.targets : meaning.kind === "unknown" ? onlyDefinition(occurrence.name, state) : [];
		for (const target of targets.slice(0, 2)) {
			const definition = state.context.facts(target.path)?.definitions[target.definition];
			if (definition === undefined || isInside(place, target.path, definition)) continue;
			const key = `${target.path}\0${target.definition}`;
			const known = candidates.get(key) ?? { path: target.path, definition, uses: 0, sure: meaning.kind === "found" };
			known.uses += 1;
			candidates.set(key, known);
		}
	});
	return [...candidates.values()].flatMap(({ path, definition, uses, sure }): readonly Candidate[] => {
		const text = state.context.text(path);
		const other = places.find((one) => one.path === path);
		const end = length(definition) < MAX_DEFINITION_LINES ? definition.endLine : definition.startLine + HEAD_LINES - 1;
		if (text === undefined || (other !== undefined && isShown(other, definition.startLine, end))) return [];
		const score =
			(sure ? 30 : 12) +
			Math.min(uses, 5) +
			(/^(function|method|constructor|class|interface|struct|trait|type|enum)$/.test(definition.kind) ? 3 : 0);
		return [cut(path, text, definition.startLine, end, `defines \`${definition.name}\`, which the change uses`, score)];
	});
}

/** A local of the function that is looked at, or a parameter: what is near needs no excerpt. */
function isInside(place: ChangedPlace, path: string, definition: Definition): boolean {
	if (definition.kind === "parameter" || definition.kind === "typeParameter" || definition.kind === "label") return true;
	return path === place.path && !listShared(place.facts).some((shared) => shared.definition === definition);
}

/** The one definition of a name, where only one shared definition in few files has it. */
function onlyDefinition(name: string, state: IndexState): readonly { readonly path: string; readonly definition: number }[] {
	return state.context.memo(`surroundings ${name}`, () => findOnlyDefinition(name, state));
}

function findOnlyDefinition(name: string, state: IndexState): readonly { readonly path: string; readonly definition: number }[] {
	const files = state.context.filesWithWord(name);
	if (files.length > MAX_FILES_OF_A_GUESS) return [];
	const found = files.flatMap((path) => {
		const facts = state.context.facts(path);
		if (facts === undefined) return [];
		return listShared(facts).flatMap(({ definition, position }) => (definition.name === name ? [{ path, definition: position }] : []));
	});
	return found.length === 1 ? found : [];
}

/** Lines around uses of what the change touched, in code and in tests. */
function usersOf(place: ChangedPlace, state: IndexState, isTest: (path: string) => boolean): readonly Candidate[] {
	return touchedDefinitions(place).flatMap(({ definition, position }): readonly Candidate[] => {
		const files = state.context.filesWithWord(definition.name);
		if (files.length > MAX_FILES_OF_A_NAME) return [];
		const uses = files.flatMap((path) => usesIn(path, { place, definition, position }, state));
		const code = uses.filter((use) => !isTest(use.path)).slice(0, MAX_USES);
		const tests = uses.filter((use) => isTest(use.path)).slice(0, 1);
		return [...code, ...tests].map((use) => {
			const text = state.context.text(use.path) ?? "";
			const what = isTest(use.path) ? "tests" : "uses";
			const from = Math.max(1, use.line - USE_CONTEXT);
			return cut(use.path, text, from, use.line + USE_CONTEXT, `${what} \`${definition.name}\``, isTest(use.path) ? 15 : 20);
		});
	});
}

function usesIn(
	path: string,
	target: { readonly place: ChangedPlace; readonly definition: Definition; readonly position: number },
	state: IndexState,
): readonly { readonly path: string; readonly line: number }[] {
	const facts = state.context.facts(path);
	const support = state.supportOf(path);
	if (facts === undefined || support === undefined) return [];
	return facts.occurrences.flatMap((occurrence, position) => {
		if (occurrence.name !== target.definition.name || occurrence.role === "import") return [];
		if (path === target.place.path && target.place.shown.has(occurrence.line)) return [];
		const meaning = support.resolve(path, facts, position, state.context);
		const isTarget =
			meaning.kind === "found" && meaning.targets.some((one) => one.path === target.place.path && one.definition === target.position);
		return isTarget ? [{ path, line: occurrence.line }] : [];
	});
}

function cut(path: string, text: string, startLine: number, endLine: number, reason: string, score: number): Candidate {
	const lines = text.split("\n");
	const last = Math.min(endLine, lines.length);
	return {
		path,
		startLine,
		endLine: last,
		text: lines
			.slice(startLine - 1, last)
			.join("\n")
			.replace(/\r/g, ""),
		reason,
		score,
	};
}

/** Leaves out what a better excerpt shows already. */
function withoutOverlaps(sorted: readonly Candidate[]): readonly Excerpt[] {
	const kept: Candidate[] = [];
	for (const one of sorted) {
		const covered = kept.some((other) => other.path === one.path && other.startLine <= one.startLine && one.endLine <= other.endLine);
		if (!covered) kept.push(one);
	}
	return kept.map(({ score: _score, ...excerpt }) => excerpt);
}
