import { readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { locateAssets } from "../../src/code-index/grammars.ts";
import { listDeclarations } from "../../src/code-index/languages/declarations.ts";
import { GO_DECLARATIONS } from "../../src/code-index/languages/go/declarations.ts";
import { createSyntaxService } from "../../src/code-index/syntax-service.ts";

interface NodeType {
	readonly type: string;
	readonly named: boolean;
	readonly fields?: Readonly<Record<string, unknown>>;
}

const syntax = createSyntaxService({ locateAsset: locateAssets(path.resolve("node_modules")) });

/** Nodes with a name that use what is declared elsewhere. */
const USES = new Set(["qualified_type"]);

async function declared(text: string): Promise<readonly string[]> {
	const outcome = await syntax.parseSource("go", text, (tree) => listDeclarations(tree, GO_DECLARATIONS));
	if (!outcome.ok) throw new Error(outcome.reason);
	return outcome.value.map((found) => `${found.kind} ${found.name}`);
}

describe("declarations of go", () => {
	it("A9: every node of the grammar that has a name is a declaration in the query or a known use", () => {
		const types: readonly NodeType[] = JSON.parse(readFileSync("node_modules/tree-sitter-go/src/node-types.json", "utf8"));
		const named = types.filter((node) => node.named && node.fields?.["name"] !== undefined).map((node) => node.type);
		expect(named.length).toBeGreaterThan(10);
		expect(named.filter((type) => !USES.has(type) && !GO_DECLARATIONS.includes(`(${type} `))).toEqual([]);
	});

	it("A9: finds each kind of declaration and no use of one", async () => {
		const text =
			'package p\nimport m "x/y"\nconst C, D = 1, 2\nvar v int\ntype T[K any] struct { a, b int; *E; q.F; G[int] }\ntype A = T\n' +
			"type I interface { M() }\nfunc (r *T) N(x ...int) (err error) { for k, w := range x { k = w }\nL: s := v; _ = s }\nfunc F() {}\n";
		expect(await declared(text)).toEqual([
			"package p",
			"import m",
			"constant C",
			"constant D",
			"variable v",
			"type T",
			"typeParameter K",
			"field a",
			"field b",
			"field E",
			"field F",
			"field G",
			"type A",
			"type I",
			"method M",
			"parameter r",
			"method N",
			"parameter x",
			"parameter err",
			"variable k",
			"variable w",
			"label L",
			"variable s",
			"function F",
		]);
	});
});
