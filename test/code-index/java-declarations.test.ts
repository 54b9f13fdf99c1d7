import { readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { locateAssets } from "../../src/code-index/grammars.ts";
import { listDeclarations } from "../../src/code-index/languages/declarations.ts";
import { JAVA_DECLARATIONS } from "../../src/code-index/languages/java/declarations.ts";
import { createSyntaxService } from "../../src/code-index/syntax-service.ts";

interface NodeType {
	readonly type: string;
	readonly named: boolean;
	readonly fields?: Readonly<Record<string, unknown>>;
}

const syntax = createSyntaxService({ locateAsset: locateAssets(path.resolve("node_modules")) });

/** Nodes with a name that use what is declared elsewhere. */
const USES = new Set(["annotation", "marker_annotation", "method_invocation", "scoped_identifier"]);

async function declared(text: string): Promise<readonly string[]> {
	const outcome = await syntax.parseSource("java", text, (tree) => listDeclarations(tree, JAVA_DECLARATIONS));
	if (!outcome.ok) throw new Error(outcome.reason);
	return outcome.value.map((found) => `${found.kind} ${found.name}`);
}

describe("declarations of java", () => {
	it("A9: every node of the grammar that has a name is a declaration in the query or a known use", () => {
		const types: readonly NodeType[] = JSON.parse(readFileSync("node_modules/tree-sitter-java/src/node-types.json", "utf8"));
		const named = types.filter((node) => node.named && node.fields?.["name"] !== undefined).map((node) => node.type);
		expect(named.length).toBeGreaterThan(10);
		expect(named.filter((type) => !USES.has(type) && !JAVA_DECLARATIONS.includes(`(${type} `))).toEqual([]);
	});

	it("A9: finds each kind of declaration and no use of one", async () => {
		const text =
			"class C<T> { int a, b; C(int x) {} void m(String... s) { L: for (var i : s) { int v = a; } " +
			"try (var r = o()) {} catch (E e) {} F f = y -> y; G g = (p, q) -> p; if (o instanceof C c) {} } }\n" +
			"interface I { int K = 1; }\nenum N { A }\nrecord R(int w) { R {} }\n@interface X { int z(); }\n";
		expect(await declared(text)).toEqual([
			"class C",
			"typeParameter T",
			"field a",
			"field b",
			"constructor C",
			"parameter x",
			"method m",
			"parameter s",
			"label L",
			"variable i",
			"variable v",
			"variable r",
			"parameter e",
			"variable f",
			"parameter y",
			"variable g",
			"parameter p",
			"parameter q",
			"variable c",
			"interface I",
			"constant K",
			"enum N",
			"constant A",
			"record R",
			"field w",
			"constructor R",
			"annotation X",
			"method z",
		]);
	});
});
