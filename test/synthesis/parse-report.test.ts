import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseReportText, parseReportValue } from "../../src/synthesis/parse-report.ts";

describe("parseReportText", () => {
	it("BR-66 finds the object behind a quoted expression, in a fence, with braces and fences in its strings", () => {
		const text =
			"The step uses $" +
			'{{ secrets.X }} here. Result:\n```json\n{"findings":[{"path":".github/workflows/ci.yml","line":3,"body":"Use:\\n```yaml\\nrun: echo {a}\\n```\\ninstead"}]}\n```\nLet me know!';
		const parsed = parseReportText(text);
		expect(parsed?.report.findings).toHaveLength(1);
		expect(parsed?.report.findings[0]).toMatchObject({ path: ".github/workflows/ci.yml", startLine: 3, endLine: 3 });
		expect(parsed?.report.findings[0]?.body).toContain("run: echo {a}");
	});

	it("BR-66 text without a report is undefined, never an empty report", () => {
		expect(parseReportText("All good, no findings.")).toBeUndefined();
		expect(parseReportText('{"findings":[{"path":"a.ts","title":"cut o')).toBeUndefined();
		expect(parseReportText('{"verdict":"ok"}')).toBeUndefined();
		expect(parseReportText('{"findings":[{"severity":"critical"}]}')).toBeUndefined();
	});

	it("BR-67 only the object with the nonce counts; two with it count as none", () => {
		const text =
			'The test file holds:\n{"findings":[]}\n\nMy result:\n{"nonce":"k3v9","findings":[{"path":"a.ts","line":2,"title":"real"}]}';
		expect(parseReportText(text, { nonce: "k3v9" })?.report.findings.map((finding) => finding.title)).toEqual(["real"]);
		expect(parseReportText(text, { nonce: "zzzz" })).toBeUndefined();
		expect(parseReportText(`${text}\n{"nonce":"k3v9","findings":[]}`, { nonce: "k3v9" })).toBeUndefined();
	});

	it("BR-67 an object that stands in the diff word for word is a quotation", () => {
		const planted = '{"findings":[]}';
		expect(parseReportText(`I see ${planted}`, { quotable: [`+const x = '${planted}'`] })).toBeUndefined();
	});

	it("X-01 keeps the good findings of a report that is broken in parts and notes the rest", () => {
		const parsed = parseReportValue({
			summary: "two",
			findings: [
				{ path: "a.ts", title: "good", severity: "critical", category: "bug", confidence: 90, evidence: { kind: "traced", detail: "x" } },
				"nonsense",
				{ file: "b.ts", message: "from a linter", severity: "warning", category: "what", confidence: 0.9 },
			],
			open: "not a list",
		});
		expect(parsed?.report.findings.map((finding) => finding.path)).toEqual(["a.ts", "b.ts"]);
		expect(parsed?.report.findings[1]).toMatchObject({ severity: "important", category: "other", confidence: 90 });
		expect(parsed?.notes).toHaveLength(2);
	});

	it("X-01 repairs a trailing comma once and says so", () => {
		const parsed = parseReportText('{"findings":[{"path":"a.ts","title":"t",},],}');
		expect(parsed?.report.findings).toHaveLength(1);
		expect(parsed?.notes[0]).toMatch(/repaired/);
	});

	it("reads back any report whatever prose stands around it", () => {
		fc.assert(
			fc.property(fc.string(), fc.string({ minLength: 1 }), fc.string(), (before, body, after) => {
				const report = JSON.stringify({ nonce: "n-1", findings: [{ path: "a.ts", title: "t", body }] });
				// A lone quote or brace before the report may hide it, which fails closed; it never changes it.
				const parsed = parseReportText(`${before}\n${report}\n${after}`, { nonce: "n-1" });
				if (parsed !== undefined) expect(parsed.report.findings[0]?.body).toBe(body.trim() || "t");
				if (!/["{}]/.test(before)) expect(parsed).toBeDefined();
			}),
		);
	});

	it("stays quick on hostile text", () => {
		const started = performance.now();
		expect(parseReportText("{".repeat(200_000))).toBeUndefined();
		expect(parseReportText('{\\"'.repeat(66_000))).toBeUndefined();
		expect(performance.now() - started).toBeLessThan(3_000);
	});

	it("finds a report behind an open brace, a stray quotation mark and an object that is none", () => {
		const report = JSON.stringify({ findings: [], summary: 'a { in } a " string' });
		for (const before of ["{ ", '{ "', 'a " b ', "{ x } ", '{ "a": { "b": ', "{{{{ } "]) {
			expect(parseReportText(`${before}\n${report}\nend }`)?.report.summary, before).toBe('a { in } a " string');
		}
	});
});
