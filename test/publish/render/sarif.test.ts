import { Ajv } from "ajv";
import addFormats from "ajv-formats";
import sarifSchema from "@microsoft/jest-sarif/lib/schemas/sarif-2.1.0-rtm.5.json" with { type: "json" };
import fc from "fast-check";
import { createHash } from "node:crypto";
import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { CATEGORIES, SEVERITIES } from "../../../src/domain/finding.ts";
import type { ReportFinding, RunReport } from "../../../src/domain/run-report.ts";
import { MAX_SARIF_GZIP_BYTES, MAX_SARIF_RESULTS, renderSarif } from "../../../src/publish/render/sarif.ts";
import { reportFile, reportFinding, runReport } from "./build-report-fixtures.ts";

const OPTIONS = { toolVersion: "0.1.0", repositoryUrl: "https://github.com/acme/widgets" };

interface SarifResult {
	readonly ruleId: string;
	readonly ruleIndex: number;
	readonly level: string;
	readonly message: { readonly text: string };
	readonly locations: readonly {
		readonly physicalLocation: {
			readonly artifactLocation: { readonly uri: string };
			readonly region: { readonly startLine: number; readonly endLine?: number };
		};
	}[];
	readonly partialFingerprints: Readonly<Record<string, string>>;
	readonly fixes?: readonly {
		readonly artifactChanges: readonly {
			readonly artifactLocation: { readonly uri: string };
			readonly replacements: readonly { readonly deletedRegion: object; readonly insertedContent?: { readonly text: string } }[];
		}[];
	}[];
}

interface SarifRule {
	readonly id: string;
	readonly name: string;
	readonly shortDescription: { readonly text: string };
	readonly defaultConfiguration: { readonly level: string };
	readonly properties: { readonly tags: readonly string[]; readonly "security-severity"?: string };
}

interface SarifRun {
	readonly tool: { readonly driver: { readonly rules: readonly SarifRule[] } };
	readonly results: readonly SarifResult[];
	readonly invocations: readonly {
		readonly executionSuccessful: boolean;
		readonly toolExecutionNotifications: readonly { readonly level: string; readonly message: { readonly text: string } }[];
	}[];
	readonly versionControlProvenance?: readonly { readonly revisionId: string }[];
}

/** The schema is draft 4; without its own name Ajv reads it by the rules of draft 7, which it agrees with. */
function createValidator() {
	const { $schema: _draft, id: _id, ...schema } = sarifSchema as Record<string, unknown>;
	const ajv = new Ajv({ strict: false, unicodeRegExp: false });
	addFormats.default(ajv);
	return ajv.compile(schema);
}

const validate = createValidator();

function runOf(text: string): SarifRun {
	const log = JSON.parse(text) as { readonly runs: readonly SarifRun[] };
	expect(validate(log) ? [] : validate.errors).toEqual([]);
	expect(log.runs).toHaveLength(1);
	return log.runs[0] as SarifRun;
}

function sarifOf(findings: readonly ReportFinding[], more: Partial<RunReport> = {}): SarifRun {
	return runOf(renderSarif(runReport({ findings, ...more }), OPTIONS));
}

describe("SARIF", () => {
	it("X-13 a report is valid against the SARIF 2.1.0 schema, with its commit and our fingerprint", () => {
		const run = sarifOf([reportFinding()]);
		expect(run.versionControlProvenance).toEqual([{ repositoryUri: "https://github.com/acme/widgets", revisionId: "2".repeat(40) }]);
		const [result] = run.results;
		expect(result?.ruleId).toBe("rookery/bug");
		expect(result?.message.text).toBe("The constant is wrong\n\nIt should be 6.");
		expect(result?.locations[0]?.physicalLocation.region).toEqual({ startLine: 5, endLine: 5 });
		expect(result?.partialFingerprints).toEqual({ primaryLocationLineHash: "5f".repeat(16), "rookeryFinding/v1": "5f".repeat(16) });
		expect(run.invocations[0]?.executionSuccessful).toBe(true);
	});

	it("X-13 the schema check is a real one: a level that SARIF does not know is refused", () => {
		const log = JSON.parse(renderSarif(runReport(), OPTIONS).replace('"level":"warning","message"', '"level":"bad","message"')) as unknown;
		expect(validate(log)).toBe(false);
	});

	it("X-13 any finding of any shape stays valid and points at its rule", () => {
		const anyText = fc.string({ unit: "binary", maxLength: 200 });
		const finding = fc.record({
			path: fc.string({ unit: "binary", minLength: 1, maxLength: 40 }),
			severity: fc.constantFrom(...SEVERITIES),
			category: fc.constantFrom(...CATEGORIES),
			side: fc.constantFrom("LEFT" as const, "RIGHT" as const),
			tier: fc.constantFrom("inline" as const, "file" as const, "body" as const),
			startLine: fc.nat(50),
			endLine: fc.nat(50),
			title: anyText,
			body: anyText,
			suggestion: anyText,
			sources: fc.array(anyText, { maxLength: 40 }),
		});
		fc.assert(
			fc.property(fc.array(finding, { maxLength: 12 }), (list) => {
				const run = sarifOf(list.map((each, index) => reportFinding({ ...each, id: `F${index}` })));
				const { rules } = run.tool.driver;
				expect(run.results).toHaveLength(list.length);
				for (const result of run.results) expect(rules[result.ruleIndex]?.id).toBe(result.ruleId);
			}),
			{ numRuns: 200 },
		);
	});

	it("X-13 severity gives the level; security rules carry a score a severity and the tag that makes GitHub read it", () => {
		const run = sarifOf(SEVERITIES.flatMap((severity) => [reportFinding({ severity }), reportFinding({ severity, category: "security" })]));
		const levels = run.results.filter((result) => result.ruleId === "rookery/bug").map((result) => result.level);
		expect(levels).toEqual(["error", "warning", "note", "note"]);
		const scores = run.tool.driver.rules.map((rule) => [rule.id, rule.properties["security-severity"]]);
		expect(scores).toEqual([
			["rookery/bug", undefined],
			["rookery/security/critical", "9.5"],
			["rookery/security/important", "8.0"],
			["rookery/security/minor", "5.0"],
			["rookery/security/nit", "2.0"],
		]);
		for (const rule of run.tool.driver.rules.slice(1)) expect(rule.properties.tags).toContain("security");
	});

	it("X-13 a suggestion is a fix that replaces whole lines; an empty one takes them away", () => {
		const [replaced, removed, onOldSide] = sarifOf([
			reportFinding({ startLine: 5, endLine: 6, suggestion: "const six = 6;\n" }),
			reportFinding({ startLine: 5, endLine: 6, suggestion: "" }),
			reportFinding({ side: "LEFT", suggestion: "const six = 6;" }),
		]).results;
		expect(replaced?.fixes?.[0]?.artifactChanges[0]?.replacements).toEqual([
			{ deletedRegion: { startLine: 5, endLine: 6 }, insertedContent: { text: "const six = 6;" } },
		]);
		expect(removed?.fixes?.[0]?.artifactChanges[0]?.replacements).toEqual([
			{ deletedRegion: { startLine: 5, startColumn: 1, endLine: 7, endColumn: 1 } },
		]);
		expect(onOldSide?.fixes).toBeUndefined();
	});

	it("X-13 findings on removed lines and whole files have a line, and say where they belong", () => {
		const [left, leftRange, whole] = sarifOf([
			reportFinding({ side: "LEFT", startLine: 12, endLine: 12 }),
			reportFinding({ side: "LEFT", startLine: 12, endLine: 14 }),
			reportFinding({ startLine: 0, endLine: 0, tier: "body" }),
		]).results;
		for (const result of [left, leftRange, whole]) expect(result?.locations[0]?.physicalLocation.region).toEqual({ startLine: 1 });
		expect(left?.message.text).toMatch(/^\(Before the change, line 12\.\) The constant/);
		expect(leftRange?.message.text).toMatch(/^\(Before the change, lines 12 to 14\.\)/);
		expect(whole?.message.text).toMatch(/^\(On the whole file\.\)/);
	});

	it("X-13 fixed and dismissed findings are left out", () => {
		const run = sarifOf([reportFinding({ id: "LIVE" }), reportFinding({ id: "GONE", state: "fixed" })], {
			dismissed: [{ finding: reportFinding({ id: "SAID" }), reason: "refuted" }],
		});
		expect(run.results).toHaveLength(1);
	});

	it("R44 odd file names become relative addresses that lead back to them", () => {
		const names = [
			"a b#c?d%e.ts",
			"http:x/y.ts",
			"q\"uo'te<>.ts",
			"line\nfeed.ts",
			"näme/日本/😀.go",
			"back\\slash.ts",
			"[id]/(group)/page.tsx",
		];
		const run = sarifOf(names.map((path) => reportFinding({ path })));
		const root = "https://example.test/base/";
		for (const [index, name] of names.entries()) {
			const uri = run.results[index]?.locations[0]?.physicalLocation.artifactLocation.uri ?? "";
			const resolved = new URL(uri, root);
			expect(resolved.href.startsWith(root), uri).toBe(true);
			expect(decodeURIComponent(resolved.pathname.slice("/base/".length))).toBe(name);
		}
	});

	it("A88 links and places for arguments in a message have no power", () => {
		const [result] = sarifOf([
			reportFinding({ title: "See [this](https://evil.example/x) {0}", body: "![i](https://evil.example/?q=1) {1}" }),
		]).results;
		expect(result?.message.text).not.toMatch(/\]\(/);
		expect(result?.message.text).not.toMatch(/\{\d+\}/);
		expect(result?.message.text).toContain("See [this] (https://evil.example/x)");
	});

	it("X-13 a failed or partial run is not told as a successful, whole one", () => {
		const [failed] = sarifOf([], { verdict: { state: "failed", sentence: "No agent could start." } }).invocations;
		expect(failed?.executionSuccessful).toBe(false);
		expect(failed?.toolExecutionNotifications[0]).toEqual({ level: "error", message: { text: "No agent could start." } });
		const [partial] = sarifOf([], { files: [reportFile("a.ts"), reportFile("b.ts", { state: "skipped" })] }).invocations;
		expect(partial?.toolExecutionNotifications[0]?.message.text).toBe("1 of 2 changed files were not read whole.");
	});

	it("X-13 no more than 25,000 results, the worst ones, and the rest is counted", () => {
		const nits = Array.from({ length: MAX_SARIF_RESULTS }, (_each, index) => reportFinding({ id: `N${index}`, severity: "nit" }));
		const text = renderSarif(runReport({ findings: [...nits, reportFinding({ severity: "critical" })] }), OPTIONS);
		const run = (JSON.parse(text) as { runs: [SarifRun] }).runs[0];
		expect(run.results).toHaveLength(MAX_SARIF_RESULTS);
		expect(run.results[0]?.level).toBe("error");
		expect(run.invocations[0]?.toolExecutionNotifications.at(-1)?.message.text).toMatch(/^1 findings are left out/);
	});

	it("X-13 keeps GitHub's 10 MB after gzip and its lengths of texts", () => {
		const noise = (name: string): string => createHash("shake256", { outputLength: 2_925 }).update(name).digest("base64");
		const findings = Array.from({ length: 4_500 }, (_each, index) => reportFinding({ id: `F${index}`, body: noise(`F${index}`) }));
		const text = renderSarif(runReport({ findings }), OPTIONS);
		expect(gzipSync(text).length).toBeLessThanOrEqual(MAX_SARIF_GZIP_BYTES);
		const run = (JSON.parse(text) as { runs: [SarifRun] }).runs[0];
		expect(run.results.length).toBeGreaterThan(2_000);
		expect(run.results.length).toBeLessThan(4_500);
		expect(Math.max(...run.results.map((result) => result.message.text.length))).toBeLessThanOrEqual(4_000);
		for (const rule of run.tool.driver.rules) {
			expect(rule.name.length).toBeLessThanOrEqual(255);
			expect(rule.shortDescription.text.length).toBeLessThanOrEqual(1_024);
			expect(rule.properties.tags.length).toBeLessThanOrEqual(20);
		}
	}, 60_000);
});
