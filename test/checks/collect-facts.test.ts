import { readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { BUILT_IN_LANGUAGES } from "../../src/agents/experts/table.ts";
import { collectFacts, type FactSide } from "../../src/checks/collect-facts.ts";
import { parseEslint, parseRuff } from "../../src/checks/parse-lint-json.ts";
import { parsePyflakes } from "../../src/checks/parse-text.ts";
import type { ToolFacts } from "../../src/domain/tool-facts.ts";
import { has } from "./has-program.ts";
import { makeTree, type TestTree } from "./process-runner.ts";

type Files = Readonly<Record<string, string>>;

function sideOf(tree: TestTree): FactSide {
	return {
		root: tree.root,
		files: tree.files(),
		runner: tree.runner,
		lineAt: async (file, line) => readFileSync(path.join(tree.root, file), "utf8").split("\n")[line - 1]?.trim() ?? "",
	};
}

/** Facts of a change from one set of files to another; `changed` names files with the lines that are new in them. */
async function collect(base: Files, head: Files, changed: Readonly<Record<string, readonly number[]>>, timeoutSeconds = 60) {
	using headTree = makeTree(head);
	using baseTree = makeTree(base);
	const facts = await collectFacts({
		profiles: BUILT_IN_LANGUAGES,
		changed: Object.entries(changed).map(([file, lines]) => ({ path: file, addedLines: new Set(lines) })),
		head: sideOf(headTree),
		openBase: async () => sideOf(baseTree),
		timeoutSeconds,
		signal: new AbortController().signal,
	});
	return { facts, headLines: [...headTree.lines], baseLines: [...baseTree.lines] };
}

const told = ({ facts }: ToolFacts) =>
	facts.map((fact) => `${fact.path}:${fact.line} ${fact.rule} ${fact.level}${fact.isNew === true ? " new" : ""}`);

describe("facts of real tools", { timeout: 180_000 }, () => {
	const MOD = "module example.com/x\n\ngo 1.22\n";

	it.runIf(has("go", "version"))("go vet: what is new on changed lines, and what a change breaks in a file it does not touch", async () => {
		const use = 'package x\n\nimport "fmt"\n\nfunc Use() { fmt.Println(One(1)) }\n';
		const old = 'package x\n\nimport "fmt"\n\nfunc One(a int) int { return a }\n\nfunc Old() { fmt.Printf("%d\\n", "old") }\n';
		const vet = await collect(
			{ "go.mod": MOD, "a.go": old, "use.go": use },
			{ "go.mod": MOD, "a.go": `${old}\nfunc New() { fmt.Printf("%d\\n", "new") }\n`, "use.go": use },
			{ "a.go": [8, 9] },
		);
		expect(told(vet.facts)).toEqual(["a.go:9  warning new"]);
		expect(vet.facts.facts[0]).toMatchObject({ tool: "go vet", message: expect.stringContaining("Printf format %d"), onChangedLine: true });
		const broken = await collect(
			{ "go.mod": MOD, "a.go": old, "use.go": use },
			{ "go.mod": MOD, "a.go": old.replace("One(a int)", "One(a, b int)"), "use.go": use },
			{ "a.go": [5] },
		);
		expect(told(broken.facts)).toEqual(["use.go:5 compile error new"]);
		expect(broken.facts.facts[0]?.onChangedLine).toBe(false);
	});

	it.runIf(has("go", "version"))(
		"what was there before is marked as not new, also when its line has moved; without findings the base is not asked",
		async () => {
			const fault = 'func Old() { fmt.Printf("%d\\n", "old") }\n';
			const moved = await collect(
				{ "go.mod": MOD, "sub/a.go": `package sub\n\nimport "fmt"\n\n${fault}` },
				{ "go.mod": MOD, "sub/a.go": `package sub\n\nimport "fmt"\n\n// Moved.\n\n${fault}` },
				{ "sub/a.go": [5, 6, 7] },
			);
			expect(told(moved.facts)).toEqual(["sub/a.go:7  warning"]);
			expect(moved.facts.facts[0]?.isNew).toBe(false);
			const clean = await collect({ "go.mod": MOD }, { "go.mod": MOD, "a.go": "package x\n" }, { "a.go": [1] });
			expect(clean.facts).toMatchObject({ facts: [], runs: [{ tool: "go vet", outcome: "passed" }] });
			expect(clean.baseLines).toEqual([]);
		},
	);

	it.runIf(has("cargo", "--version"))("cargo check: errors and warnings of the crate, each once over all targets", async () => {
		const manifest = '[package]\nname = "x"\nversion = "0.1.0"\nedition = "2021"\n';
		const rust = await collect(
			{ "crates/x/Cargo.toml": manifest, "crates/x/src/lib.rs": "pub fn a() {}\n" },
			{ "crates/x/Cargo.toml": manifest, "crates/x/src/lib.rs": 'pub fn a() {\n    let unused = 1;\n}\n\npub fn b() -> u32 { "text" }\n' },
			{ "crates/x/src/lib.rs": [1, 2, 3, 4, 5] },
		);
		expect(told(rust.facts)).toContain("crates/x/src/lib.rs:5 E0308 error new");
		expect(new Set(told(rust.facts)).size).toBe(rust.facts.facts.length);
	});

	it.runIf(has("javac", "-version"))("javac: lint on changed lines; with dependencies missing it says so instead of flooding", async () => {
		const source = (body: string) => `package a;\n\nimport java.util.List;\n\nclass A {\n${body}}\n`;
		const java = await collect(
			{ "pom.xml": "<project/>", "src/main/java/a/A.java": source("") },
			{ "pom.xml": "<project/>", "src/main/java/a/A.java": source("\tList raw = List.of();\n\tint n = missing;\n") },
			{ "src/main/java/a/A.java": [6, 7] },
		);
		expect(told(java.facts)).toContain("src/main/java/a/A.java:7  error new");
		const without = await collect(
			{},
			{ "pom.xml": "", "A.java": "import org.junit.Test;\nclass A { @Test void t() { nope(); } }\n" },
			{ "A.java": [1, 2] },
		);
		expect(without.facts).toMatchObject({
			facts: [],
			runs: [{ tool: "javac", outcome: "not installed", reason: expect.stringContaining("org.junit") }],
		});
	});

	it("tsc: by the repository's own compiler, with errors that the change causes elsewhere", async () => {
		const compiler = path.resolve(import.meta.dirname, "../../node_modules");
		const run = async (head: Files, base: Files) => {
			const link = { "node_modules/.bin/tsc": `#!/bin/sh\nexec node ${compiler}/typescript/bin/tsc "$@"\n` };
			const config = {
				"package.json": "{}",
				"tsconfig.json": '{"compilerOptions":{"strict":true,"noEmit":true,"types":[]},"include":["*.ts"]}',
			};
			return collect({ ...base, ...config, ...link }, { ...head, ...config, ...link }, { "a.ts": [1] });
		};
		const use = 'import { f } from "./a.js";\nexport const n: number = f(1);\n';
		const types = await run(
			{ "a.ts": "export function f(a: string): number { return a.length; }\n", "use.ts": use },
			{ "a.ts": "export function f(a: number): number { return a; }\n", "use.ts": use },
		);
		expect(told(types.facts)).toEqual(["use.ts:2 TS2345 error new"]);
	});

	it("a tool that is not there is a row with its reason, and takes nobody with it", async () => {
		const missing = await collect({}, { "package.json": "{}", "tsconfig.json": "{}", "a.ts": "let x: number = 1;\n" }, { "a.ts": [1] });
		expect(missing.facts.facts).toEqual([]);
		expect(missing.facts.runs).toMatchObject([{ tool: "tsc", outcome: "not installed" }]);
	});

	it.runIf(has("python3", "--version"))("Python: ruff, and pyflakes only where ruff is not installed", async () => {
		const { facts } = await collect({ "a.py": "" }, { "a.py": "import os\n\ndef f():\n    return nope\n" }, { "a.py": [1, 2, 3, 4] });
		const [first, second] = facts.runs;
		expect(first?.tool).toBe("ruff");
		expect(second?.tool).toBe(first?.outcome === "not installed" ? "pyflakes" : undefined);
		const spoken = facts.runs.some((run) => run.outcome === "failed");
		expect(facts.facts.map((fact) => fact.line)).toEqual(spoken ? [1, 4] : []);
	});

	it("a tool that takes too long is timed out and named", async () => {
		const slow = {
			"package.json": "{}",
			"tsconfig.json": "{}",
			"node_modules/.bin/tsc": "#!/bin/sh\nsleep 60\n",
			"a.ts": "let x: number = 1;\n",
		};
		const { facts } = await collect({}, slow, { "a.ts": [1] }, 2);
		expect(facts).toMatchObject({ facts: [], runs: [{ tool: "tsc", outcome: "timed out" }] });
	});

	it("reads what linters write for programs, and nothing from what only resembles it", () => {
		const ruff = [{ code: "F821", message: "Undefined name `nope`", filename: "/t/a.py", location: { row: 4, column: 12 }, cell: null }];
		expect(parseRuff(JSON.stringify(ruff))).toEqual([
			{ path: "/t/a.py", line: 4, rule: "F821", message: "Undefined name `nope`", level: "error" },
		]);
		const eslint = [
			{
				filePath: "/t/a.js",
				messages: [
					{ ruleId: "no-undef", severity: 2, message: "'x' is not defined.", line: 3, column: 1 },
					{ ruleId: null, severity: 1, message: "File ignored because of a matching ignore pattern." },
				],
				errorCount: 1,
			},
		];
		expect(parseEslint(`(node:1) Warning: old\n${JSON.stringify(eslint)}`)).toEqual([
			{ path: "/t/a.js", line: 3, rule: "no-undef", message: "'x' is not defined.", level: "error" },
		]);
		for (const text of ["", "[]", "[1]", "[{", '{"a":1}']) expect([...parseRuff(text), ...parseEslint(text)]).toEqual([]);
		expect(parsePyflakes("./b.py:1:5: invalid syntax\ndef (:\n    ^\n")).toEqual([
			{ path: "./b.py", line: 1, rule: "", message: "invalid syntax", level: "error" },
		]);
	});
});
