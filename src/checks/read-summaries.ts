import type { ReadTests } from "./read-tests.ts";

/** A tool's last words: how they are found, and which numbers in them mean what. */
interface SummaryForm {
	readonly tool: string;
	/** With named groups `passed`, `failed`, `errors`, `skipped`, `total`; those that are absent count as 0. */
	readonly pattern: RegExp;
	/** Lines that name a failed test in group 1. */
	readonly failure?: RegExp;
	/** How many times the pattern may count: each module of a build has its own, or only the last is the whole. */
	readonly take: "last" | "sum";
}

const FORMS: readonly SummaryForm[] = [
	{
		tool: "Vitest",
		pattern: /^\s*Tests\s+(?=\d)(?:(?<failed>\d+) failed)?[ |]*(?:(?<passed>\d+) passed)?[ |]*(?:(?<skipped>\d+) skipped)?.*\(\d+\)\s*$/gm,
		failure: /^\s*FAIL\s+(\S.* > .*)$/gm,
		take: "last",
	},
	{
		tool: "Jest",
		pattern:
			/^Tests:\s+(?=\d)(?:(?<failed>\d+) failed, )?(?:(?<skipped>\d+) skipped, )?(?:\d+ todo, )?(?:(?<passed>\d+) passed, )?(?<total>\d+) total$/gm,
		failure: /^ {2}● (.+)$/gm,
		take: "last",
	},
	{
		tool: "node:test",
		pattern: /^[ℹ#] pass (?<passed>\d+)\n[ℹ#] fail (?<failed>\d+)\n[ℹ#] cancelled (?<errors>\d+)\n[ℹ#] skipped (?<skipped>\d+)/gm,
		failure: /^✖ (.+?) \(\d[\d.]*ms\)$/gm,
		take: "last",
	},
	{
		tool: "Mocha",
		pattern: /^\s+(?<passed>\d+) passing\b.*(?:\n\s+(?<skipped>\d+) pending)?(?:\n\s+(?<failed>\d+) failing)?/gm,
		take: "last",
	},
	{
		tool: "pytest",
		pattern:
			/^=* ?(?=\d)(?:(?<failed>\d+) failed)?(?:, )?(?:(?<passed>\d+) passed)?(?:, )?(?:(?<skipped>\d+) skipped)?(?:, \d+ \w+)*(?:, )?(?:(?<errors>\d+) errors?)? in [\d.]+s.*$/gm,
		failure: /^(?:FAILED|ERROR) (\S+)/gm,
		take: "last",
	},
	{
		tool: "unittest",
		pattern:
			/^Ran (?<total>\d+) tests? in [\d.]+s\n\n(?:OK|FAILED)(?: \((?:failures=(?<failed>\d+))?(?:, )?(?:errors=(?<errors>\d+))?(?:, )?(?:skipped=(?<skipped>\d+))?\))?/gm,
		failure: /^(?:FAIL|ERROR): (.+)$/gm,
		take: "last",
	},
	{
		tool: "Surefire",
		pattern: /^(?:\[\w+\] )?Tests run: (?<total>\d+), Failures: (?<failed>\d+), Errors: (?<errors>\d+), Skipped: (?<skipped>\d+)$/gm,
		failure: /^\[ERROR\] {3}(\S+?:\d+)/gm,
		take: "sum",
	},
	{
		tool: "RSpec",
		pattern: /^(?<total>\d+) examples?, (?<failed>\d+) failures?(?:, (?<skipped>\d+) pending)?$/gm,
		failure: /^rspec (\S+:\d+)/gm,
		take: "last",
	},
	{
		tool: "Minitest",
		pattern: /^(?<total>\d+) (?:runs|tests), \d+ assertions, (?<failed>\d+) failures, (?<errors>\d+) errors, (?<skipped>\d+) skips/gm,
		take: "last",
	},
	{ tool: "PHPUnit", pattern: /^OK \((?<total>\d+) tests?, \d+ assertions?\)/gm, take: "last" },
	{
		tool: "PHPUnit",
		pattern:
			/^Tests: (?<total>\d+), Assertions: \d+(?:, Errors: (?<errors>\d+))?(?:, Failures: (?<failed>\d+))?(?:, (?:Warnings|Deprecations): \d+)*(?:, Skipped: (?<skipped>\d+))?/gm,
		failure: /^\d+\) (\S+::\S+)/gm,
		take: "last",
	},
	{
		tool: "dotnet test",
		pattern: /^(?:Passed|Failed)!\s+- Failed:\s+(?<failed>\d+), Passed:\s+(?<passed>\d+), Skipped:\s+(?<skipped>\d+)/gm,
		failure: /^\s+Failed (\S+) \[/gm,
		take: "sum",
	},
	{
		tool: "CTest",
		pattern: /^\d+% tests passed, (?<failed>\d+) tests? failed out of (?<total>\d+)/gm,
		failure: /^\s+\d+ - (\S+) \(Failed\)/gm,
		take: "last",
	},
	{
		tool: "XCTest",
		pattern: /^\s*Executed (?<total>\d+) tests?, with (?:\d+ tests? skipped and )?(?<failed>\d+) failures?/gm,
		take: "last",
	},
];

/** Counts of the summary lines that test tools print for people, one row a tool. */
export function readSummaries(text: string): ReadTests | undefined {
	for (const form of FORMS) {
		const found = [...text.matchAll(form.pattern)];
		const used = form.take === "last" ? found.slice(-1) : found;
		if (used.length === 0) continue;
		const sum = (name: string): number => used.reduce((total, match) => total + Number(match.groups?.[name] ?? 0), 0);
		const failed = sum("failed") + sum("errors");
		const skipped = sum("skipped");
		const passed = used.some((match) => match.groups?.["total"] !== undefined)
			? Math.max(0, sum("total") - failed - skipped)
			: sum("passed");
		const names = form.failure === undefined ? [] : [...text.matchAll(form.failure)].map((match) => (match[1] ?? "").trim());
		return {
			counts: { passed, failed, skipped, format: `${form.tool} summary` },
			failures: [...new Set(names)].map((name) => ({ name, message: "" })),
		};
	}
	return undefined;
}
