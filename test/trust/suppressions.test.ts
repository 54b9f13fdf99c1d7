import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { isInForce } from "../../src/domain/suppression.ts";
import { loadSuppressions, parseSuppressions } from "../../src/trust/suppressions.ts";
import { createTestRepository } from "../agents/git-repository.ts";

const FINGERPRINT = "0123456789abcdef0123456789abcdef";
const GOOD = `# Why we said no.
suppressions:
  - fingerprint: "${FINGERPRINT}"
    who: ada
    why: the caller checks
  - { rule: style, directory: src/generated/**, who: ada, why: generated, until: 2027-01-31 }
`;

describe("parseSuppressions", () => {
	it("X-19 reads fingerprints, and rules below a directory, with who, why and until", () => {
		expect(parseSuppressions(`\uFEFF${GOOD}`)).toEqual([
			{ covers: { fingerprint: FINGERPRINT }, who: "ada", why: "the caller checks" },
			{ covers: { rule: "style", directory: "src/generated/**" }, who: "ada", why: "generated", until: "2027-01-31" },
		]);
		expect(parseSuppressions("# nothing yet\n")).toEqual([]);
	});

	const entry = (text: string): string => `suppressions:\n  - {${text}, who: ada, why: because}\n`;
	it.each([
		["suppressions: [", "s.yml:1:16: not valid YAML"],
		["suppressions:\n  - a: 1\n    a: 2\n", "s.yml:3:5: not valid YAML"],
		["- fingerprint: x", "the file: found [{"],
		["suppression: []", "suppressions: found nothing, wanted a list"],
		["suppressions: 1", "suppressions: found 1, wanted a list"],
		[entry("fingerprint: ABC"), 'suppressions.0.fingerprint: found "ABC", wanted 32 hex digits'],
		[entry("rule: bugs, directory: src"), 'suppressions.0.rule: found "bugs", wanted bug or security'],
		[entry("rule: bug"), "suppressions.0: found"],
		[entry(`fingerprint: "${FINGERPRINT}", rule: bug`), "wanted either fingerprint, or rule and directory"],
		[entry("rule: bug, directory: src, untill: 2027-01-31"), "unknown key suppressions.0.untill, did you mean until?"],
		[entry("rule: bug, directory: src, until: 2027-02-30"), 'suppressions.0.until: found "2027-02-30", wanted a day such as 2027-01-31'],
		[entry("rule: bug, directory: src, until: next year"), "suppressions.0.until"],
		[`suppressions:\n  - { fingerprint: "${FINGERPRINT}", why: x }\n`, "suppressions.0.who: found nothing, wanted string"],
		["a: &a [1]\nsuppressions: [*a, *a]", "s.yml"],
	])("X-19 stops at a broken file with file, key, found and wanted: %s", (text, part) => {
		expect(() => parseSuppressions(text, "s.yml")).toThrow(
			expect.objectContaining({ name: "UserError", code: "E_POLICY", message: expect.stringContaining(part) }),
		);
	});

	it("X-19 a file that is nested without end is refused like any other that is not in order", () => {
		expect(() => parseSuppressions(`suppressions: ${"[".repeat(20_000)}`, "s.yml")).toThrow(expect.objectContaining({ code: "E_POLICY" }));
	});

	it("X-19 an entry counts through its last day, UTC, and without a day until it is taken out", () => {
		const until = { until: "2027-01-31" };
		expect(isInForce(until, Date.parse("2027-01-31T23:59:59.999Z"))).toBe(true);
		expect(isInForce(until, Date.parse("2027-02-01T00:00:00Z"))).toBe(false);
		expect(isInForce({}, Number.MAX_SAFE_INTEGER)).toBe(true);
	});

	it("X-19 is read at the trusted commit, and never through a link", async () => {
		await using repository = await createTestRepository();
		const commit = await repository.commit({ ".rookery/suppressions.yml": GOOD });
		expect(await loadSuppressions(repository.reader, commit)).toHaveLength(2);
		expect(await loadSuppressions(repository.reader, await repository.commit({ ".rookery/suppressions.yml": null }))).toEqual([]);
		const link = await repository.commit({ ".rookery/suppressions.yml": { link: "../head.yml" } });
		await expect(loadSuppressions(repository.reader, link)).rejects.toThrow("found a symbolic link, wanted a file");
	});

	it("X-19 publishes the schema it checks with", () => {
		const published: unknown = JSON.parse(readFileSync(join(import.meta.dirname, "../../schemas/suppressions.schema.json"), "utf8"));
		expect(published).toMatchObject({ title: "Rookery suppressions", properties: { suppressions: { type: "array" } } });
	});
});
