/**
 * Turns an index of rust-analyzer into truth for `score.ts`: one JSON object a line for each symbol that the tree
 * defines, with the places of all its uses, and one of kind "known" with every place that can be judged. Places are "path:offset", offsets in bytes.
 *
 * Usage: rust-analyzer scip ROOT --output INDEX; node bench/index/truth/rust/read-scip.ts INDEX ROOT >truth.jsonl
 * The message numbers are those of scip.proto (sourcegraph/scip): Index.documents 2; Document.relative_path 1,
 * occurrences 2, symbols 3; Occurrence.range 1, symbol 2, symbol_roles 3; SymbolInformation.symbol 1, kind 5.
 */
import { readFileSync } from "node:fs";
import path from "node:path";

interface Field {
	readonly number: number;
	readonly value: number;
	readonly bytes: Buffer;
}

function* readFields(bytes: Buffer): Generator<Field> {
	let at = 0;
	const varint = (): number => {
		let value = 0;
		for (let factor = 1; ; factor *= 128) {
			const byte = bytes[at++] ?? 0;
			value += (byte & 127) * factor;
			if (byte < 128) return value;
		}
	};
	while (at < bytes.length) {
		const key = varint();
		const number = Math.floor(key / 8);
		if (key % 8 === 0) yield { number, value: varint(), bytes: Buffer.alloc(0) };
		else if (key % 8 === 2) {
			const length = varint();
			yield { number, value: 0, bytes: bytes.subarray(at, at + length) };
			at += length;
		} else throw new Error(`wire type ${key % 8} at ${at} is not expected in an index`);
	}
}

function readPacked(bytes: Buffer): number[] {
	const values: number[] = [];
	let value = 0;
	let factor = 1;
	for (const byte of bytes) {
		value += (byte & 127) * factor;
		factor *= 128;
		if (byte >= 128) continue;
		values.push(value);
		value = 0;
		factor = 1;
	}
	return values;
}

interface Entry {
	readonly name: string;
	readonly kind: string;
	readonly at: string;
	readonly also: Set<string>;
	readonly refs: Set<string>;
}

/** Kinds of SymbolInformation that are judged. */
const KINDS: Readonly<Record<number, string>> = {
	8: "constant",
	11: "type",
	12: "variant",
	15: "field",
	17: "function",
	26: "method",
	49: "type",
	53: "type",
	55: "type",
	59: "type",
	66: "method",
	68: "method",
	70: "method",
	80: "method",
	82: "constant",
};

const [indexFile = "", root = ""] = process.argv.slice(2);
const kinds = new Map<string, number>();
const entries = new Map<string, Entry>();
const uses: { readonly symbol: string; readonly place: string }[] = [];
/** Every place that the analyzer knows: code that its configuration leaves out cannot be judged. */
const places: string[] = [];

for (const { number, bytes } of readFields(readFileSync(indexFile))) if (number === 2) readDocument(bytes);
for (const { symbol, place } of uses) entries.get(symbol)?.refs.add(place);
for (const [symbol, entry] of entries) {
	const kind = KINDS[kinds.get(symbol) ?? -1];
	if (kind === undefined) continue;
	console.log(JSON.stringify({ ...entry, kind, also: [...entry.also], refs: [...entry.refs].sort() }));
}
console.log(JSON.stringify({ name: "", kind: "known", at: ":0", refs: places }));

function readDocument(document: Buffer): void {
	const fields = [...readFields(document)];
	const file = fields.find((field) => field.number === 1)?.bytes.toString("utf8") ?? "";
	const text = readFileSync(path.join(root, file));
	const lines = [0];
	for (let at = text.indexOf(10); at !== -1; at = text.indexOf(10, at + 1)) lines.push(at + 1);
	for (const { bytes } of fields.filter((field) => field.number === 3)) {
		const parts = [...readFields(bytes)];
		const symbol = parts.find((part) => part.number === 1)?.bytes.toString("utf8") ?? "";
		kinds.set(symbol, parts.find((part) => part.number === 5)?.value ?? 0);
	}
	for (const { bytes } of fields.filter((field) => field.number === 2)) readOccurrence(file, text, lines, bytes);
}

function readOccurrence(file: string, text: Buffer, lines: readonly number[], occurrence: Buffer): void {
	const parts = [...readFields(occurrence)];
	const symbol = parts.find((part) => part.number === 2)?.bytes.toString("utf8") ?? "";
	const range = readPacked(parts.find((part) => part.number === 1)?.bytes ?? Buffer.alloc(0));
	const [line = 0, from = 0] = range;
	const to = range.length === 3 ? (range[2] ?? 0) : (range[3] ?? 0);
	const start = (lines[line] ?? 0) + from;
	const name = text.subarray(start, (lines[line] ?? 0) + to).toString("utf8");
	const place = `${file}:${start}`;
	places.push(place);
	if (symbol === "" || symbol.startsWith("local ")) return;
	const isDefinition = ((parts.find((part) => part.number === 3)?.value ?? 0) & 1) === 1;
	if (!isDefinition) uses.push({ symbol, place });
	else if (/^[\p{L}_][\p{L}\p{N}_]*$/u.test(name)) {
		const known = entries.get(symbol);
		if (known === undefined) entries.set(symbol, { name, kind: "", at: place, also: new Set(), refs: new Set() });
		else known.also.add(place);
	}
}
