import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { openMemoryIndex as open, places } from "./open-memory-index.ts";

const { signal } = new AbortController();

const SHOP = {
	"lib/shop/__init__.py": "from .price import price_of as cost\nfrom . import tax\n",
	"lib/shop/price.py":
		'from __future__ import annotations\n\nLIMIT = 3\n\ndef price_of(item, count=1, *, net=False, **more):\n    return item.cents * count\n\nclass Basket:\n    kind = "plain"\n\n    def __init__(self, owner: "Owner", size: int = 2):\n        self.owner = owner\n        self.items = []\n\n    def add(self, item):\n        self.count(item)\n        return price_of(item)\n\n    def count(self, item):\n        return self.owner.name\n\nclass Owner:\n    @property\n    def name(self) -> str:\n        return "x"\n',
	"lib/shop/tax.py": "def tax_of(cents):\n    return cents / 5\n",
	"lib/shop/big.py":
		"from shop.price import Basket\n\nclass BigBasket(Basket):\n    def count(self, item):\n        return super().count(item)\n\ndef fill(basket: Basket | None, other):\n    basket.add(1)\n    other.add(2)\n    made = BigBasket(None)\n    made.add(3)\n",
	"app/main.py":
		"import shop\nfrom shop import cost\nfrom shop.price import *\n\ndef run(price_of):\n    price_of(1)\n    return cost(2, 1, net=True)\n\nprint(shop.tax.tax_of(4), shop.cost(5), price_of(6))\n",
	"app/unrelated.py": "def price_of():\n    pass\n\nprice_of()\n# price_of\n'price_of'\n",
};

describe("index of python", () => {
	it("S-020: follows a function through packages, renames and *, and says that it is approximate", async () => {
		const answer = await open(SHOP).findCallers({ name: "price_of", path: "lib/shop/price.py" }, signal);
		expect(places(answer)).toEqual([
			"resolved app/main.py:7",
			"resolved app/main.py:9",
			"resolved app/main.py:9",
			"resolved lib/shop/price.py:17",
		]);
		expect(answer.approximate).toBe(true);
		expect(answer.hits[0]?.arguments).toEqual({ count: 2, spread: false, names: ["net"] });
		expect(answer.targets[0]?.parameters).toEqual({
			...{ required: 1, optional: 1, variadic: false, names: ["item", "count"] },
			...{ keywordOnly: [{ name: "net", required: false }], anyKeyword: true },
		});
	});

	it("finds modules of packages as members", async () => {
		const answer = await open(SHOP).findCallers({ name: "tax_of" }, signal);
		expect(places(answer)).toEqual(["resolved app/main.py:9"]);
	});

	it("types: annotated parameters, constructed values, self, fields that __init__ sets, inherited members", async () => {
		const index = open(SHOP);
		expect(places(await index.findCallers({ name: "Basket.add" }, signal))).toEqual([
			"typed lib/shop/big.py:8",
			"typed lib/shop/big.py:11",
			"name lib/shop/big.py:9",
		]);
		expect(places(await index.findCallers({ name: "Basket.count" }, signal))).toEqual([
			"typed lib/shop/big.py:5",
			"typed lib/shop/price.py:16",
		]);
		expect(places(await index.findReferences({ name: "Owner.name" }, signal))).toEqual(["typed lib/shop/price.py:20"]);
		expect(places(await index.findReferences({ name: "Basket.owner" }, signal))).toEqual(["typed lib/shop/price.py:20"]);
	});

	it("an override is reached through its base; a constructor through its class; an annotation in quotes is a use", async () => {
		const index = open(SHOP);
		const override = await index.findCallers({ name: "BigBasket.count" }, signal);
		expect(places(override)).toContain("typed lib/shop/price.py:16");
		expect(places(await index.findCallers({ name: "BigBasket" }, signal))).toEqual(["resolved lib/shop/big.py:10"]);
		expect(places(await index.findReferences({ name: "Owner" }, signal))).toEqual(["resolved lib/shop/price.py:11"]);
	});

	it("scopes: comprehensions, lambdas, global, class bodies that methods do not see", async () => {
		const index = open({
			"a.py":
				"x = 1\nclass C:\n    x = 2\n    y = x\n    def m(self):\n        return x\ndef f():\n    global x\n    x = 3\n    return [x for x in range(3)], (lambda x: x)\ndef g():\n    x = 4\n    return x\n",
		});
		const top = await index.findReferences({ name: "x", path: "a.py", line: 1 }, signal);
		expect(places(top)).toEqual(["resolved a.py:6", "resolved a.py:9"]);
		const member = await index.findReferences({ name: "C.x" }, signal);
		expect(places(member)).toEqual(["resolved a.py:4"]);
	});

	it("A9: every named declaration of the grammar is found", async () => {
		const types: readonly { type: string; fields?: Record<string, unknown> }[] = JSON.parse(
			readFileSync("node_modules/tree-sitter-python/src/node-types.json", "utf8"),
		);
		const named = types.filter((node) => node.fields?.["name"] !== undefined).map((node) => node.type);
		// The first two bind nothing that could be declared; a keyword argument names a parameter elsewhere.
		const uses = ["future_import_statement", "import_statement", "import_from_statement", "aliased_import", "keyword_argument"];
		expect(named.filter((type) => !uses.includes(type)).sort()).toEqual([
			"class_definition",
			"default_parameter",
			"function_definition",
			"named_expression",
			"typed_default_parameter",
		]);
		const facts = await open({
			"a.py":
				"@deco\nclass A[T](B, metaclass=M):\n    f: int = 1\n    async def m(self, a, b=1, c: int = 2, *d, e, **g): pass\ntype Alias = int\nif (walrus := 1): pass\nfor i, (j, *k) in z: pass\nwith open() as w: pass\ntry: pass\nexcept E as err: pass\n(lambda p: p)\n[q for q in z]\n",
		}).facts("a.py");
		expect(facts?.definitions.map((each) => `${each.kind} ${each.name}`)).toEqual([
			...["class A", "typeParameter T", "field f", "method m", "parameter self", "parameter a", "parameter b", "parameter c"],
			...["parameter d", "parameter e", "parameter g", "type Alias", "variable walrus", "variable i", "variable j", "variable k"],
			...["variable w", "variable err", "parameter p", "variable q"],
		]);
		expect(facts?.definitions[0]).toMatchObject({ decorators: ["deco"], supertypes: ["B"], startLine: 1, line: 2, exported: true });
	});
});
