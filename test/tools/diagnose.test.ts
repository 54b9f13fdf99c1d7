import { describe, expect, it } from "vitest";
import type { Diagnosis, Fact } from "../../src/domain/diagnosis.ts";
import { callTool, makeChange, makeTempFolder, openContext } from "./tool-fixture.ts";

type Files = Readonly<Record<string, string | Buffer>>;

async function diagnose(
	base: Files,
	head: Readonly<Record<string, string | Buffer | null>>,
	input: object = {},
): Promise<Diagnosis & { readonly text: string }> {
	using temp = makeTempFolder();
	makeChange(temp.folder, base, head);
	await using open = await openContext(temp.folder, "HEAD~1", "HEAD");
	const output = await callTool(open.tools, "diagnose", input);
	return { ...(output.data as Diagnosis), text: output.content };
}

function places(facts: readonly Fact[]): string[] {
	return facts.map((fact) => `${fact.rule} ${fact.path}:${fact.line}`);
}

const GO = "package a\n\nfunc F(a int) int {\n\tif a > 1 {\n\t\treturn 2\n\t}\n\treturn a\n}\n\nfunc G() {}\n";
const OURS = "<".repeat(7);
const MIDDLE = "=".repeat(7);
const THEIRS = ">".repeat(7);
const TOKEN = ["gh", "p_", "k7Rw2VtQ9mXz4LbN8sYc1HdJ6PgF3uKe5ToA"].join("");

describe("diagnose: syntax", () => {
	it.each<[string, string, string, string, string | undefined]>([
		["a.go", GO, GO.replace("\t\treturn 2\n\t}\n", "\t\treturn 2\n"), "syntax/go a.go:6", undefined],
		["a.go", GO, GO.replace("F(a int) int", "F(a int int"), "syntax/go a.go:3", undefined],
		["a.go", GO, GO.replace("return a\n", "return a +\n"), "syntax/go a.go:7", undefined],
		["a.go", GO, GO.replace("return a\n", 'return len("abc)\n'), "syntax/go a.go:7", undefined],
		["a.rs", "fn f() {\n    let a = 1;\n    g(a);\n}\n", "fn f() {\n    let a = 1\n    g(a);\n}\n", "syntax/rust a.rs:2", "    let a = 1;"],
		["a.rs", "struct A {\n    a: u8,\n    b: u8,\n}\n", "struct A {\n    a: u8\n    b: u8,\n}\n", "syntax/rust a.rs:2", "    a: u8,"],
		["a.py", "def f(a):\n    return a\n", "def f(a)\n    return a\n", "syntax/python a.py:1", "def f(a):"],
		["a.py", "x = [1, 2]\ny = 3\n", "x = [1, 2\ny = 3\n", "syntax/python a.py:1", undefined],
		["a.py", "x = 'a'\ny = 3\n", "x = 'a\ny = 3\n", "syntax/python a.py:1", undefined],
		["A.java", "class A {\n    int x = 5;\n}\n", "class A {\n    int x = 5\n}\n", "syntax/java A.java:2", "    int x = 5;"],
		["A.java", "class A {\n    int x = 5;\n}\n", "class A {\n    int x = ;\n}\n", "syntax/java A.java:2", undefined],
		[
			"a.ts",
			"export const a = {\n\tb: 1,\n\tc: 2,\n};\n",
			"export const a = {\n\tb: 1\n\tc: 2,\n};\n",
			"syntax/typescript a.ts:2",
			"\tb: 1,",
		],
		["a.ts", "const a: string = 'x';\n", "const a: string = ;\n", "syntax/typescript a.ts:1", undefined],
		["a.js", "f(() => {\n\tg();\n});\n", "f(() => {\n\tg();\n}\n", "syntax/javascript a.js:3", undefined],
		["a.json", '{\n  "a": 1\n}\n', '{\n  "a": 1,\n}\n', "syntax/json a.json:2", undefined],
		["a.yml", "a: 1\nb:\n  - c\n", "a: 1\nb:\n  - c\n   - d: [\n", "syntax/yaml a.yml:4", undefined],
	])("%s is found where it was broken", async (file, base, head, place, replacement) => {
		const { facts } = await diagnose({ [file]: base }, { [file]: head });
		expect(places(facts)).toEqual([place]);
		expect(facts[0]?.replacement).toBe(replacement);
		expect(head.split("\n")).toContain(facts[0]?.quote);
	});

	it.each<[string, string, string]>([
		[
			"new TypeScript",
			"a.ts",
			"class A { accessor x = 1; static accessor y = 2; }\nexport type * from 'z';\nusing r = f();\nawait using q = g();\n",
		],
		["new JavaScript", "a.mjs", "import defer * as x from 'y';\nimport source z from 'y';\nawait using a = f();\n"],
		["new Java", "A.java", "import module java.base;\nclass A { A(int x) { check(x); super(); } }\n"],
		["new Python", "a.py", "type X[T] = list[T]\nx = t'hello {name}'\ntry:\n    pass\nexcept A, B:\n    pass\n"],
		["new Rust", "a.rs", 'fn h() -> impl Sized + use<\'a> {}\nunsafe extern "C" { safe fn g(); }\nfn c() { let c = async || {}; }\n'],
		["new Go", "a.go", "package a\n\ntype A[T any] = B[T]\n\nfunc F() {\n\tfor i := range 10 {\n\t\t_ = min(i, 2)\n\t}\n}\n"],
		["a template", "templates/a.go", "package {{ .Name }}\n\nfunc F( {\n"],
		["a fixture", "testdata/broken.go", "package a\n\nfunc F( {\n"],
		["a Helm chart", "chart/templates/a.yaml", "{{- if .Values.x }}\na: [\n{{- end }}\n"],
		["a workflow's placeholders", "a.yml", "a: {{ x }}\nb: [\n"],
		["JSON with comments", "tsconfig.json", '{\n  // why\n  "a": 1,\n}\n'],
		["editor settings", ".vscode/settings.json", '{\n  "a": 1, // why\n}\n'],
		["one document a line", "log.json", '{"a":1}\n{"a":2}\n'],
		["CloudFormation tags", "stack.yml", "a: !Ref B\nc: !Sub D\n"],
		["several YAML documents", "k.yaml", "a: 1\n---\nb: 2\n"],
		["an import type with arguments", "a.d.ts", 'export declare const e: import("x").E<object>;\n'],
		["JSX with attributes", "a.jsx", 'export const A = () => (\n\t<div class="hero" onClick$={() => 1}>\n\t\tDon\'t\n\t</div>\n);\n'],
	])("no alarm for %s", async (_name, file, head) => {
		expect((await diagnose({}, { [file]: head })).facts).toEqual([]);
	});

	it("says nothing of a file that did not parse before, and of an error that the change does not touch", async () => {
		const broken = `${GO}func H( {\n`;
		expect((await diagnose({ "a.go": broken }, { "a.go": `${broken}// more\n` })).facts).toEqual([]);
	});

	it("notes what it is not sure of instead of claiming it", async () => {
		const { facts, notes } = await diagnose({ "a.mjs": "f();\n" }, { "a.mjs": "f();\nimport defer * as x from 'y';\n" });
		expect(facts).toEqual([]);
		expect(notes).toEqual([expect.stringMatching(/^a\.mjs:2: the parser does not understand this/)]);
	});

	it("looks at a renamed file's old text under its old name", async () => {
		const body = `${"// a comment that makes the file alike\n".repeat(20)}`;
		const { facts } = await diagnose(
			{ "old.go": `package a\n${body}func F() {}\n` },
			{ "old.go": null, "new.go": `package a\n${body}func F() {\n` },
		);
		expect(places(facts)).toEqual(["syntax/go new.go:22"]);
	});
});

describe("diagnose: conflict markers", () => {
	const conflict = `${OURS} HEAD\na\n${MIDDLE}\nb\n${THEIRS} topic\n`;

	it("finds a committed conflict once, also where no grammar helps", async () => {
		const { facts } = await diagnose(
			{ "a.sql": "select 1;\n", "a.go": GO },
			{ "a.sql": `select 1;\n${conflict}`, "a.go": GO.replace("func G() {}\n", conflict) },
		);
		expect(places(facts)).toEqual(["conflict-marker a.go:10", "conflict-marker a.sql:2"]);
		expect(facts[1]?.endLine).toBe(6);
	});

	it("finds a marker that was left over", async () => {
		expect(places((await diagnose({}, { "a.css": `a {}\n${THEIRS} topic\n` })).facts)).toEqual(["conflict-marker a.css:2"]);
	});

	it.each<[string, string, string]>([
		["a heading's underline", "a.md", `Title\n${MIDDLE}\n\n${THEIRS} deep quotation\n`],
		["an example in a code fence", "a.md", `Text\n\n\`\`\`\n${conflict}\`\`\`\n`],
		["a divider", "a.txt", `${MIDDLE}\n`],
		["a string of a test", "merge.test.ts", `const text = \`\n${conflict}\`;\n`],
		["a fixture", "test/fixtures/merge.txt", conflict],
		["a shift operator", "a.js", `x ${THEIRS} 1\n`.replace(THEIRS, ">>>")],
	])("no alarm for %s", async (_name, file, head) => {
		expect((await diagnose({}, { [file]: head })).facts).toEqual([]);
	});

	it("an old conflict is not the change's doing", async () => {
		expect((await diagnose({ "a.sql": conflict }, { "a.sql": `${conflict}select 1;\n` })).facts).toEqual([]);
	});
});

describe("diagnose: secrets", () => {
	it("gives the line and never the value", async () => {
		const { facts, text } = await diagnose({ "a.ts": "const a = 1;\n" }, { "a.ts": `const a = 1;\nconst token = "${TOKEN}";\n` });
		expect(places(facts)).toEqual(["secret/github a.ts:2"]);
		expect(facts[0]?.quote).toBe("");
		expect(text).not.toContain(TOKEN.slice(4, 20));
	});

	it.each<[string, Files, Files]>([
		["a value that was there", { "a.ts": `f("${TOKEN}");\n` }, { "a.ts": `g();\nf( "${TOKEN}" );\n` }],
		["a placeholder", {}, { "a.ts": `const t = "ghp_${"x".repeat(36)}";\n` }],
		["a documented example", {}, { "README.md": "AWS_ACCESS_KEY_ID=AKIAIOSFODNN7EXAMPLE\nuse https://user:password@example.com/\n" }],
		["a token made of words", {}, { "README.md": "ghp_PersonalAccessToken01245678900000000\n" }],
		["a database of the tests", {}, { "tests/db.py": `URL = "postgres://app:${"q8Zr7"}Lk2@db:5432/app"\n` }],
	])("no alarm for %s", async (_name, base, head) => {
		expect((await diagnose(base, head)).facts).toEqual([]);
	});
});

describe("diagnose: focused and skipped tests", () => {
	it.each<[string, string, string[]]>([
		["a.test.ts", "it.only('a', () => {});\n", ["focused-test/typescript a.test.ts:1"]],
		["a.test.ts", "describe.only('a', () => {\n\tit('b', f);\n});\n", ["focused-test/typescript a.test.ts:1"]],
		["a.spec.tsx", "test.describe.only('a', async () => {});\n", ["focused-test/typescript a.spec.tsx:1"]],
		[
			"a.spec.js",
			"fdescribe('a', () => {});\nfit('b', () => {});\n",
			["focused-test/javascript a.spec.js:1", "focused-test/javascript a.spec.js:2"],
		],
		["a.test.js", "it.only.each([1, 2])('a %i', () => {});\n", ["focused-test/javascript a.test.js:1"]],
		[
			"a.test.js",
			"xit('a', () => {});\nit.skip(`b`, () => {});\n",
			["skipped-test/javascript a.test.js:1", "skipped-test/javascript a.test.js:2"],
		],
		["a_test.go", 'package a\n\nfunc TestA(t *testing.T) {\n\tt.Skip("later")\n}\n', ["skipped-test/go a_test.go:4"]],
		["a_test.go", 'package a\n\nvar _ = FIt("a", func() {})\n', ["focused-test/go a_test.go:3"]],
		["a.rs", "#[test]\n#[ignore]\nfn a() {}\n", ["skipped-test/rust a.rs:2"]],
		[
			"test_a.py",
			"@pytest.mark.skip\ndef test_a():\n    pass\n\n\n@unittest.skip('x')\nclass B:\n    pass\n",
			["skipped-test/python test_a.py:1", "skipped-test/python test_a.py:6"],
		],
		[
			"src/test/java/ATest.java",
			'class ATest {\n    @Disabled\n    @Test\n    void a() {}\n\n    @Ignore("x") @Test public void b() {}\n}\n',
			["skipped-test/java src/test/java/ATest.java:2", "skipped-test/java src/test/java/ATest.java:6"],
		],
	])("%s", async (file, head, expected) => {
		expect(places((await diagnose({}, { [file]: head })).facts)).toEqual(expected);
	});

	it.each<[string, string, string]>([
		["strings and comments", "a.test.ts", "// it.only('a', () => {})\nconst s = \"it.only('a', () => {})\";\nit('it.only()', () => {});\n"],
		[
			"other libraries' only and fit",
			"a.test.ts",
			"_.only('a', () => {});\nfit(points, curve);\nmodel.fit('x', () => {});\nquery.only('id', x => x);\n",
		],
		["a file that is no test", "src/a.ts", "it.only('a', () => {});\n"],
		["a condition", "a.test.ts", "test.skip(process.platform === 'win32', 'no pipes');\nit.skipIf(x)('a', () => {});\n"],
		[
			"a condition in Go",
			"a_test.go",
			'package a\n\nfunc TestA(t *testing.T) {\n\tif testing.Short() {\n\t\tt.Skip("slow")\n\t}\n}\n\nfunc need(t *testing.T) {\n\tt.Skip("helper")\n}\n',
		],
		[
			"a condition in Python",
			"test_a.py",
			"@pytest.mark.skipif(True, reason='x')\ndef test_a():\n    s = '@pytest.mark.skip'\n    # @unittest.skip\n",
		],
		["an ignore of something else", "a.rs", "#[serde(skip)]\nstruct A;\n#[ignore]\nstruct B;\n// #[ignore]\n"],
	])("no alarm for %s", async (_name, file, head) => {
		expect((await diagnose({}, { [file]: head })).facts).toEqual([]);
	});

	it("proposes the exact line without the focus", async () => {
		const { facts } = await diagnose({}, { "a.test.ts": "\tit.only('a', () => {\n\t});\n" });
		expect(facts[0]?.replacement).toBe("\tit('a', () => {");
	});

	it("an old mark that moves or changes its reason is not news", async () => {
		const { facts } = await diagnose(
			{ "a.test.ts": "it.skip('a', () => {});\nit('b', () => {});\n" },
			{ "a.test.ts": "it('b', () => {});\n\n\tit.skip('a', () => { x(); });\n" },
		);
		expect(facts).toEqual([]);
	});
});

describe("diagnose: coverage", () => {
	it("names every file it did not check, with the reason", async () => {
		const { notChecked, checked, text } = await diagnose(
			{ "gone.ts": "export const gone = [1, 2, 3];\n", "logo.png": Buffer.from([0, 1, 2]) },
			{ "gone.ts": null, "logo.png": Buffer.from([0, 3, 4]), "big.ts": `// ${"x".repeat(1_000_001)}\n`, "ok.ts": "a();\n" },
		);
		expect(checked).toEqual(["ok.ts"]);
		expect(notChecked.map((row) => `${row.path}: ${row.reason}`).toSorted()).toEqual([
			"big.ts: over 1 MB",
			"gone.ts: deleted",
			"logo.png: binary",
		]);
		expect(text).toContain('{"notChecked":"gone.ts","reason":"deleted"}');
	});

	it("checks only the files it is asked for, and only changed ones", async () => {
		const focus = "it.only('a', () => {});\n";
		const result = await diagnose(
			{ "c.test.ts": focus },
			{ "a.test.ts": focus, "b.test.ts": focus },
			{ paths: ["b.test.ts", "c.test.ts"] },
		);
		expect(places(result.facts)).toEqual(["focused-test/typescript b.test.ts:1"]);
		expect(result.notChecked).toEqual([{ path: "c.test.ts", reason: "not changed by this pull request" }]);
	});

	it("BR-13 CRLF files get the same facts on the same lines", async () => {
		const { facts } = await diagnose(
			{ "a.go": GO.replaceAll("\n", "\r\n") },
			{ "a.go": GO.replace("return a\n", "return a +\n").replaceAll("\n", "\r\n") },
		);
		expect(places(facts)).toEqual(["syntax/go a.go:7"]);
		expect(facts[0]?.quote).toBe("\treturn a +");
	});
});
