import { describe, expect, it } from "vitest";
import type { LanguageProfile } from "../../src/agents/experts/language-profile.ts";
import { extendTable, LANGUAGES } from "../../src/agents/experts/table.ts";
import { findCheckFolders } from "../../src/checks/find-check-folders.ts";
import { type RunChecksOptions, runChecks } from "../../src/checks/run-checks.ts";
import type { LanguageChecks } from "../../src/domain/checks.ts";
import { has } from "./has-program.ts";
import { makeTree, type TestTree } from "./process-runner.ts";

function language(id: string): LanguageProfile {
	const found = LANGUAGES.find((profile) => profile.id === id);
	if (found === undefined) throw new Error(`no language ${id}`);
	return found;
}

async function check(tree: TestTree, profile: LanguageProfile, options: RunChecksOptions = { only: "tests" }): Promise<LanguageChecks> {
	const [folder, ...more] = findCheckFolders(profile, tree.files());
	if (folder === undefined || more.length > 0) throw new Error("not one folder");
	return runChecks(profile, folder, tree.runner, options);
}

describe("one command, chosen by files", () => {
	const FAILING_WRAPPER =
		"#!/bin/sh\necho 'Tests run: 2, Failures: 1, Errors: 0, Skipped: 0'\necho '[ERROR]   AppTest.adds:7 expected 2'\nexit 1\n";

	it("S-014 a red Maven wrapper is one command and a failure; Gradle beside it is never tried", async () => {
		using tree = makeTree({ mvnw: FAILING_WRAPPER, "pom.xml": "<project/>", "build.gradle": "", gradlew: "#!/bin/sh\ntouch ran-gradle\n" });
		const checks = await check(tree, language("java"));
		expect(checks).toMatchObject({ outcome: "failed", results: [{ command: "./mvnw -B -ntp test", counts: { passed: 1, failed: 1 } }] });
		expect(tree.lines).toHaveLength(1);
		expect(tree.files()).not.toContain("ran-gradle");
	});

	it.each([
		["build.gradle alone", { "build.gradle": "" }, "java", "gradle test"],
		["a Gradle wrapper", { "build.gradle": "", gradlew: "" }, "java", "./gradlew test"],
		["pnpm's lock file", { "package.json": "{}", "pnpm-lock.yaml": "" }, "typescript", "pnpm test"],
		["npm's lock file", { "package.json": "{}", "package-lock.json": "{}" }, "typescript", "npm test"],
		["uv's lock file", { "pyproject.toml": "", "uv.lock": "" }, "python", "uv run pytest"],
	])("S-014 %s decides", (_name, files, id, command) => {
		const profile = language(id);
		expect(findCheckFolders(profile, Object.keys(files), ["src/x"])[0]).toBeDefined();
		expect(profile.testCommand(new Set(Object.keys(files)))).toBe(command);
	});

	it("D-07 a program that is not there is told apart from red tests", async () => {
		using tree = makeTree({ "a.cob": "" });
		const [profile] = extendTable([], { cobol: { extensions: [".cob"], test: "cobol-check-that-nobody-has --all" } });
		expect(await check(tree, profile as LanguageProfile)).toMatchObject({
			outcome: "not installed",
			results: [{ reason: "cobol-check-that-nobody-has is not installed here" }],
		});
	});

	it("D-07 a wrapper that nobody may execute, and one that would have to download, are not red tests", async () => {
		using locked = makeTree({ mvnw: "echo no", "pom.xml": "" });
		expect(await check(locked, language("java"))).toMatchObject({
			outcome: "not installed",
			results: [{ reason: "./mvnw cannot be executed here" }],
		});
		using offline = makeTree({
			mvnw: "#!/bin/sh\necho '[ERROR] Could not transfer artifact org.junit:junit-bom:pom:5.10.0 from/to central: Unknown host'\nexit 1\n",
			"pom.xml": "",
		});
		expect(await check(offline, language("java"))).toMatchObject({
			outcome: "not installed",
			results: [{ reason: expect.stringContaining("dependencies are not installed (org.junit:junit-bom:pom:5.10.0)") }],
		});
	});

	it("D-07 a run that takes too long is timed out, and what it started is gone", async () => {
		using tree = makeTree({ mvnw: "#!/bin/sh\necho started\nsleep 60 &\nwait\n", "pom.xml": "" });
		const checks = await check(tree, language("java"), { only: "tests", timeoutSeconds: 0.3 });
		expect(checks).toMatchObject({ outcome: "timed out", results: [{ output: expect.stringContaining("started") }] });
	});

	it("D-07 the words of a test about missing things do not turn red into missing", async () => {
		using tree = makeTree({
			mvnw: "#!/bin/sh\necho 'sh: foo: command not found'\necho 'Tests run: 1, Failures: 1, Errors: 0, Skipped: 0'\nexit 1\n",
			"pom.xml": "",
		});
		expect((await check(tree, language("java"))).outcome).toBe("failed");
	});

	it("a cancelled run starts nothing more", async () => {
		using tree = makeTree({ mvnw: "#!/bin/sh\ntouch ran\n", "pom.xml": "" });
		expect(await check(tree, language("java"), { signal: AbortSignal.abort() })).toMatchObject({
			outcome: "not run",
			results: [{ reason: "cancelled" }],
		});
		expect(tree.lines).toEqual([]);
	});

	it("reports that Surefire and Gradle write are read when they are of this run, not those that lay there before", async () => {
		const suite = (name: string, inner = "") =>
			`<?xml version="1.0"?><testsuite><testcase classname="a.${name}" name="t">${inner}</testcase></testsuite>`;
		using tree = makeTree({
			"pom.xml": "",
			"target/surefire-reports/TEST-old.xml": suite("Old", '<failure message="stale"/>'),
			mvnw: `#!/bin/sh\nsleep 0.05\nmkdir -p mod/target/surefire-reports\necho '${suite("New")}' > mod/target/surefire-reports/TEST-new.xml\necho '${suite("Red", '<error message="x &amp; y">trace</error>')}' > target/surefire-reports/TEST-red.xml\nexit 1\n`,
		});
		expect(await check(tree, language("java"))).toMatchObject({
			outcome: "failed",
			results: [{ counts: { passed: 1, failed: 1, skipped: 0, format: "JUnit XML" }, failures: [{ name: "a.Red.t", message: "x & y" }] }],
		});
	});
});

describe("real toolchains", { timeout: 120_000 }, () => {
	it.runIf(has("go", "version"))("S-014 Go: counts and names of go test -json; vet and build before it", async () => {
		using tree = makeTree({
			"go.mod": "module example.com/calc\n\ngo 1.22\n",
			"calc.go": "package calc\n\nfunc Add(a, b int) int { return a - b }\n",
			"calc_test.go":
				'package calc\n\nimport "testing"\n\nfunc TestAdd(t *testing.T) {\n\tt.Run("zero", func(t *testing.T) {})\n\tt.Run("one", func(t *testing.T) {\n\t\tif Add(1, 1) != 2 {\n\t\t\tt.Error("want 2")\n\t\t}\n\t})\n}\n\nfunc TestSkip(t *testing.T) { t.Skip() }\n',
		});
		const checks = await check(tree, language("go"), {});
		expect(checks.outcome).toBe("failed");
		expect(checks.results.map(({ command, outcome }) => [command, outcome])).toEqual([
			["go build ./...", "passed"],
			["go vet ./...", "passed"],
			["go test ./...", "failed"],
		]);
		expect(checks.results[2]).toMatchObject({
			counts: { passed: 1, failed: 1, skipped: 1, format: "go test -json" },
			failures: [{ name: "example.com/calc TestAdd/one", message: expect.stringContaining("want 2") }],
			output: expect.stringContaining("--- FAIL: TestAdd/one"),
		});
	});

	it.runIf(has("go", "version"))("Go that does not build is a failure with the compiler's words", async () => {
		using tree = makeTree({
			"go.mod": "module example.com/x\n\ngo 1.22\n",
			"x.go": "package x\n\nvar a int = b\n",
			"x_test.go": "package x\n",
		});
		const checks = await check(tree, language("go"));
		expect(checks).toMatchObject({ outcome: "failed", results: [{ output: expect.stringContaining("undefined: b") }] });
	});

	it.runIf(has("cargo", "--version"))("S-014 Rust: the summaries of cargo test", async () => {
		using tree = makeTree({
			"Cargo.toml": '[package]\nname = "calc"\nversion = "0.1.0"\nedition = "2021"\n',
			"src/lib.rs":
				"pub fn add(a: i32, b: i32) -> i32 {\n    a - b\n}\n\n#[cfg(test)]\nmod tests {\n    #[test]\n    fn adds() {\n        assert_eq!(super::add(1, 1), 2);\n    }\n    #[test]\n    fn zero() {}\n    #[test]\n    #[ignore]\n    fn later() {}\n}\n",
		});
		const checks = await check(tree, language("rust"));
		expect(checks).toMatchObject({
			outcome: "failed",
			results: [
				{
					command: "cargo test",
					counts: { passed: 1, failed: 1, skipped: 1, format: "libtest" },
					failures: [{ name: "tests::adds", message: expect.stringContaining("left == right") }],
				},
			],
		});
	});

	it.runIf(has("cargo", "--version"))("Rust whose dependency cannot be downloaded is not red", async () => {
		using tree = makeTree({
			"Cargo.toml":
				'[package]\nname = "calc"\nversion = "0.1.0"\nedition = "2021"\n\n[dependencies]\nserde = { git = "https://127.0.0.1:1/serde" }\n',
			"src/lib.rs": "",
		});
		expect(await check(tree, language("rust"))).toMatchObject({
			outcome: "not installed",
			results: [{ reason: expect.stringContaining("dependencies") }],
		});
	});

	it("S-014 Node: the runner's own summary, and a package without tests is not run", async () => {
		using tree = makeTree({
			"package.json": '{"scripts":{"test":"node --test"}}',
			"a.test.mjs":
				'import { test } from "node:test";\nimport assert from "node:assert";\ntest("good", () => {});\ntest("bad", () => assert.equal(1, 2));\ntest("later", { skip: true }, () => {});\n',
		});
		const checks = await check(tree, language("typescript"));
		expect(checks).toMatchObject({ outcome: "failed", results: [{ command: "npm test", counts: { passed: 1, failed: 1, skipped: 1 } }] });
		expect(checks.results[0]?.failures.map(({ name }) => name)).toEqual(["bad"]);
		using bare = makeTree({ "package.json": "{}" });
		expect(await check(bare, language("typescript"))).toMatchObject({
			outcome: "not run",
			results: [{ reason: "package.json has no script named test" }],
		});
	});

	it.runIf(has("python3", "--version"))("S-014 Python: pytest where it is, and said so where it is not", async () => {
		using tree = makeTree({
			"pyproject.toml": "",
			"tests/test_calc.py":
				"import pytest\n\ndef test_good():\n    pass\n\ndef test_bad():\n    assert 1 == 2\n\n@pytest.mark.skip\ndef test_later():\n    pass\n",
		});
		const checks = await check(tree, language("python"));
		if (checks.outcome === "not installed") expect(checks.results[0]?.reason).toContain("is not installed here");
		else
			expect(checks).toMatchObject({
				outcome: "failed",
				results: [{ counts: { passed: 1, failed: 1, skipped: 1, format: "JUnit XML" }, failures: [{ name: "tests.test_calc.test_bad" }] }],
			});
	});
});
