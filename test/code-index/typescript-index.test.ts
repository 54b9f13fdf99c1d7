import { describe, expect, it } from "vitest";
import { openMemoryIndex as open, places } from "./open-memory-index.ts";

const { signal } = new AbortController();

const SHOP = {
	"package.json": '{ "name": "shop" }',
	"src/price.ts":
		"export function priceOf(item: Item, count = 1): number { return item.cents * count; }\nexport interface Item { cents: number }\nexport default class Basket {\n\tadd(item: Item): void { this.count(item); }\n\tprivate count(item: Item): number { return priceOf(item); }\n}\n",
	"src/index.ts":
		'export { priceOf as cost } from "./price.js";\nexport { default as Basket } from "./price.js";\nexport * from "./tax.ts";\n',
	"src/tax.ts": "export const taxOf = (cents: number): number => cents / 5;\n",
	"src/till.ts":
		'import { cost, taxOf } from "./index.ts";\nimport Cart from "./price.ts";\nexport function total(item: { cents: number }): number {\n\tconst cart = new Cart();\n\tcart.add(item);\n\treturn cost(item) + taxOf(item.cents);\n}\nfunction other(priceOf: () => number): number { return priceOf(); }\n',
	"src/view.tsx":
		'import { cost } from "./index.ts";\nexport const Price = ({ item }: Props) => <b>{cost(item)}</b>;\ninterface Props { item: { cents: number } }\n',
	"src/unrelated.ts": "function priceOf(): void {}\npriceOf();\nconst text = 'priceOf';\n// priceOf\n",
	"src/loose.ts": "export function sum(things: any[]): void { for (const thing of things) thing.add(1); }\n",
	"tools/run.cjs": 'const { priceOf } = require("../src/price.ts");\nmodule.exports = { run: () => priceOf({ cents: 1 }) };\n',
};

describe("index of typescript and javascript", () => {
	it("S-020: follows a function through renamed re-exports, other grammars and require, and is not approximate", async () => {
		const answer = await open(SHOP).findCallers({ name: "priceOf", path: "src/price.ts" }, signal);
		expect(places(answer)).toEqual([
			"resolved src/price.ts:5",
			"resolved src/till.ts:6",
			"resolved src/view.tsx:2",
			"resolved tools/run.cjs:2",
		]);
		expect(answer.approximate).toBe(false);
		expect(answer.hits.map((hit) => hit.enclosing?.name)).toEqual(["count", "total", "Price", "run"]);
		expect(answer.hits[1]?.arguments).toEqual({ count: 1, spread: false });
	});

	it("a shadowed name, another function of the name, a text and a comment are no uses", async () => {
		const answer = await open(SHOP).findReferences({ name: "priceOf", path: "src/price.ts" }, signal);
		expect(answer.hits.map((hit) => hit.path)).not.toContain("src/unrelated.ts");
		expect(places(answer)).not.toContain("resolved src/till.ts:8");
		expect(places(answer)).toContain("resolved src/index.ts:1");
	});

	it("finds a default export under any name, and its construction", async () => {
		const answer = await open(SHOP).findReferences({ name: "Basket" }, signal);
		expect(places(answer)).toEqual([
			"resolved src/index.ts:2",
			"resolved src/index.ts:2",
			"resolved src/till.ts:2",
			"resolved src/till.ts:4",
		]);
	});

	it("S-020: a member of a known type is typed, one of an unknown type stays a name and makes the answer approximate", async () => {
		const answer = await open(SHOP).findCallers({ name: "Basket.add" }, signal);
		expect(places(answer)).toEqual(["typed src/till.ts:5", "name src/loose.ts:1"]);
		expect(answer.hits[0]?.evidence).toBe("cart is Basket");
		expect(answer.approximate).toBe(true);
	});

	it("calls through an interface reach what implements it", async () => {
		const answer = await open({
			"a.ts":
				"export interface Store { load(id: string): Item }\nexport interface Item { name: string }\nexport class Disk implements Store { load(id: string): Item { return { name: id }; } }\n",
			"b.ts":
				'import type { Store } from "./a.ts";\nexport class Shop {\n\tconstructor(private readonly store: Store) {}\n\tshow(id: string): string { return this.store.load(id).name; }\n}\n',
		}).findCallers({ name: "Disk.load" }, signal);
		expect(places(answer)).toEqual(["typed b.ts:4"]);
		expect(answer.hits[0]?.evidence).toContain("through Store.load");
	});

	it("types that lead to each other end with an answer", async () => {
		const answer = await open({
			"a.ts":
				"interface A { next: B }\ninterface B { next: A | B }\nexport function f(a: A): unknown { return a.next.next.next.next.next.next.next.next.end; }\nexport interface C { end: C }\n",
		}).findReferences({ name: "C.end" }, signal);
		expect(answer.hits.every((hit) => hit.certainty === "name")).toBe(true);
	});

	it("S-020: what nobody defines has no targets, hits by name alone and an unknown risk", async () => {
		const index = open(SHOP);
		const answer = await index.findReferences({ name: "anywhere" }, signal);
		expect(answer).toMatchObject({ targets: [], hits: [], approximate: true });
		expect(await index.impact({ name: "anywhere" }, signal)).toMatchObject({ risk: "unknown", approximate: true });
		expect((await index.findReferences({ name: "cents", path: "src/unrelated.ts" }, signal)).targets).toEqual([]);
	});

	it("impact follows callers of callers and keeps tests apart", async () => {
		const answer = await open({
			...SHOP,
			"test/till.test.ts": 'import { total } from "../src/till.ts";\nexport function check(): void { total({ cents: 1 }); }\n',
		}).impact({ name: "taxOf", depth: 2 }, signal);
		expect(answer.nodes.map((node) => `${node.depth} ${node.symbol.name}`)).toEqual(["1 total", "2 check"]);
		expect(answer).toMatchObject({ risk: "low", files: ["src/till.ts"], tests: ["test/till.test.ts"], approximate: false });
	});

	it("a tree-sitter query gives captures, a wrong one its error", async () => {
		const index = open(SHOP);
		const answer = await index.query({ query: "(class_declaration name: (_) @name)", path: "src" }, signal);
		expect(answer.captures.map((each) => `${each.path}:${each.line} ${each.text}`)).toEqual(["src/price.ts:3 Basket"]);
		expect((await index.query({ query: "(no_such_node) @x", path: "src" }, signal)).error).toContain("no_such_node");
	});

	it("a file that is minified or too broken has no part in answers", async () => {
		const line = `function big(){${"var a=1;".repeat(2_000)}}`;
		const index = open({ "a.js": line, "b.js": "function big( {\nexport const ok = 1;\n" });
		expect((await index.findSymbol({ name: "big" }, signal)).symbols.map((hit) => hit.path)).not.toContain("a.js");
		expect((await index.facts("b.js"))?.hasErrors).toBe(true);
	});

	it("a parameter that is a field is one thing; records, taken keys, looked-up types and foreign results keep their types", async () => {
		const index = open({
			"a.ts":
				'export class Env { name = ""; constructor(private readonly port: number) { if (port > 1) this.show(); }\n\tshow(): number { return this.port; }\n}\nexport interface Server { environments: Record<string, Env>; hook: () => void }\n',
			"b.ts":
				'import type { Env, Server } from "./a.ts";\nexport function f(server: Server, hook: Server["hook"]): string {\n\tconst { environments } = server;\n\tfor (const env of Object.values(environments)) env.name;\n\treturn server.environments.client.name + environments["ssr"].name;\n}\n',
		});
		expect(places(await index.findReferences({ name: "Env.port" }, signal))).toEqual(["resolved a.ts:1", "typed a.ts:2"]);
		expect(places(await index.findReferences({ name: "Env.name" }, signal))).toEqual(["typed b.ts:5", "typed b.ts:5", "name b.ts:4"]);
		expect(places(await index.findReferences({ name: "Server.hook" }, signal))).toEqual(["typed b.ts:2"]);
		expect(places(await index.findReferences({ name: "Server.environments" }, signal))).toEqual(["typed b.ts:3", "typed b.ts:5"]);
	});
});
