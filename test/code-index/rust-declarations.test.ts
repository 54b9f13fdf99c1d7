import { readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { locateAssets } from "../../src/code-index/grammars.ts";
import { listDeclarations } from "../../src/code-index/languages/declarations.ts";
import { RUST_DECLARATIONS } from "../../src/code-index/languages/rust/declarations.ts";
import { createSyntaxService } from "../../src/code-index/syntax-service.ts";

interface NodeType {
	readonly type: string;
	readonly named: boolean;
	readonly fields?: Readonly<Record<string, unknown>>;
}

const syntax = createSyntaxService({ locateAsset: locateAssets(path.resolve("node_modules")) });

/** Nodes with a name that use what is declared elsewhere. */
const USES = new Set(["field_pattern", "scoped_identifier", "scoped_type_identifier", "struct_expression", "type_binding"]);

async function declared(text: string): Promise<readonly string[]> {
	const outcome = await syntax.parseSource("rust", text, (tree) => listDeclarations(tree, RUST_DECLARATIONS));
	if (!outcome.ok) throw new Error(outcome.reason);
	return outcome.value.map((found) => `${found.kind} ${found.name}`);
}

describe("declarations of rust", () => {
	it("A9: every node of the grammar that has a name is a declaration in the query or a known use", () => {
		const types: readonly NodeType[] = JSON.parse(readFileSync("node_modules/tree-sitter-rust/src/node-types.json", "utf8"));
		const named = types.filter((node) => node.named && node.fields?.["name"] !== undefined).map((node) => node.type);
		expect(named.length).toBeGreaterThan(10);
		expect(named.filter((type) => !USES.has(type) && !RUST_DECLARATIONS.includes(`(${type} `))).toEqual([]);
	});

	it("A9: finds each kind of declaration and no use of one", async () => {
		const text =
			"use a::b as c;\nextern crate d as e;\nmod m {}\nconst K: u8 = 1;\nstatic S: u8 = K;\nstruct T<'l, P, const N: usize> { f: P }\n" +
			"enum E { V }\nunion U { g: u8 }\ntrait R { type O; fn h(&self); }\ntype A = T;\nmacro_rules! q { ($z:expr) => {} }\nfn i(x: u8) { let y = x; }\n";
		expect(await declared(text)).toEqual([
			"import c",
			"import d",
			"import e",
			"module m",
			"constant K",
			"static S",
			"struct T",
			"lifetime l",
			"typeParameter P",
			"typeParameter N",
			"field f",
			"enum E",
			"variant V",
			"union U",
			"field g",
			"trait R",
			"type O",
			"function h",
			"type A",
			"macro q",
			"macroVariable $z",
			"function i",
			"parameter x",
			"variable y",
		]);
	});
});
