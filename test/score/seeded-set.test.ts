import { readdir, readFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { readSeededCase } from "../../src/score/read-seeded.ts";

const FOLDER = path.join(import.meta.dirname, "../../scorecard");

const CASE = `title: One
language: go
base:
  a.go: |
    package a

    func A() {}
changes:
  - path: a.go
    find: "func A() {}"
    replace: "func A() { panic(1) }"
    defects:
      - { on: panic(1), category: bug, severity: critical, why: It panics. }
  - { path: b.go, add: "package a\\n" }
`;

describe("the seeded set", () => {
	it("1c-16 holds 60 defects of many kinds in 20 pull requests of five languages, and pull requests without any", async () => {
		const names = (await readdir(FOLDER)).filter((name) => name.endsWith(".yml"));
		const cases = await Promise.all(names.map(async (name) => readSeededCase(await readFile(path.join(FOLDER, name), "utf8"), name, name)));
		expect(cases.length).toBeGreaterThanOrEqual(20);
		const defects = cases.flatMap((each) => each.defects);
		expect(defects.length).toBeGreaterThanOrEqual(60);
		for (const language of ["go", "rust", "python", "java", "typescript"]) {
			const own = cases.filter((each) => each.language === language);
			expect(own.length, language).toBeGreaterThanOrEqual(4);
			expect(own.flatMap((each) => each.defects).length, language).toBeGreaterThanOrEqual(10);
		}
		expect(cases.filter((each) => each.defects.length === 0).length).toBeGreaterThanOrEqual(3);
		expect(new Set(defects.map((defect) => defect.category)).size).toBeGreaterThanOrEqual(6);
		// No two defects of a case are at one place: each can be found on its own.
		for (const each of cases) {
			const places = each.defects.map((defect) => `${defect.path}:${defect.startLine}`);
			expect(new Set(places).size, each.id).toBe(places.length);
		}
	});

	it("1c-16 a case makes the head of the base's files and edits, and finds the lines of its defects", () => {
		const read = readSeededCase(CASE, "one.yml", "one");
		expect(read).toMatchObject({ id: "one", language: "go", complete: true, decoys: [] });
		expect(read.source).toEqual({
			kind: "files",
			base: { "a.go": "package a\n\nfunc A() {}\n" },
			head: { "a.go": "package a\n\nfunc A() { panic(1) }\n", "b.go": "package a\n" },
		});
		expect(read.defects).toEqual([
			{ path: "a.go", startLine: 3, endLine: 3, side: "RIGHT", text: "It panics.", severity: "critical", category: "bug" },
		]);
	});

	it.each([
		[
			"an edit that fits nowhere",
			CASE.replace('find: "func A() {}"', 'find: "func B() {}"'),
			'changes of a.go: found "func B() {}" nowhere',
		],
		["an edit that fits twice", CASE.replace("func A() {}\nchanges", "func A() {}\n    func A() {}\nchanges"), "twice, wanted it once"],
		["a defect that is not there", CASE.replace("on: panic(1)", "on: panic(2)"), 'found "panic(2)" on 0 lines of the head'],
		["a category that is none", CASE.replace("category: bug", "category: bugs"), "changes.0"],
		["no YAML", "title: [", "not valid YAML"],
		["a missing key", "title: One\n", "language"],
	])("1c-16 refuses %s with file, key, found and wanted", (_, text, part) => {
		expect(() => readSeededCase(text, "one.yml", "one")).toThrow(
			expect.objectContaining({ name: "UserError", message: expect.stringContaining(part) }),
		);
		expect(() => readSeededCase(text, "one.yml", "one")).toThrow(/^one\.yml/);
	});
});
