import { describe, expect, it } from "vitest";
import { readTests } from "../../src/checks/read-tests.ts";

const counts = (text: string, reports?: string) => readTests(text, reports);

describe("counts in what test tools print", () => {
	it.each([
		[
			"Vitest",
			"\n FAIL  a.test.ts > adds\n Test Files  1 failed (1)\n      Tests  1 failed | 5 passed | 2 skipped (8)\n   Start at  10:00:00\n",
			[5, 1, 2],
			["a.test.ts > adds"],
		],
		["Jest", "  ● sum › adds\n\nTests:       1 failed, 2 skipped, 3 passed, 6 total\nSnapshots:   0 total\n", [3, 1, 2], ["sum › adds"]],
		["Mocha", "\n  3 passing (12ms)\n  1 pending\n  2 failing\n", [3, 2, 1], []],
		["pytest", "FAILED t.py::test_a - assert\n===== 1 failed, 3 passed, 2 skipped in 0.12s =====\n", [3, 1, 2], ["t.py::test_a"]],
		["pytest all green", "===== 3 passed, 1 warning in 0.12s =====\n", [3, 0, 0], []],
		["unittest", "FAIL: test_a (t.T)\nRan 4 tests in 0.001s\n\nFAILED (failures=1, errors=1, skipped=1)\n", [1, 2, 1], ["test_a (t.T)"]],
		[
			"Surefire, modules added up",
			"[INFO] Tests run: 3, Failures: 0, Errors: 0, Skipped: 0, Time elapsed: 0.1 s -- in A\n[INFO] Tests run: 3, Failures: 0, Errors: 0, Skipped: 0\n[ERROR]   BTest.x:7 no\n[ERROR] Tests run: 2, Failures: 1, Errors: 0, Skipped: 1\n",
			[3, 1, 1],
			[],
		],
		["RSpec", "5 examples, 1 failure, 1 pending\n\nrspec ./spec/a_spec.rb:4 # A adds\n", [3, 1, 1], ["./spec/a_spec.rb:4"]],
		["Minitest", "5 runs, 7 assertions, 1 failures, 1 errors, 1 skips\n", [2, 2, 1], []],
		["PHPUnit", "1) App\\CalcTest::testAdds\nTests: 5, Assertions: 7, Failures: 1, Skipped: 1.\n", [3, 1, 1], ["App\\CalcTest::testAdds"]],
		["PHPUnit all green", "OK (5 tests, 7 assertions)\n", [5, 0, 0], []],
		["dotnet", "Failed!  - Failed:     1, Passed:     2, Skipped:     3, Total:     6, Duration: 5 ms - T.dll (net8.0)\n", [2, 1, 3], []],
		["CTest", "75% tests passed, 1 tests failed out of 4\n\nThe following tests FAILED:\n\t  3 - adds (Failed)\n", [3, 1, 0], ["adds"]],
		["XCTest", "\t Executed 5 tests, with 1 failure (0 unexpected) in 0.1 (0.1) seconds\n", [4, 1, 0], []],
		["TAP", "TAP version 13\nok 1 - one\nnot ok 2 - two\nok 3 - three # SKIP no\nnot ok 4 - four # TODO later\n1..4\n", [1, 1, 2], ["two"]],
		["node:test", "✖ bad (0.5ms)\nℹ tests 3\nℹ suites 0\nℹ pass 1\nℹ fail 1\nℹ cancelled 0\nℹ skipped 1\nℹ todo 0\n", [1, 1, 1], ["bad"]],
		[
			"libtest, binaries added up",
			"test a ... ok\ntest b ... FAILED\n\ntest result: FAILED. 1 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s\n\ntest result: ok. 2 passed; 0 failed; 1 ignored; 0 measured\n",
			[3, 1, 1],
			["b"],
		],
	] as const)("%s", (_name, text, [passed, failed, skipped], names) => {
		expect(counts(text)?.counts).toMatchObject({ passed, failed, skipped });
		if (names.length > 0) expect(counts(text)?.failures.map((failure) => failure.name)).toEqual(names);
	});

	it("reads reports before words, several of them, and what stands before a break", () => {
		const one =
			'<?xml version="1.0"?><testsuites><testsuite><testcase name="a"/><testcase name="b"><skipped/></testcase></testsuite></testsuites>';
		const two =
			'<?xml version="1.0"?>\n<testsuite><testcase classname="C" name="c"><failure>why\nmore</failure></testcase><testcase name="d"';
		expect(counts("===== 9 passed in 0.1s =====", `${one}\n${two}`)).toEqual({
			counts: { passed: 1, failed: 1, skipped: 1, format: "JUnit XML" },
			failures: [{ name: "C.c", message: "why\nmore" }],
		});
	});

	it("a hostile report neither grows by entities nor throws", () => {
		const bomb = `<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a "${"x".repeat(1000)}"><!ENTITY b "&a;&a;&a;">]><testsuite><testcase name="&b;"><failure message="m"/></testcase></testsuite>`;
		const read = counts("", bomb);
		expect(JSON.stringify(read).length).toBeLessThan(1_000);
	});

	it("takes no counts from text that only resembles them", () => {
		for (const text of ["", "ok 1\n", "3 passed the bridge", "Tests are fine (3)", '{}\n{"a":1}', "test result: maybe"])
			expect(counts(text)).toBeUndefined();
	});
});
