import { describe, expect, it } from "vitest";
import { compareChecks } from "../../src/checks/compare-checks.ts";
import type { CheckOutcome, CheckResult, LanguageChecks } from "../../src/domain/checks.ts";

function checks(...results: readonly (readonly [outcome: CheckOutcome, failures?: readonly string[], command?: string])[]): LanguageChecks {
	const rows = results.map(
		([outcome, failures = [], command = "test"]): CheckResult => ({
			...{ kind: "tests", command, outcome, reason: "", output: "", durationMs: 1 },
			failures: failures.map((name) => ({ name, message: "" })),
		}),
	);
	return { language: "go", folder: "", outcome: rows[0]?.outcome ?? "not run", results: rows };
}

describe("two runs of the same checks", () => {
	it.each([
		["green stays green", checks(["passed"]), checks(["passed"]), "passing", []],
		["red turns green", checks(["failed", ["a"]]), checks(["passed"]), "fixed", []],
		["green turns red", checks(["passed"]), checks(["failed", ["a"]]), "broken", ["a"]],
		["the same test stays red", checks(["failed", ["a"]]), checks(["failed", ["a"]]), "still failing", []],
		["another test turns red", checks(["failed", ["a"]]), checks(["failed", ["b"]]), "broken", ["b"]],
		["red stays red without names", checks(["failed"]), checks(["failed"]), "still failing", []],
		["red now hangs", checks(["failed"]), checks(["timed out"]), "broken", ["test"]],
		["green can no longer be run", checks(["passed"]), checks(["not installed"]), "broken", ["test"]],
		["green is gone", checks(["passed"]), checks(), "broken", ["test"]],
		["nothing could ever be run", checks(["not installed"]), checks(["not installed"]), "unknown", []],
		["red where nothing could be run before", checks(["not run"]), checks(["failed", ["a"]]), "broken", ["test"]],
		["a new check is green", checks(["passed"]), checks(["passed"], ["passed", [], "vet"]), "passing", []],
	] as const)("%s", (_name, before, after, verdict, broken) => {
		expect(compareChecks(before, after)).toMatchObject({ verdict, broken });
	});
});
