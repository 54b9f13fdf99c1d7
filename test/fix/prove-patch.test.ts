import { describe, expect, it } from "vitest";
import type { CheckOutcome, CheckResult, LanguageChecks } from "../../src/domain/checks.ts";
import { provePatch } from "../../src/fix/prove-patch.ts";

function run(command: string, outcome: CheckOutcome, more: Partial<CheckResult> = {}): CheckResult {
	return { kind: "tests", command, outcome, reason: "exit code", failures: [], output: "", durationMs: 1, ...more };
}
const checks = (...results: CheckResult[]): readonly LanguageChecks[] => [{ language: "go", folder: "", outcome: "passed", results }];
const prove = (before: readonly LanguageChecks[], after: readonly LanguageChecks[]) =>
	provePatch({ before: async () => before, after: async () => after });

describe("the proof of a patch", () => {
	it("X-12 what fails with the patch is red, whether it passed before or not", async () => {
		const broken = await prove(checks(run("go test", "passed")), checks(run("go test", "failed")));
		expect(broken).toMatchObject({ verdict: "red", sentence: "With the patch, this fails and did not before: `go test`." });
		expect((await prove(checks(run("t", "failed")), checks(run("t", "failed")))).verdict).toBe("red");
		expect((await prove(checks(run("t", "passed")), checks(run("t", "timed out")))).verdict).toBe("red");
		const second = await prove(checks(run("t", "passed"), run("u", "passed")), checks(run("t", "passed"), run("u", "failed")));
		expect(second.verdict).toBe("red");
		// What ran before and cannot run any more shows nothing: no proof is no success.
		expect((await prove(checks(run("t", "passed")), checks(run("t", "not installed")))).verdict).toBe("red");
	});

	it("X-12 what passes with the patch is proved, and what it repaired is named", async () => {
		const counted = run("go test", "passed", { counts: { passed: 3, failed: 0, skipped: 0, format: "go test -json" } });
		expect((await prove(checks(run("go test", "passed")), checks(counted))).sentence).toBe("With the patch, `go test (3 tests)` passes.");
		const repaired = await prove(checks(run("go test", "failed", { failures: [{ name: "TestA`\n", message: "" }] })), checks(counted));
		expect(repaired).toMatchObject({ verdict: "proved", sentence: expect.stringContaining("Before it, this failed: `TestA`.") });
	});

	it("X-12 a linter that complained before may go on; one that did not may not begin", async () => {
		const lint = (outcome: CheckOutcome) => run("go vet", outcome, { kind: "check" });
		const same = await prove(checks(run("t", "passed"), lint("failed")), checks(run("t", "passed"), lint("failed")));
		expect(same).toMatchObject({ verdict: "proved", sentence: expect.stringContaining("`go vet` complained before and still does") });
		expect((await prove(checks(run("t", "passed"), lint("passed")), checks(run("t", "passed"), lint("failed")))).verdict).toBe("red");
		expect((await prove(checks(lint("failed")), checks(lint("failed")))).verdict).toBe("unproved");
	});

	it("X-12 without any check that ran nothing is proved, and the reason is said", async () => {
		expect((await prove([], [])).verdict).toBe("unproved");
		const missing = run("pytest", "not installed", { reason: "pytest is not installed here" });
		const proof = await prove(checks(missing), checks(missing));
		expect(proof).toMatchObject({ verdict: "unproved", sentence: expect.stringContaining("pytest is not installed here") });
	});
});
