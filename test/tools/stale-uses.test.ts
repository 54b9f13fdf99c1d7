import { describe, expect, it } from "vitest";
import type { Diagnosis } from "../../src/domain/diagnosis.ts";
import { callTool, makeChange, makeTempFolder, openContext } from "./tool-fixture.ts";

type Files = Readonly<Record<string, string>>;

async function diagnose(base: Files, head: Readonly<Record<string, string | null>>, input: object = {}): Promise<Diagnosis> {
	using temp = makeTempFolder();
	makeChange(temp.folder, base, head);
	await using open = await openContext(temp.folder, "HEAD~1", "HEAD");
	return (await callTool(open.tools, "diagnose", input)).data as Diagnosis;
}

/** `kind path:line` of each fact, in order. */
async function places(base: Files, head: Readonly<Record<string, string | null>>): Promise<readonly string[]> {
	const { facts, notes } = await diagnose(base, head);
	expect(notes).toEqual([]);
	return facts.map((fact) => `${fact.kind} ${fact.path}:${fact.line}`);
}

const SUM_TS = "export function sum(items: number[], start: number): number {\n\treturn items.length + start;\n}\n";
const USE_TS = 'import { sum } from "./sum.ts";\n\nexport const total = sum([1], 2);\n';
const GO_MOD = "module example.org/shop\n\ngo 1.22\n";
const SUM_GO = "package money\n\nfunc Sum(items []int, start int) int {\n\treturn len(items) + start\n}\n";
const USE_GO = 'package shop\n\nimport "example.org/shop/money"\n\nfunc Total() int {\n\treturn money.Sum(nil, 2)\n}\n';
const SUM_PY = "def total(items, start):\n    return sum(items) + start\n";
const USE_PY = "from shop.money import total\n\n\ndef run():\n    return total([1], 2)\n";
const CARGO = '[package]\nname = "shop"\nversion = "0.1.0"\nedition = "2021"\n';
const LIB_RS = "pub mod money;\npub mod till;\n";
const SUM_RS = "pub fn total(items: &[u32], start: u32) -> u32 {\n    items.len() as u32 + start\n}\n";
const TILL_RS = "use crate::money::total;\n\npub fn run() -> u32 {\n    total(&[1], 2)\n}\n";
const RUST = { "Cargo.toml": CARGO, "src/lib.rs": LIB_RS, "src/money.rs": SUM_RS, "src/till.rs": TILL_RS };
const CART_RS = "pub struct Cart {\n    n: u32,\n}\n\nimpl Cart {\n    pub fn size(&self) -> u32 {\n        self.n\n    }\n}\n";
const MONEY = "package p;\n\npublic class Money {\n    public static int sum(int a, int start) {\n        return a + start;\n    }\n}\n";
const SHOP = "package q;\n\nimport p.Money;\n\npublic class Shop {\n    int total() {\n        return Money.sum(1, 2);\n    }\n}\n";

describe("uses that a change leaves behind: found", () => {
	it.each<[string, Files, Readonly<Record<string, string | null>>, readonly string[]]>([
		[
			"TypeScript: a renamed function",
			{ "sum.ts": SUM_TS, "use.ts": USE_TS },
			{ "sum.ts": SUM_TS.replace("sum", "add") },
			["removed-use use.ts:1"],
		],
		[
			"TypeScript: a deleted file",
			{ "sum.ts": SUM_TS, "use.ts": USE_TS, "b.ts": "1;\n" },
			{ "sum.ts": null, "b.ts": "2;\n" },
			["removed-use use.ts:1"],
		],
		[
			"TypeScript: a re-export taken away",
			{ "sum.ts": SUM_TS, "index.ts": 'export { sum } from "./sum.ts";\n', "use.ts": USE_TS.replace("./sum.ts", "./index.ts") },
			{ "index.ts": "export {};\n" },
			["removed-use use.ts:1"],
		],
		[
			"TypeScript: a removed function in its own file",
			{ "a.ts": "function one(): number {\n\treturn 1;\n}\n\nexport const two = one() + 1;\n" },
			{ "a.ts": "export const two = one() + 1;\n" },
			["removed-use a.ts:1"],
		],
		[
			"TypeScript: a removed method of a known type",
			{
				"user.ts": "export class User {\n\tlabel(): string {\n\t\treturn this.name();\n\t}\n\tname(): string {\n\t\treturn 'x';\n\t}\n}\n",
				"use.ts": 'import { User } from "./user.ts";\n\nexport function show(user: User): string {\n\treturn user.label();\n}\n',
			},
			{ "user.ts": "export class User {\n\tname(): string {\n\t\treturn 'x';\n\t}\n}\n" },
			["removed-use use.ts:4"],
		],
		[
			"TypeScript: a removed member of an enumeration",
			{
				"why.ts": 'export enum Why {\n\tMine = "mine",\n\tYours = "yours",\n}\n',
				"use.ts": 'import { Why } from "./why.ts";\n\nexport const why = Why.Mine;\n',
			},
			{ "why.ts": 'export enum Why {\n\tYours = "yours",\n}\n' },
			["removed-use use.ts:3"],
		],
		[
			"TypeScript: a new required parameter",
			{ "sum.ts": SUM_TS, "use.ts": USE_TS },
			{ "sum.ts": SUM_TS.replace("start: number", "start: number, step: number") },
			["stale-call use.ts:3"],
		],
		[
			"TypeScript: a parameter less",
			{ "sum.ts": SUM_TS, "use.ts": USE_TS },
			{ "sum.ts": SUM_TS.replace(", start: number", "").replace(" + start", "") },
			["stale-call use.ts:3"],
		],
		[
			"TypeScript: a constructor's new parameter",
			{
				"box.ts": "export class Box {\n\tconstructor(readonly a: number) {}\n}\n",
				"use.ts": 'import { Box } from "./box.ts";\n\nexport const box = new Box(1);\n',
			},
			{ "box.ts": "export class Box {\n\tconstructor(readonly a: number, readonly b: number) {}\n}\n" },
			["stale-call use.ts:3"],
		],
		[
			"JavaScript: a parameter less in front",
			{ "a.js": "export function f(a, b) {\n\treturn b;\n}\n", "b.js": 'import { f } from "./a.js";\n\nf(1, 2);\n' },
			{ "a.js": "export function f(b) {\n\treturn b;\n}\n" },
			["stale-call b.js:3"],
		],
		[
			"Go: a renamed function of another package",
			{ "go.mod": GO_MOD, "money/sum.go": SUM_GO, "shop.go": USE_GO },
			{ "money/sum.go": SUM_GO.replace("Sum", "Add") },
			["removed-use shop.go:6"],
		],
		[
			"Go: a removed function of the same package",
			{
				"go.mod": GO_MOD,
				"a.go": "package shop\n\nfunc one() int {\n\treturn 1\n}\n",
				"b.go": "package shop\n\nfunc Two() int {\n\treturn one() + 1\n}\n",
			},
			{ "a.go": "package shop\n" },
			["removed-use b.go:4"],
		],
		[
			"Go: a new parameter",
			{ "go.mod": GO_MOD, "money/sum.go": SUM_GO, "shop.go": USE_GO },
			{ "money/sum.go": SUM_GO.replace("start int", "start, step int") },
			["stale-call shop.go:6"],
		],
		[
			"Go: a removed method of a known type",
			{
				"go.mod": GO_MOD,
				"a.go": "package shop\n\ntype Cart struct{ n int }\n\nfunc (c *Cart) Size() int {\n\treturn c.n\n}\n",
				"b.go": "package shop\n\nfunc Count(c *Cart) int {\n\treturn c.Size()\n}\n",
			},
			{ "a.go": "package shop\n\ntype Cart struct{ n int }\n" },
			["removed-use b.go:4"],
		],
		[
			"Python: a renamed function",
			{ "shop/__init__.py": "", "shop/money.py": SUM_PY, "shop/use.py": USE_PY },
			{ "shop/money.py": SUM_PY.replace("total", "add") },
			["removed-use shop/use.py:1"],
		],
		[
			"Python: a function of a module that is used by its name",
			{ "shop/__init__.py": "", "shop/money.py": SUM_PY, "use.py": "from shop import money\n\nprint(money.total([1], 2))\n" },
			{ "shop/money.py": "" },
			["removed-use use.py:3"],
		],
		[
			"Python: a name that a package handed on",
			{
				"shop/__init__.py": "from shop.money import total\n",
				"shop/money.py": SUM_PY,
				"use.py": "from shop import total\n\nprint(total([1], 2))\n",
			},
			{ "shop/__init__.py": "" },
			["removed-use use.py:1"],
		],
		[
			"Python: a removed method called on self",
			{ "a.py": "class A:\n    def one(self):\n        return 1\n\n    def two(self):\n        return self.one() + 1\n" },
			{ "a.py": "class A:\n    def two(self):\n        return self.one() + 1\n" },
			["removed-use a.py:3"],
		],
		[
			"Python: a new required parameter",
			{ "shop/__init__.py": "", "shop/money.py": SUM_PY, "shop/use.py": USE_PY },
			{ "shop/money.py": SUM_PY.replace("start)", "start, step)") },
			["stale-call shop/use.py:5"],
		],
		[
			"Python: a keyword that is called otherwise now",
			{ "m.py": SUM_PY, "use.py": "from m import total\n\nprint(total([1], start=2))\n" },
			{ "m.py": SUM_PY.replaceAll("start", "first") },
			["stale-call use.py:3"],
		],
		[
			"Python: a call under try, whose except does not speak of a missing name",
			{ "m.py": SUM_PY, "use.py": "import m\n\ntry:\n    print(m.total([1], 2))\nexcept ValueError:\n    pass\n" },
			{ "m.py": "" },
			["removed-use use.py:4"],
		],
		[
			"Java: a private method of a class with a supertype outside",
			{
				"p/A.java":
					"package p;\n\nclass A extends Thread {\n    private static int one() {\n        return 1;\n    }\n\n    int two() {\n        return one() + 1;\n    }\n}\n",
			},
			{ "p/A.java": "package p;\n\nclass A extends Thread {\n    int two() {\n        return one() + 1;\n    }\n}\n" },
			["removed-use p/A.java:5"],
		],
		[
			"Python: a required keyword",
			{ "m.py": SUM_PY, "use.py": "from m import total\n\nprint(total([1], 2))\n" },
			{ "m.py": SUM_PY.replace("start)", "start, *, step)") },
			["stale-call use.py:3"],
		],
		["Rust: a renamed function", RUST, { "src/money.rs": SUM_RS.replace("total", "add") }, ["removed-use src/till.rs:1"]],
		[
			"Rust: a new parameter",
			RUST,
			{ "src/money.rs": SUM_RS.replace("start: u32", "start: u32, step: u32") },
			["stale-call src/till.rs:4"],
		],
		[
			"Rust: a removed method of a known type",
			{
				...RUST,
				"src/money.rs": CART_RS,
				"src/till.rs": "use crate::money::Cart;\n\npub fn run(cart: &Cart) -> u32 {\n    cart.size()\n}\n",
			},
			{ "src/money.rs": "pub struct Cart {\n    n: u32,\n}\n" },
			["removed-use src/till.rs:4"],
		],
		[
			"Java: a renamed static method",
			{ "p/Money.java": MONEY, "q/Shop.java": SHOP },
			{ "p/Money.java": MONEY.replace("sum", "add") },
			["removed-use q/Shop.java:7"],
		],
		[
			"Java: a removed class",
			{ "p/Money.java": MONEY, "q/Shop.java": SHOP, "p/Other.java": "package p;\n\nclass Other {}\n" },
			{ "p/Money.java": null, "p/Other.java": "package p;\n\npublic class Other {}\n" },
			["removed-use q/Shop.java:3"],
		],
		[
			"Java: a new parameter",
			{ "p/Money.java": MONEY, "q/Shop.java": SHOP },
			{ "p/Money.java": MONEY.replace("int start", "int start, int step") },
			["stale-call q/Shop.java:7"],
		],
	])("%s", async (_title, base, head, wanted) => {
		expect(await places(base, head)).toEqual(wanted);
	});
});

describe("uses that a change leaves behind: nothing is said", () => {
	it.each<[string, Files, Readonly<Record<string, string | null>>]>([
		[
			"a moved definition that is handed on",
			{ "sum.ts": SUM_TS, "use.ts": USE_TS },
			{ "add.ts": SUM_TS, "sum.ts": 'export { sum } from "./add.ts";\n' },
		],
		[
			"a moved definition that is handed on by a wildcard",
			{ "sum.ts": SUM_TS, "use.ts": USE_TS },
			{ "add.ts": SUM_TS, "sum.ts": 'export * from "./add.ts";\n' },
		],
		["a wildcard of a package, which may hold anything", { "sum.ts": SUM_TS, "use.ts": USE_TS }, { "sum.ts": 'export * from "lodash";\n' }],
		[
			"a moved definition imported from its new place",
			{ "sum.ts": SUM_TS, "use.ts": USE_TS },
			{ "sum.ts": null, "add.ts": SUM_TS, "use.ts": USE_TS.replace("./sum.ts", "./add.ts") },
		],
		[
			"a rename that every use followed",
			{ "sum.ts": SUM_TS, "use.ts": USE_TS },
			{ "sum.ts": SUM_TS.replace("sum", "add"), "use.ts": USE_TS.replaceAll("sum(", "add(").replace("{ sum }", "{ add }") },
		],
		[
			"the same name of another file",
			{ "sum.ts": SUM_TS, "other.ts": SUM_TS, "use.ts": USE_TS.replace("./sum.ts", "./other.ts") },
			{ "sum.ts": "export {};\n" },
		],
		[
			"a parameter with a default",
			{ "sum.ts": SUM_TS, "use.ts": USE_TS },
			{ "sum.ts": SUM_TS.replace("start: number", "start: number, step = 1") },
		],
		[
			"an optional parameter",
			{ "sum.ts": SUM_TS, "use.ts": USE_TS },
			{ "sum.ts": SUM_TS.replace("start: number", "start: number, step?: number") },
		],
		[
			"a rest parameter",
			{ "sum.ts": SUM_TS, "use.ts": USE_TS },
			{ "sum.ts": SUM_TS.replace("start: number", "...rest: number[]").replace(" + start", "") },
		],
		[
			"a spread argument",
			{
				"sum.ts": SUM_TS,
				"use.ts": USE_TS.replace("[1], 2", "...args").replace("export", "declare const args: [number[], number];\nexport"),
			},
			{ "sum.ts": SUM_TS.replace("start: number", "start: number, step: number") },
		],
		[
			"an overload that fits",
			{ "sum.ts": SUM_TS, "use.ts": USE_TS },
			{
				"sum.ts": `export function sum(items: number[], start: number): number;\nexport function sum(items: number[], start: number, step: number): number;\n${SUM_TS.replace("start: number", "start: number, step?: number")}`,
			},
		],
		[
			"JavaScript: a further parameter at the end, which may be left out",
			{ "a.js": "export function f(a) {\n\treturn a;\n}\n", "b.js": 'import { f } from "./a.js";\n\nf(1);\n' },
			{ "a.js": "export function f(a, b) {\n\treturn b ? a : 0;\n}\n" },
		],
		[
			"a member that a supertype outside may have",
			{
				"a.ts": 'import { Base } from "lib";\n\nexport class A extends Base {\n\tgo(): void {}\n}\n',
				"b.ts": 'import { A } from "./a.ts";\n\nnew A().go();\n',
			},
			{ "a.ts": 'import { Base } from "lib";\n\nexport class A extends Base {}\n' },
		],
		[
			"members of an enumeration that is handed on from a place that cannot be followed",
			{
				"why.ts": 'export enum Why {\n\tMine = "mine",\n}\n',
				"use.ts": 'import { Why } from "./why.ts";\n\nexport const why = Why.Mine;\n',
			},
			{ "why.ts": 'import { Why } from "@/why";\n\nexport { Why };\n' },
		],
		[
			"members of an object whose variable is of any type now",
			{ "a.ts": "const tool = {\n\trun: () => 1,\n};\n\nexport const x = tool.run();\n" },
			{ "a.ts": "const tool: any = {\n\trun: () => 1,\n};\n\nexport const x = tool.run();\n" },
		],
		[
			"a use in a fixture",
			{ "sum.ts": SUM_TS, "test/fixtures/use.ts": USE_TS.replace("./sum.ts", "../../sum.ts") },
			{ "sum.ts": "export {};\n" },
		],
		["a use in generated code", { "sum.ts": SUM_TS, "use.ts": `// @generated by a tool\n${USE_TS}` }, { "sum.ts": "export {};\n" }],
		[
			"Go: a definition moved within its package",
			{ "go.mod": GO_MOD, "money/sum.go": SUM_GO, "shop.go": USE_GO },
			{ "money/sum.go": "package money\n", "money/add.go": SUM_GO },
		],
		[
			"Go: another definition for another system",
			{
				"go.mod": GO_MOD,
				"a_linux.go": "package shop\n\nfunc one() int { return 1 }\n",
				"a_windows.go": "package shop\n\nfunc one() int { return 2 }\n",
				"b.go": "package shop\n\nvar two = one() + 1\n",
			},
			{ "a_windows.go": "package shop\n" },
		],
		[
			"Go: results of a call as arguments",
			{
				"go.mod": GO_MOD,
				"a.go":
					"package shop\n\nfunc f(a int) int { return a }\n\nfunc pair() (int, int) { return 1, 2 }\n\nfunc one() int { return 1 }\n\nvar x = f(one())\n",
			},
			{
				"a.go":
					"package shop\n\nfunc f(a, b int) int { return a + b }\n\nfunc pair() (int, int) { return 1, 2 }\n\nfunc one() int { return 1 }\n\nvar x = f(pair())\n",
			},
		],
		[
			"Python: a function handed on from its new place",
			{ "m.py": SUM_PY, "use.py": "from m import total\n\nprint(total([1], 2))\n" },
			{ "m.py": "from n import total\n", "n.py": SUM_PY },
		],
		[
			"Python: an import that may fail",
			{ "m.py": SUM_PY, "use.py": "try:\n    from m import total\nexcept ImportError:\n    total = None\n" },
			{ "m.py": "" },
		],
		[
			"Rust: a function handed on from its new place",
			RUST,
			{ "src/lib.rs": `${LIB_RS}pub mod sums;\n`, "src/money.rs": "pub use crate::sums::total;\n", "src/sums.rs": SUM_RS },
		],
		[
			"Rust: a definition that a macro makes now",
			RUST,
			{
				"src/money.rs":
					"macro_rules! make {\n    ($name:ident) => {\n        pub fn $name(items: &[u32], start: u32) -> u32 {\n            items.len() as u32 + start\n        }\n    };\n}\n\nmake!(total);\n",
			},
		],
		[
			"Rust: a definition by feature, of which one stays",
			{ ...RUST, "src/money.rs": `#[cfg(feature = "a")]\n${SUM_RS}\n#[cfg(not(feature = "a"))]\n${SUM_RS}` },
			{ "src/money.rs": `#[cfg(not(feature = "a"))]\n${SUM_RS}` },
		],
		[
			"Rust: a method that a trait gives now",
			{ ...RUST, "src/money.rs": CART_RS, "src/till.rs": "use crate::money::*;\n\npub fn run(cart: &Cart) -> u32 {\n    cart.size()\n}\n" },
			{
				"src/money.rs":
					"pub struct Cart {\n    n: u32,\n}\n\npub trait Sized2 {\n    fn size(&self) -> u32;\n}\n\nimpl Sized2 for Cart {\n    fn size(&self) -> u32 {\n        self.n\n    }\n}\n",
			},
		],
		[
			"Python: a call under try, whose except takes a missing name",
			{ "m.py": SUM_PY, "use.py": "import m\n\ntry:\n    print(m.total([1], 2))\nexcept AttributeError:\n    pass\n" },
			{ "m.py": "" },
		],
		[
			"Python: names made when they are asked for",
			{ "m.py": SUM_PY, "use.py": "from m import total\n\nprint(total([1], 2))\n" },
			{ "m.py": "def __getattr__(name):\n    return print\n" },
		],
		[
			"Python: a parameter that keywords fill",
			{ "m.py": SUM_PY, "use.py": "from m import total\n\nprint(total(items=[1], start=2))\n" },
			{ "m.py": SUM_PY.replace("items, start", "start, items, step=1") },
		],
		[
			"Python: any keyword",
			{ "m.py": SUM_PY, "use.py": "from m import total\n\nprint(total([1], start=2))\n" },
			{ "m.py": SUM_PY.replace("start)", "**rest)").replace(" + start", "") },
		],
		[
			"Python: a decorator that may change the parameters",
			{ "m.py": `import lib\n\n\n@lib.inject\n${SUM_PY}`, "use.py": "from m import total\n\nprint(total([1], 2))\n" },
			{ "m.py": `import lib\n\n\n@lib.inject\n${SUM_PY.replace("start)", "start, step)")}` },
		],
		[
			"Python: a member of a supertype outside",
			{
				"a.py":
					"import lib\n\n\nclass A(lib.Base):\n    def one(self):\n        return 1\n\n    def two(self):\n        return self.one()\n",
			},
			{ "a.py": "import lib\n\n\nclass A(lib.Base):\n    def two(self):\n        return self.one()\n" },
		],
		[
			"Python: a definition of its own where a built-in stands behind",
			{ "a.py": "def print(x):\n    return x\n\n\nprint(1)\n" },
			{ "a.py": "print(1)\n" },
		],
		[
			"Java: an overload that fits",
			{ "p/Money.java": MONEY, "q/Shop.java": SHOP },
			{
				"p/Money.java": MONEY.replace(
					"    public static",
					"    public static int sum(int a, int b, int c) {\n        return sum(a, b);\n    }\n\n    public static",
				),
			},
		],
		[
			"Java: accessors that an annotation writes",
			{
				"p/A.java": "package p;\n\npublic class A {\n    private int size;\n\n    public int getSize() {\n        return size;\n    }\n}\n",
				"p/B.java": "package p;\n\nclass B {\n    int f(A a) {\n        return a.getSize();\n    }\n}\n",
			},
			{ "p/A.java": "package p;\n\n@Data\npublic class A {\n    private int size;\n}\n" },
		],
	])("%s", async (_title, base, head) => {
		expect(await places(base, head)).toEqual([]);
	});
});

describe("uses that a change leaves behind: the fact", () => {
	it("stands at the use with its exact line, says what is gone and how the use was bound, and how it is called now", async () => {
		const { facts, checks } = await diagnose({ "sum.ts": SUM_TS, "use.ts": USE_TS }, { "sum.ts": SUM_TS.replace("sum", "add") });
		expect(checks["uses of changed definitions"]).toBe(1);
		expect(facts[0]).toMatchObject({
			kind: "removed-use",
			rule: "removed-use/typescript",
			quote: 'import { sum } from "./sum.ts";',
			severity: "critical",
			message:
				"`sum` is used here, and this change removes it from sum.ts. It seems to be called `add` now. The same holds for 1 more place in this file.",
		});
		expect(facts[0]?.trace).toContain("defined at sum.ts:1 before the change and not after it");
	});

	it("is found again when its own file is asked for, which did not change", async () => {
		const { facts } = await diagnose({ "sum.ts": SUM_TS, "use.ts": USE_TS }, { "sum.ts": "export {};\n" }, { paths: ["use.ts"] });
		expect(facts.map((fact) => `${fact.kind} ${fact.path}:${fact.line}`)).toEqual(["removed-use use.ts:1"]);
	});

	it("is told for three files of one cause, and the rest are counted", async () => {
		const uses = Object.fromEntries(["a", "b", "c", "d", "e"].map((name) => [`${name}.ts`, USE_TS]));
		const { facts } = await diagnose({ "sum.ts": SUM_TS, ...uses }, { "sum.ts": "export {};\n" });
		expect(facts.map((fact) => fact.path)).toEqual(["a.ts", "b.ts", "c.ts"]);
		expect(facts[0]?.message).toContain("and 2 more files");
	});
});
