import type { FailedTest, TestCounts } from "../domain/checks.ts";
import { readGoEvents } from "./read-go-events.ts";
import { readJunit } from "./read-junit.ts";
import { readLibtest } from "./read-libtest.ts";
import { readSummaries } from "./read-summaries.ts";
import { readTap } from "./read-tap.ts";

/** What could be read from the output of a test run. */
export interface ReadTests {
	readonly counts: TestCounts;
	readonly failures: readonly FailedTest[];
}

/**
 * Reads counts and names of failed tests: reports first, then the formats that stand in the output itself, the strictest
 * first. Undefined when nothing is recognised; never throws, whatever was printed.
 * @param own what the command printed
 * @param reports JUnit files, one behind the other
 */
export function readTests(own: string, reports = ""): ReadTests | undefined {
	return readJunit(reports) ?? readGoEvents(own) ?? readLibtest(own) ?? readTap(own) ?? readSummaries(own);
}
