import type { FailedTest } from "../domain/checks.ts";
import type { ReadTests } from "./read-tests.ts";

const SUMMARY = /^test result: (?:ok|FAILED)\. (\d+) passed; (\d+) failed; (\d+) ignored;/gm;
const MAX_MESSAGE = 500;

/** What `cargo test` prints: one summary for each test binary and the documentation tests, summed up. */
export function readLibtest(text: string): ReadTests | undefined {
	const summaries = [...text.matchAll(SUMMARY)];
	if (summaries.length === 0) return undefined;
	const sum = (group: number): number => summaries.reduce((total, match) => total + Number(match[group]), 0);
	const failures: FailedTest[] = [...text.matchAll(/^test (\S.*?) \.\.\. FAILED$/gm)].map((match) => {
		const name = (match[1] ?? "").replace(/ - should panic$/, "");
		return { name, message: messageOf(name, text) };
	});
	return { counts: { passed: sum(1), failed: sum(2), skipped: sum(3), format: "libtest" }, failures };
}

/** The block `---- name stdout ----` up to the empty line behind it. */
function messageOf(name: string, text: string): string {
	const head = `---- ${name} stdout ----\n`;
	const at = text.indexOf(head);
	if (at < 0) return "";
	return (
		text
			.slice(at + head.length)
			.trimStart()
			.split("\n\n")[0]
			?.slice(0, MAX_MESSAGE) ?? ""
	);
}
