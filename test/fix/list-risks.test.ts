import { describe, expect, it } from "vitest";
import type { ChangedFile, FilePatch } from "../../src/domain/change-set.ts";
import { listRisks } from "../../src/fix/list-risks.ts";
import { buildChangedText } from "../../src/tools/diagnosis/changed-text.ts";

/** Risks of replacing all lines of one file. */
function risksOf(path: string, before: string | null, after: string | null): readonly string[] {
	const [old, now] = [before?.split("\n") ?? [], after?.split("\n") ?? []];
	const file: ChangedFile = {
		path,
		status: after === null ? "deleted" : before === null ? "added" : "modified",
		...{ oldMode: "100644", newMode: "100644", oldBlob: "1".repeat(40), newBlob: "2".repeat(40), binary: false },
		...{ additions: now.length, deletions: old.length },
	};
	const patch: FilePatch = {
		path,
		binary: false,
		hunks: [
			{
				...{ oldStart: 1, oldLines: old.length, newStart: 1, newLines: now.length, section: "" },
				lines: [
					...old.map((text, index) => ({ kind: "deleted" as const, text, oldLine: index + 1 })),
					...now.map((text, index) => ({ kind: "added" as const, text, newLine: index + 1 })),
				],
			},
		],
	};
	const texts = after === null ? [] : [buildChangedText(file, patch, after, before ?? undefined)];
	return listRisks({ base: "3".repeat(40), tree: "4".repeat(40), files: [file] }, texts).map(
		(risk) => `${risk.weakens ? "weakens" : "look"}: ${risk.text}`,
	);
}

describe("the risks of a patch", () => {
	it.each([
		["a.test.ts", 'it("a", () => {});', 'it.skip("a", () => {});', "a test is left out"],
		[
			"pkg/a_test.go",
			"func TestA(t *testing.T) {\n\tt.Fatal(1)\n}",
			"func TestA(t *testing.T) {\n\tt.Skip()\n\tt.Fatal(1)\n}",
			"a test is left out",
		],
		["tests/test_a.py", "def test_a():\n    assert x == 1", "def test_a():\n    pass", "it tests less than before"],
		[
			"src/test/java/ATest.java",
			"@Test\nvoid a() { assertEquals(1, x); }",
			"@Disabled @Test\nvoid a() { assertEquals(1, x); }",
			"a test is left out",
		],
		[
			"a.spec.js",
			'it("a", () => expect(1).toBe(1));\nit("b", () => expect(1).toBe(1));',
			'it("a", () => expect(1).toBe(1));',
			"it tests less than before",
		],
		["src/a.ts", "const a = 1;", "// eslint-disable-next-line\nconst a = 1;", "a checker is told to look away"],
		["src/a.py", "import b", "import b  # noqa", "a checker is told to look away"],
		["src/lib.rs", "fn a() {}", "#[allow(dead_code)]\nfn a() {}", "a checker is told to look away"],
		["package.json", "{}", '{ "scripts": { "test": "true" } }', "decides how the checks run"],
		["web/vitest.config.ts", "a", "b", "decides how the checks run"],
		["tests/conftest.py", "a", "b", "decides how the checks run"],
	])("X-12 %s: what takes from the proof is told as that", (path, before, after, text) => {
		const risks = risksOf(path, before, after);
		expect(
			risks.some((risk) => risk.startsWith("weakens: ") && risk.includes(text)),
			risks.join("\n"),
		).toBe(true);
	});

	it("X-12 a test file that goes weakens, another file is only named, and ordinary changes have no risk", () => {
		expect(risksOf("a.test.ts", "it()", null)).toEqual(["weakens: a.test.ts: a test file is gone"]);
		expect(risksOf("src/a.ts", "a", null)).toEqual(["look: src/a.ts is gone"]);
		expect(risksOf("src/a.ts", "const a = 1;", "const a = 2;")).toEqual([]);
		expect(risksOf("a.test.ts", 'it.only("a", () => {});', 'it("a", () => {});')).toEqual(["look: a.test.ts: a test is changed"]);
		expect(
			risksOf("a.test.ts", 'it("a", () => expect(a).toBe(1));', 'it("a", () => expect(a).toBe(2));\nit("b", () => expect(b).toBe(1));'),
		).toEqual(["look: a.test.ts: a test is changed"]);
		expect(risksOf("src/a.ts", "// eslint-disable-next-line\na", "// eslint-disable-next-line no-b\nb")).toEqual([]);
	});
});
