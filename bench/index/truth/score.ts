/**
 * Precision and recall of reference answers against a compiler's, by kind of symbol and by certainty (INDEX.md 3).
 *
 * Usage: node bench/index/truth/score.ts LANGUAGE ROOT TRUTH.jsonl [--symbols 50] [--seed 1] [--under FOLDER] [--misses]
 * TRUTH has one object a line: `{name, kind, at, refs}`, places as `path:offset`, offsets in bytes (`--utf16`: in UTF-16
 * units); one of kind "known" lists all places that can be judged. Makers of such files stand beside this one.
 */
import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import type { DefinitionRef, FileFacts, IndexContext, LanguageSupport } from "../../../src/code-index/types.ts";
import { GO_SUPPORT } from "../../../src/code-index/languages/go/go-support.ts";
import { JAVA_SUPPORT } from "../../../src/code-index/languages/java/java-support.ts";
import { RUST_SUPPORT } from "../../../src/code-index/languages/rust/rust-support.ts";
import { openTree } from "./open-tree.ts";

interface TruthEntry {
	readonly name: string;
	readonly kind: string;
	readonly at: string;
	readonly refs: readonly string[];
	/** Places of the other declarations that count as the same symbol: overloads of one name. */
	readonly also?: readonly string[];
}

interface Tally {
	symbols: number;
	truth: number;
	sure: number;
	sureRight: number;
	resolved: number;
	resolvedRight: number;
	name: number;
	nameRight: number;
	exact: number;
	macroPrecision: number;
	macroRecall: number;
}

const SUPPORTS: Readonly<Record<string, LanguageSupport>> = { go: GO_SUPPORT, java: JAVA_SUPPORT, rust: RUST_SUPPORT };

const { values, positionals } = parseArgs({
	allowPositionals: true,
	options: {
		symbols: { type: "string", default: "50" },
		seed: { type: "string", default: "1" },
		under: { type: "string", default: "" },
		utf16: { type: "boolean", default: false },
		misses: { type: "boolean", default: false },
	},
});
const [language = "", root = "", truthFile = ""] = positionals;
const support = SUPPORTS[language];
if (support === undefined || root === "" || truthFile === "") {
	console.error(`score: wanted: LANGUAGE ROOT TRUTH, the language one of ${Object.keys(SUPPORTS).join(", ")}`);
	process.exit(2);
}

const context = await openTree(root, support);
const lines = readFileSync(truthFile, "utf8")
	.split("\n")
	.filter((line) => line !== "")
	.map((line) => JSON.parse(line) as TruthEntry);
// Some compilers skip code of other platforms; what they say nothing of is not judged.
const known = new Set(lines.filter((entry) => entry.kind === "known").flatMap((entry) => entry.refs));
const entries = lines.filter((entry) => entry.kind !== "known" && entry.refs.length > 0 && entry.at.startsWith(values.under));
report(entries, context, support);

function report(all: readonly TruthEntry[], tree: IndexContext, language_: LanguageSupport): void {
	// Where the compiler says nothing of a place (another platform's file), no answer can be judged.
	const judged = new Set(all.flatMap((entry) => [entry.at, ...entry.refs]).map((place) => place.slice(0, place.lastIndexOf(":"))));
	for (const kind of [...new Set(all.map((entry) => entry.kind))].sort()) {
		const tally: Tally = {
			symbols: 0,
			truth: 0,
			sure: 0,
			sureRight: 0,
			resolved: 0,
			resolvedRight: 0,
			name: 0,
			nameRight: 0,
			exact: 0,
			macroPrecision: 0,
			macroRecall: 0,
		};
		for (const entry of sample(
			all.filter((one) => one.kind === kind),
			Number(values.symbols),
			Number(values.seed),
		)) {
			judge(entry, tally, tree, language_, judged);
		}
		print(kind, tally);
	}
}

function judge(entry: TruthEntry, tally: Tally, tree: IndexContext, language_: LanguageSupport, judged: ReadonlySet<string>): void {
	const targets = [entry.at, ...(entry.also ?? [])].flatMap((place) => findDefinition(place, tree) ?? []);
	if (targets.length === 0) {
		console.log(`  not defined here: ${entry.kind} ${entry.name} at ${entry.at}`);
		tally.truth += entry.refs.length;
		tally.symbols++;
		return;
	}
	const truth = new Set(entry.refs);
	const sure = new Set<string>();
	let sureRight = 0;
	const unsure = new Set<string>();
	for (const file of tree.filesWithWord(entry.name)) {
		const facts = tree.facts(file);
		if (facts === undefined || !judged.has(file)) continue;
		facts.occurrences.forEach((occurrence, index) => {
			if (occurrence.name !== entry.name) return;
			const place = `${file}:${toOffset(file, occurrence.index, tree)}`;
			if (known.size > 0 && !known.has(place)) return;
			const resolution = language_.resolve(file, facts, index, tree);
			if (resolution.kind === "unknown") unsure.add(place);
			if (resolution.kind !== "found") return;
			if (!resolution.targets.some((target) => targets.some((one) => same(one, target)))) return;
			sure.add(place);
			const right = truth.has(place);
			if (right) sureRight++;
			else if (values.misses) console.log(`  wrong: ${entry.kind} ${entry.name} (${entry.at}) at ${place} ${resolution.evidence}`);
			if (resolution.certainty === "resolved") {
				tally.resolved++;
				if (right) tally.resolvedRight++;
			}
		});
	}
	const nameRight = [...unsure].filter((place) => truth.has(place)).length;
	if (values.misses) {
		for (const place of truth) {
			if (!sure.has(place))
				console.log(`  missed${unsure.has(place) ? " (name)" : ""}: ${entry.kind} ${entry.name} (${entry.at}) at ${place}`);
		}
	}
	tally.symbols++;
	tally.truth += truth.size;
	tally.sure += sure.size;
	tally.sureRight += sureRight;
	tally.name += unsure.size;
	tally.nameRight += nameRight;
	tally.exact += sureRight === truth.size && sure.size === truth.size ? 1 : 0;
	tally.macroPrecision += sure.size === 0 ? 1 : sureRight / sure.size;
	tally.macroRecall += sureRight / truth.size;
}

function print(kind: string, tally: Tally): void {
	const share = (part: number, whole: number): string => (whole === 0 ? "-" : (part / whole).toFixed(3));
	console.log(
		[
			kind.padEnd(12),
			`n ${tally.symbols}`,
			`refs ${tally.truth}`,
			`P ${share(tally.sureRight, tally.sure)}`,
			`R ${share(tally.sureRight, tally.truth)}`,
			`R with names ${share(tally.sureRight + tally.nameRight, tally.truth)}`,
			`macro P ${share(tally.macroPrecision, tally.symbols)} R ${share(tally.macroRecall, tally.symbols)}`,
			`resolved P ${share(tally.resolvedRight, tally.resolved)} (${tally.resolved})`,
			`name hits ${tally.name} P ${share(tally.nameRight, tally.name)}`,
			`exact ${share(tally.exact, tally.symbols)}`,
		].join("  "),
	);
}

function same(a: DefinitionRef, b: DefinitionRef): boolean {
	return a.path === b.path && a.definition === b.definition;
}

function findDefinition(place: string, tree: IndexContext): DefinitionRef | undefined {
	const split = place.lastIndexOf(":");
	const file = place.slice(0, split);
	const facts: FileFacts | undefined = tree.facts(file);
	const offset = Number(place.slice(split + 1));
	const definition = facts?.definitions.findIndex((one) => toOffset(file, one.index, tree) === offset) ?? -1;
	return definition === -1 ? undefined : { path: file, definition };
}

/** Offset in the truth's unit. */
function toOffset(file: string, index: number, tree: IndexContext): number {
	if (values.utf16) return index;
	const text = tree.text(file) ?? "";
	return isAscii(file, text) ? index : Buffer.byteLength(text.slice(0, index), "utf8");
}

function isAscii(file: string, text: string): boolean {
	// biome-ignore lint/suspicious/noControlCharactersInRegex: the range of ASCII is meant
	return context.memo(`ascii:${file}`, () => /^[\x00-\x7f]*$/.test(text));
}

/** The same symbols for the same seed, spread evenly over the list (mulberry32). */
function sample<T>(list: readonly T[], count: number, seed: number): readonly T[] {
	let state = seed;
	const next = (): number => {
		state = (state + 0x6d2b79f5) | 0;
		let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
		mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
		return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
	};
	return list
		.map((value) => ({ value, key: next() }))
		.sort((a, b) => a.key - b.key)
		.slice(0, count)
		.map(({ value }) => value);
}
