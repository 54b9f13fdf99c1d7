/**
 * Lists which spec ids have a test that names them. Ids are read from the names of tests and suites
 * under `test/`; the wanted list is `test/spec-ids.json`. `--json` prints {covered, missing} alone.
 */
import { readdir, readFile } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const TEST_NAME =
	/\b(?:it|test|describe)(?:\.each\((?:[^()]|\([^()]*\))*\)|\.each`[^`]*`|\.runIf\([^)]*\)|\.skipIf\([^)]*\))?\(\s*(["'`])((?:\\.|(?!\1)[\s\S])*)\1/g;
const ID = /\b(?:S-\d{3}|A\d{2,3}|R\d{2}|BR-\d{2}|X-\d{2})\b/g;

interface Range {
	readonly prefix: string;
	readonly from: number;
	readonly to: number;
	readonly digits: number;
}

function expand({ prefix, from, to, digits }: Range): string[] {
	return Array.from({ length: to - from + 1 }, (_, index) => `${prefix}${String(from + index).padStart(digits, "0")}`);
}

const wanted = (JSON.parse(await readFile(path.join(root, "test/spec-ids.json"), "utf8")) as { ranges: Range[] }).ranges.flatMap(expand);
const named = new Map<string, string[]>();
for (const entry of await readdir(path.join(root, "test"), { recursive: true })) {
	if (!entry.endsWith(".test.ts")) continue;
	const source = await readFile(path.join(root, "test", entry), "utf8");
	for (const match of source.matchAll(TEST_NAME)) {
		for (const [id] of (match[2] ?? "").matchAll(ID)) named.set(id, [...(named.get(id) ?? []), entry]);
	}
}
const covered = wanted.filter((id) => named.has(id));
const missing = wanted.filter((id) => !named.has(id));
if (process.argv.includes("--json")) {
	console.log(JSON.stringify({ covered, missing }));
} else {
	for (const id of covered) console.log(`${id}  ${[...new Set(named.get(id))].join(", ")}`);
	console.log(`\nwithout a test: ${missing.join(" ") || "none"}`);
	console.log(`${covered.length} of ${wanted.length} ids have a test that names them`);
}
