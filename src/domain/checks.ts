/**
 * How a check ended (S-014, D-07). `not installed`: its program or what it depends on is not on this machine, which says
 * nothing about the code. `not run`: nobody knows how, or it never started; `reason` says why.
 */
export type CheckOutcome = "passed" | "failed" | "timed out" | "not installed" | "not run";

/** Tests that a run told of, where its output has a form that can be read. */
export interface TestCounts {
	readonly passed: number;
	readonly failed: number;
	readonly skipped: number;
	/** Where they were read: `JUnit XML`, `TAP`, `go test -json`, `summary line`, … */
	readonly format: string;
}

/** A test that failed, as its own output names it: text of the tree, data only. */
export interface FailedTest {
	/** Stable between runs: package or file and test name. */
	readonly name: string;
	/** First lines of what it said, at most 500 characters; empty when the format has none. */
	readonly message: string;
}

/** One command of a language and how it ended. */
export interface CheckResult {
	readonly kind: "tests" | "check";
	/** As a person would type it; what was added for a machine format is left out. */
	readonly command: string;
	readonly outcome: CheckOutcome;
	/** One sentence, for example `exit code 1, 2.3 s` or `pytest is not installed here`. */
	readonly reason: string;
	/** Absent when nothing in the output could be read as counts. The word of the tree's programs: the outcome never depends on it. */
	readonly counts?: TestCounts;
	/** At most 50. */
	readonly failures: readonly FailedTest[];
	/** Beginning and end of what it printed. */
	readonly output: string;
	readonly durationMs: number;
}

/** All checks of one language in one folder. */
export interface LanguageChecks {
	/** Id of the language. */
	readonly language: string;
	/** Relative to the tree; empty for its top. */
	readonly folder: string;
	/** The worst that counts: one failure is a failure; tests that passed outweigh a linter that is not installed. */
	readonly outcome: CheckOutcome;
	readonly results: readonly CheckResult[];
}
