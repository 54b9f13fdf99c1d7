import { execFileSync } from "node:child_process";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { SEVERITIES } from "../../../src/domain/finding.ts";
import type { RunReport } from "../../../src/domain/run-report.ts";
import { type JunitOptions, renderJunit } from "../../../src/publish/render/junit.ts";
import { reportFile, reportFinding, runReport } from "./build-report-fixtures.ts";

interface XmlNode {
	readonly tag: string;
	readonly attributes: Readonly<Record<string, string>>;
	readonly text: string;
	readonly children: readonly XmlNode[];
}

/** Reads with expat, which takes nothing that is not well formed. */
const READER = `
import json, sys
import xml.etree.ElementTree as tree
def plain(node):
    return {"tag": node.tag, "attributes": node.attrib, "text": node.text or "", "children": [plain(child) for child in node]}
documents = json.load(sys.stdin)
json.dump([plain(tree.fromstring(document.encode("utf-8"))) for document in documents], sys.stdout)
`;

function parseAll(documents: readonly string[]): readonly XmlNode[] {
	const output = execFileSync("python3", ["-c", READER], { input: JSON.stringify(documents), maxBuffer: 64 * 1024 * 1024 });
	return JSON.parse(output.toString()) as readonly XmlNode[];
}

function parse(
	report: RunReport,
	options: JunitOptions = { failOn: "important" },
): { readonly suite: XmlNode; readonly cases: readonly XmlNode[] } {
	const [root] = parseAll([renderJunit(report, options)]);
	const suite = root?.children[0] as XmlNode;
	return { suite, cases: suite.children.filter((node) => node.tag === "testcase") };
}

describe("JUnit", () => {
	it("X-13 a test case a file: failures at the fail level, the rest as output, unread files skipped", () => {
		const report = runReport({
			files: [
				reportFile("z.ts", { state: "skipped", reason: "generated" }),
				reportFile("b.ts"),
				reportFile("a.ts"),
				reportFile("c.ts", { state: "partial", reason: "step limit" }),
			],
			findings: [
				reportFinding({ id: "AAAA", path: "a.ts", severity: "critical" }),
				reportFinding({ id: "BBBB", path: "a.ts", severity: "important" }),
				reportFinding({ id: "CCCC", path: "a.ts", severity: "minor" }),
				reportFinding({ id: "DDDD", path: "a.ts", severity: "critical", state: "fixed" }),
			],
		});
		const { suite, cases } = parse(report);
		expect(cases.map((each) => each.attributes["name"])).toEqual(["a.ts", "b.ts", "c.ts", "z.ts"]);
		expect(cases.map((each) => each.children.map((child) => child.tag))).toEqual([
			["failure", "failure", "system-out"],
			[],
			["skipped"],
			["skipped"],
		]);
		expect(cases[0]?.children[0]?.attributes["message"]).toBe("The constant is wrong (AAAA)");
		expect(cases[0]?.children[2]?.text).toContain("(CCCC)");
		expect(cases[2]?.children[0]?.attributes["message"]).toBe("read in part: step limit");
		expect(suite.attributes).toMatchObject({
			tests: "4",
			failures: "1",
			errors: "0",
			skipped: "2",
			time: "71.500",
			timestamp: "2026-03-04T09:12:30",
		});
	});

	it("X-13 the fail level decides: `never` fails nothing, `nit` fails everything", () => {
		const report = runReport({ files: [reportFile("src/a.ts")], findings: SEVERITIES.map((severity) => reportFinding({ severity })) });
		expect(parse(report, { failOn: "never" }).suite.attributes["failures"]).toBe("0");
		const [nit] = parse(report, { failOn: "nit" }).cases;
		expect(nit?.children.map((child) => child.tag)).toEqual(["failure", "failure", "failure", "failure"]);
	});

	it("X-13 a run that could not review is red, and a finding outside the changed files has a case", () => {
		const failed = parse(runReport({ verdict: { state: "failed", sentence: "The model's credit is used up." }, files: [], findings: [] }));
		expect(failed.cases).toHaveLength(1);
		expect(failed.cases[0]?.children[0]).toMatchObject({ tag: "error", attributes: { message: "The model's credit is used up." } });
		expect(failed.suite.attributes["errors"]).toBe("1");
		const elsewhere = parse(runReport({ findings: [reportFinding({ path: "lib/other.ts" })] }));
		expect(elsewhere.cases.map((each) => each.attributes["name"])).toEqual(["lib/other.ts", "src/a.ts"]);
	});

	it("X-13 is well-formed XML with the same texts, whatever characters they hold", () => {
		const anyText = fc.string({ unit: "binary", maxLength: 60 });
		const reports: RunReport[] = [];
		fc.assert(
			fc.property(anyText, anyText, anyText, anyText, (path, title, body, reason) => {
				reports.push(
					runReport({
						files: [reportFile(path, { assigned: reason }), reportFile(`${path}2`, { state: "skipped", reason })],
						findings: [
							reportFinding({ path, title, body, suggestion: title, sources: [reason] }),
							reportFinding({ path, title, body, severity: "nit" }),
						],
						verdict: { state: "partial", sentence: title },
					}),
				);
			}),
			{ numRuns: 300 },
		);
		const parsed = parseAll(reports.map((report) => renderJunit(report, { failOn: "important" })));
		expect(parsed).toHaveLength(reports.length);
		for (const root of parsed) expect(root.children[0]?.attributes["tests"]).toBe("2");
	});

	it("R44 names with markup, quotes, line feeds and control characters are read back as they are or as escapes", () => {
		const names = ["a\"b'c<d>&e.ts", "line\nfeed\ttab.ts", "]]>.ts", "bell\u0007\u001b[31m.ts", "rtl\u202Eevil.ts", "non\uFFFEchar.ts"];
		const { cases } = parse(runReport({ files: names.map((name) => reportFile(name)), findings: [] }));
		expect(cases.map((each) => each.attributes["name"])).toEqual([
			"]]>.ts",
			"a\"b'c<d>&e.ts",
			"bell<U+0007><ESC[>.ts",
			"line\nfeed\ttab.ts",
			"non\uFFFDchar.ts",
			"rtl<U+202E>evil.ts",
		]);
	});

	it("X-13 the order does not depend on the order of the agents' answers", () => {
		const files = [reportFile("b.ts"), reportFile("a.ts"), reportFile("B.ts"), reportFile("a/b.ts")];
		const text = renderJunit(runReport({ files, findings: [] }), { failOn: "never" });
		expect(renderJunit(runReport({ files: files.toReversed(), findings: [] }), { failOn: "never" })).toBe(text);
	});
});
