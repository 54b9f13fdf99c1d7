import { readFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, it } from "vitest";
import type * as z from "zod";
import type { SubagentReport } from "../../src/domain/child-run.ts";
import type { ReportedFinding } from "../../src/domain/finding.ts";
import { type outboxFindingSchema, outboxReportSchema } from "../../src/stages/outbox/outbox-schema.ts";

/** What a type has and its strict form does not know: an outbox of ours that held it would be refused. */
type Unknown<T, S extends z.ZodType> = Exclude<keyof T, keyof z.output<S>>;

const REPORT: SubagentReport = {
	agent: "go",
	kind: "specialist",
	session: "moe-go-1",
	model: "claude-sonnet-5-5",
	status: "completed",
	stopReason: "done",
	report: { summary: "", findings: [], open: [] },
	text: "",
	steps: 1,
	toolUses: 0,
	usage: { input: 1, cacheWrite: 0, cacheRead: 0, output: 0 },
	contextTokens: 1,
	costUsd: null,
	durationMs: 1,
	files: ["a.go"],
	filesRead: [],
	reason: "",
	refused: [],
};

describe("the forms of an outbox", () => {
	it("X-05 know every field of a report and a finding but those that mean nothing on another machine", () => {
		// Checked by the compiler: a field that is added to a type has to be added to its form.
		const report: Unknown<SubagentReport, typeof outboxReportSchema> extends "journal" | "displayName" ? true : false = true;
		const finding: Unknown<ReportedFinding, typeof outboxFindingSchema> extends never ? true : false = true;
		expect([report, finding]).toEqual([true, true]);
	});

	it.each([
		["claude-sonnet-5-5", true],
		["anthropic.claude-sonnet-5-5-v1:0", true],
		["claude-sonnet-5-5@20260101", true],
		["@everyone", false],
		["a/@everyone", false],
		["https://evil.example", false],
		["www.evil.example", false],
		["model](x", false],
		["a\nb", false],
	])("X-05 a model named %j is shown as it is, so it has to be a name: %s", (model, sound) => {
		expect(outboxReportSchema.safeParse({ ...REPORT, model }).success).toBe(sound);
	});

	it("X-05 are published as JSON Schemas that stand in for them elsewhere", async () => {
		for (const name of ["outbox", "outbox-reports", "manifest"]) {
			const text = await readFile(path.join(import.meta.dirname, "../../schemas", `${name}.schema.json`), "utf8");
			expect(JSON.parse(text)).toMatchObject({ type: "object", additionalProperties: false });
		}
	});
});
