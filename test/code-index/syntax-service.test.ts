import path from "node:path";
import { describe, expect, it } from "vitest";
import { type GrammarId, grammarOfPath, locateAssets } from "../../src/code-index/grammars.ts";
import { findSyntaxProblems, listBrackets } from "../../src/code-index/syntax-errors.ts";
import { createSyntaxService } from "../../src/code-index/syntax-service.ts";

const locateAsset = locateAssets(path.resolve("node_modules"));

describe("parseSource", () => {
	it.each<[GrammarId, string, string]>([
		["go", "package a\nfunc F() {}\n", "function_declaration"],
		["rust", "fn f() {}\n", "function_item"],
		["python", "def f():\n    pass\n", "function_definition"],
		["java", "class A { void f() {} }\n", "method_declaration"],
		["javascript", "const a = <b>{c}</b>;\nfunction f() {}\n", "function_declaration"],
		["typescript", "function f(a: number): void {}\n", "function_declaration"],
		["tsx", "const a = <b c={1}>x</b>;\nfunction f(a: number) {}\n", "function_declaration"],
	])("reads %s", async (grammar, source, type) => {
		const outcome = await createSyntaxService({ locateAsset }).parseSource(grammar, source, (tree) => ({
			found: tree.rootNode.descendantsOfType(type).length,
			problems: findSyntaxProblems(tree),
		}));
		expect(outcome).toEqual({ ok: true, value: { found: 1, problems: [] } });
	});

	it("two services and parallel calls do not disturb each other", async () => {
		const services = [createSyntaxService({ locateAsset }), createSyntaxService({ locateAsset })];
		const outcomes = await Promise.all(
			services.flatMap((service) => [
				service.parseSource("go", "package a\n", (tree) => tree.rootNode.type),
				service.parseSource("python", "a = 1\n", (tree) => tree.rootNode.type),
			]),
		);
		expect(outcomes.map((outcome) => outcome.ok && outcome.value)).toEqual(["source_file", "module", "source_file", "module"]);
	});

	it("text over the limit and a parse over its time are outcomes, and the next parse is whole again", async () => {
		const small = createSyntaxService({ locateAsset, maxChars: 10 });
		expect(await small.parseSource("go", "package abcdef\n", () => 1)).toEqual({ ok: false, reason: "too large to parse" });
		const hasty = createSyntaxService({ locateAsset, maxMs: 0 });
		expect(await hasty.parseSource("go", `package a\n${"var a = 1\n".repeat(50_000)}`, () => 1)).toEqual({
			ok: false,
			reason: "took too long to parse",
		});
		expect(await hasty.parseSource("go", "package a\n", (tree) => tree.rootNode.hasError)).toEqual({ ok: true, value: false });
	});

	it("frees the tree also when the reader throws", async () => {
		const service = createSyntaxService({ locateAsset });
		await expect(
			service.parseSource("go", "package a\n", () => {
				throw new Error("reader failed");
			}),
		).rejects.toThrow("reader failed");
		expect((await service.parseSource("go", "package a\n", () => 1)).ok).toBe(true);
	});

	it("a missing asset is named", () => {
		expect(() => locateAssets("/nonexistent")("go")).toThrow(/tree-sitter-go\.wasm is neither in/);
	});
});

describe("what a broken tree shows", () => {
	it("lists error and missing nodes with their places", async () => {
		const service = createSyntaxService({ locateAsset });
		const outcome = await service.parseSource("rust", "fn f() {\n let x = 5\n let y = 6;\n}\n", findSyntaxProblems);
		expect(outcome.ok && outcome.value).toMatchObject([{ kind: "missing", type: ";", row: 1, column: 10 }]);
	});

	it("counts brackets that stand in code, and none in strings and comments", async () => {
		const service = createSyntaxService({ locateAsset });
		const source = `// )\nconst a = f(\`\${g(1)} }\`, "(");\n`;
		const outcome = await service.parseSource("typescript", source, listBrackets);
		expect(outcome.ok && outcome.value.map((bracket) => `${bracket.row}${bracket.pair}${bracket.step}`)).toEqual([
			"1()1",
			"1{}1",
			"1()1",
			"1()-1",
			"1{}-1",
			"1()-1",
		]);
	});

	it("knows a grammar by the file's name", () => {
		expect(["a.go", "b.MTS", "c.tsx", "d.pyi", "e.jsx", "f.rb", "go"].map(grammarOfPath)).toEqual([
			"go",
			"typescript",
			"tsx",
			"python",
			"javascript",
			undefined,
			undefined,
		]);
	});
});
