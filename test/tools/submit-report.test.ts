import { describe, expect, it } from "vitest";
import type { ChildReport } from "../../src/domain/finding.ts";
import { createReadOnlyTools } from "../../src/tools/create-read-only-tools.ts";
import { createSubmitReport } from "../../src/tools/submit-report.ts";
import { callTool, makeTempFolder, plainContext, writeFiles } from "./tool-fixture.ts";

const FINDING = {
	path: "src/a.ts",
	quote: "a()",
	startLine: 3,
	endLine: 4,
	side: "RIGHT",
	severity: "important",
	category: "bug",
	title: "Wrong",
	body: "Because.",
	suggestion: "b()",
	confidence: 90,
	evidence: { kind: "traced", detail: "read" },
};

async function submit(input: unknown) {
	return callTool([createSubmitReport()], "submit_report", input);
}

describe("submit_report", () => {
	it("X-01 takes a report of the fixed shape and hands it on as it is", async () => {
		const report = { summary: "One thing.", findings: [FINDING], open: ["b.ts not read"] };
		expect(await submit(report)).toEqual({ content: "Report taken: 1 finding.", data: report });
		expect((await submit({ summary: "Nothing.", findings: [] })).data).toEqual({ summary: "Nothing.", findings: [], open: [] });
	});

	it.each<[string, object, object]>([
		["numbers as strings", { startLine: "3", endLine: "4", confidence: "90%" }, {}],
		["a confidence as fraction", { confidence: 0.9 }, {}],
		["severity in other words", { severity: "Error" }, {}],
		["warning", { severity: "warning" }, { severity: "minor" }],
		["info", { severity: "INFO" }, { severity: "nit" }],
		["an unknown category", { category: "Readability" }, { category: "other" }],
		["a category in other spelling", { category: "Error handling" }, { category: "error-handling" }],
		["evidence as text", { evidence: "read" }, { evidence: { kind: "stated", detail: "read" } }],
		["evidence as JSON text", { evidence: '{"kind":"traced","detail":"read"}' }, {}],
		["side in lower case", { side: "right" }, {}],
		["keys nobody asked for", { rule: "x", fixable: true }, {}],
		["a path with a dot", { path: "./src/a.ts" }, {}],
	])("X-01 understands %s", async (_name, change, expected) => {
		const { data } = await submit({ summary: "s", findings: [{ ...FINDING, ...change }], open: [] });
		expect((data as ChildReport).findings).toEqual([{ ...FINDING, ...expected }]);
	});

	it("X-01 drops nulls and understands lists that arrive as text", async () => {
		const { quote: _quote, suggestion: _suggestion, side: _side, ...bare } = FINDING;
		const { data } = await submit({
			summary: "s",
			findings: JSON.stringify([{ ...bare, quote: null, suggestion: null, side: null }]),
			open: "all of b.ts",
		});
		expect(data).toEqual({ summary: "s", findings: [bare], open: ["all of b.ts"] });
	});

	it.each<[string, object]>([
		["confidence: ", { confidence: 150 }],
		["severity: ", { severity: "terrible" }],
		["title: ", { title: undefined }],
		["endLine lies before startLine", { startLine: 9, endLine: 3 }],
	])("X-01 says what is wrong: %s", async (text, change) => {
		const output = await submit({ summary: "s", findings: [{ ...FINDING, ...change }] });
		expect(output.isError).toBe(true);
		expect(output.data).toBeUndefined();
		expect(output.content).toContain(text);
	});

	it.each([undefined, null, "text", 5, [], {}])("X-01 %j is no report", async (input) => {
		expect((await submit(input)).isError).toBe(true);
	});

	it("BR-75 half an emoji in any text becomes well-formed", async () => {
		const half = "fire \ud83d";
		const { data } = await submit({ summary: half, findings: [{ ...FINDING, title: half, body: half, evidence: half }], open: [] });
		const walk = (value: unknown): void => {
			if (typeof value === "string") expect(value.isWellFormed()).toBe(true);
			else if (typeof value === "object" && value !== null) Object.values(value).forEach(walk);
		};
		expect((data as ChildReport).summary).toBe("fire \ufffd");
		walk(data);
	});
});

describe("the set of read-only tools", () => {
	it("stays short, since every request pays for it, and keeps its order (G1)", () => {
		const specs = createReadOnlyTools(plainContext("/nonexistent")).map((tool) => tool.spec);
		expect(specs.map((spec) => spec.name)).toEqual([
			"read_file",
			"glob",
			"grep",
			"diagnose",
			"find_symbol",
			"find_references",
			"find_callers",
			"impact_analysis",
			"ast_query",
			"repo_map",
			"submit_report",
		]);
		expect(JSON.stringify(specs).length / 4).toBeLessThan(680);
		for (const spec of specs) expect(spec.inputSchema).toMatchObject({ type: "object" });
	});

	it("S-031 holds nothing that writes or asks a person: there is no write_file, and a run of every tool changes no file", async () => {
		using temp = makeTempFolder();
		writeFiles(temp.folder, { "a.ts": "a();\n", "sub/b.ts": "b();\n" });
		const tools = createReadOnlyTools(plainContext(temp.folder));
		expect(tools.filter((tool) => tool.effect !== "read" && tool.effect !== "none")).toEqual([]);
		await expect(callTool(tools, "write_file", { path: "a.ts", content: "x" })).rejects.toThrow("no tool write_file");
		await callTool(tools, "read_file", { path: "a.ts" });
		await callTool(tools, "grep", { pattern: "a\\(" });
		await callTool(tools, "diagnose", {});
		await callTool(tools, "submit_report", { summary: "s", findings: [FINDING] });
		expect((await callTool(tools, "glob", { pattern: "**" })).content).toBe("a.ts\nsub/b.ts");
		expect((await callTool(tools, "read_file", { path: "a.ts" })).content).toBe("a.ts lines 1-1 of 1\n1\ta();");
	});

	it("a call that is cancelled before it starts does nothing", async () => {
		const tools = createReadOnlyTools(plainContext("/nonexistent"));
		expect(await callTool(tools, "read_file", { path: "a" }, AbortSignal.abort())).toEqual({
			content: "Cancelled before it started.",
			isError: true,
		});
	});
});
