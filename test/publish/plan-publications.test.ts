import { readFile } from "node:fs/promises";
import { Ajv } from "ajv";
import addFormats from "ajv-formats";
import { describe, expect, it } from "vitest";
import type { Publication } from "../../src/domain/publication.ts";
import type { RunReport } from "../../src/domain/run-report.ts";
import { parseMarker } from "../../src/publish/marker.ts";
import { conclusionOf } from "../../src/publish/plan-publications.ts";
import { NOTHING_POSTED } from "../../src/publish/read-existing-state.ts";
import { changedFile, changeSetOf, childReport, patchOf, planFor, reported } from "../synthesis/build-fixtures.ts";
import { CANARY, onLine5, pick, planFrom, reportOf, runContext, sampleSynthesis } from "./build-run.ts";

const kinds = (publications: readonly Publication[]) => publications.map((publication) => publication.kind);

describe("planPublications", () => {
	it("S-003 what already has a comment is not posted again: then there is no review, only the sticky", async () => {
		const synthesis = await sampleSynthesis();
		const [finding] = synthesis.findings;
		const postedFingerprints = new Set([finding?.fingerprint ?? ""]);
		expect(kinds(planFrom(synthesis))).toEqual(["review", "sticky", "check", "step-summary", "outputs", "file"]);
		const again = planFrom(synthesis, { existing: { ...NOTHING_POSTED, postedFingerprints } });
		expect(kinds(again)).toEqual(["sticky", "check", "step-summary", "outputs", "file"]);
		expect(kinds(planFrom(await sampleSynthesis([])))).not.toContain("review");
	});

	it("X-04 the sticky marker carries what the next run needs: head, blobs that were read, open findings", async () => {
		const synthesis = await sampleSynthesis();
		const marker = parseMarker("sticky", pick(planFrom(synthesis), "sticky").body);
		expect(marker).toMatchObject({ run: "42", attempt: 1, head: "2".repeat(40), blobs: { "a.ts": "b".repeat(40) } });
		expect(marker?.open).toMatchObject([{ id: synthesis.findings[0]?.id, path: "a.ts", line: 5, title: "The constant is wrong" }]);
		const failed = await sampleSynthesis([], { reports: [] });
		expect(parseMarker("sticky", pick(planFrom(failed), "sticky").body)?.blobs).toEqual({});
	});

	it("without a pull request there is only the step summary, the outputs and the report", async () => {
		const { pullRequest: _pullRequest, ...context } = runContext();
		expect(kinds(planFrom(await sampleSynthesis(), { context }))).toEqual(["step-summary", "outputs", "file"]);
	});

	it("nits are listed in the summary and never commented", async () => {
		const publications = planFrom(await sampleSynthesis([{ ...onLine5, severity: "nit" }]));
		expect(kinds(publications)).not.toContain("review");
		expect(pick(publications, "sticky").body).toContain("<summary>1 nit</summary>");
	});

	it("BR-15 a range is sent with its start, a single line without", async () => {
		const many = await sampleSynthesis([reported({ path: "a.ts", quote: "const line4 = 4;\nconst line5 = 5;" })]);
		expect(pick(planFrom(many), "review").comments[0]).toMatchObject({ startLine: 4, startSide: "RIGHT", line: 5 });
		const one = pick(planFrom(await sampleSynthesis()), "review").comments[0];
		expect(one?.line).toBe(5);
		expect(one).not.toHaveProperty("startLine");
	});

	it("urgent findings on a changed file without a line become file comments, others stay in the summary", async () => {
		const publications = planFrom(
			await sampleSynthesis([
				reported({ path: "a.ts", quote: "const line9 = 9;", severity: "critical", title: "Far away" }),
				reported({ path: "a.ts", quote: "const line1 = 1;", severity: "minor", title: "Small thing" }),
			]),
		);
		expect(pick(publications, "review").fileComments).toMatchObject([{ path: "a.ts" }]);
		expect(pick(publications, "sticky").body).toContain("**Minor, bug: Small thing**");
	});

	it("the conclusion follows the verdict and the fail level, and nothing unread is green", async () => {
		const clean = await sampleSynthesis([]);
		const findings = await sampleSynthesis();
		const failed = await sampleSynthesis([], { reports: [] });
		const skipped = await sampleSynthesis([], { plan: planFor({}, [{ path: "a.ts", reason: "lock file" }]), reports: [] });
		const partial = await sampleSynthesis([], {
			reports: [childReport("typescript", ["a.ts"], { status: "partial", stopReason: "timeout" })],
		});
		expect(conclusionOf(clean, "nit")).toBe("success");
		expect(conclusionOf(findings, "never")).toBe("neutral");
		expect(conclusionOf(findings, "important")).toBe("failure");
		expect(conclusionOf(findings, "critical")).toBe("neutral");
		expect(conclusionOf(failed, "never")).toBe("failure");
		expect(conclusionOf(skipped, "never")).toBe("skipped");
		expect(conclusionOf(partial, "never")).toBe("neutral");
	});

	it("outputs are short, named as the action declares them, and hold a path instead of the report", async () => {
		const { values } = pick(planFrom(await sampleSynthesis()), "outputs");
		expect(values).toEqual({
			verdict: "findings",
			findings: "1",
			"worst-severity": "important",
			report: "/runner/temp/report.json",
			"cost-usd": "0.020000",
			tokens: "4350",
		});
	});
});

describe("report", () => {
	it("X-01 the JSON report fits its published schema, in every state", async () => {
		const schema = JSON.parse(await readFile(new URL("../../schemas/report.schema.json", import.meta.url), "utf8")) as object;
		const ajv = new Ajv({ allErrors: true });
		addFormats.default(ajv);
		const validate = ajv.compile(schema);
		const rename = await sampleSynthesis([reported({ path: "was.ts", suggestion: "x", quote: "gone" })], {
			changeSet: changeSetOf([
				changedFile("a.ts", { status: "renamed", previousPath: "was.ts" }),
				changedFile("i.png", { binary: true, status: "added" }),
			]),
			patches: [patchOf("a.ts", "@@ -1 +1 @@\n-gone\n+const line1 = 1;\n")],
			trustDiff: [{ path: "x.md", kind: "agent", change: "added", text: "new" }],
		});
		const child = childReport("go", ["a.ts"], {
			status: "failed",
			stopReason: "error",
			error: "x",
			costUsd: null,
			journal: "j.jsonl",
			worktree: { path: "/w", branch: "b", kept: true },
		});
		const runs = [rename, await sampleSynthesis([], { reports: [child] }), await sampleSynthesis([{ ...onLine5, confidence: 10 }])];
		for (const synthesis of runs) {
			const report = JSON.parse(JSON.stringify(reportOf(synthesis))) as RunReport;
			expect(validate(report), JSON.stringify(validate.errors)).toBe(true);
		}
		const broken = { ...reportOf(rename), verdict: { state: "green", sentence: "" } };
		expect(validate(broken)).toBe(false);
	});

	it("A87 no text of the report holds a secret", async () => {
		const report = reportOf(await sampleSynthesis([{ ...onLine5, body: `see ${CANARY}` }], { notes: [CANARY] }));
		expect(JSON.stringify(report)).not.toContain("canary");
		expect(report.findings[0]?.body).toBe("see [redacted]");
	});
});
