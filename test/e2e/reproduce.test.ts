import { afterEach, describe, expect, it } from "vitest";
import { callTool, type Decide } from "../../src/demo/loopback-model/scripted-reply.ts";
import { parseClaims } from "../../src/domain/claim-lines.ts";
import { closeAll, review, start } from "./rounds-rig.ts";

afterEach(closeAll);

const FILLER = Array.from({ length: 25 }, (_, index) => `export const step${index} = (count) => count + ${index};`).join("\n");
const mean = (guard: string): string =>
	`${FILLER}\n\nexport function mean(values) {\n${guard}	return Math.floor(sum(values) / values.length);\n}\n\nfunction sum(values) {\n	return values.reduce((total, value) => total + value, 0);\n}\n`;
const PACKAGE = `${JSON.stringify({ name: "sums", type: "module", scripts: { test: "node --test" } })}\n`;
const BASE = {
	"package.json": PACKAGE,
	"mean.js": mean("	if (values.length === 0) return 0;\n"),
	"old.test.js":
		'import test from "node:test";\nimport assert from "node:assert";\nimport { mean } from "./mean.js";\ntest("two", () => assert.equal(mean([1, 3]), 2));\n',
};
const HEAD = { "mean.js": mean("") };

const testOf = (body: string): string =>
	`import test from "node:test";\nimport assert from "node:assert";\nimport { mean } from "./mean.js";\n\ntest("mean of nothing", () => {\n	${body}\n});`;
const GOOD = `empty.test.js\n\`\`\`js\n${testOf("assert.equal(mean([]), 0);")}\n\`\`\``;

/** One reviewer finds the missing guard; the verifier confirms it and hands this in as what reproduces it. */
const decideBy =
	(detail: string): Decide =>
	({ opening, turn }) => {
		const claims = opening.includes("Try to refute") ? parseClaims(opening) : undefined;
		if (claims === undefined && turn === 0) return callTool("read_file", { path: "mean.js" });
		const finding = {
			path: "mean.js",
			quote: "	return Math.floor(sum(values) / values.length);",
			severity: "important",
			category: "bug",
			title: claims === undefined ? "Mean of nothing is NaN" : `${claims[0]?.id} confirmed`,
			body: "The guard for no values is gone.",
			confidence: 95,
			evidence: claims === undefined ? { kind: "stated", detail: "" } : { kind: "reproduced", detail },
		};
		return callTool("submit_report", { summary: "Read.", findings: [finding], open: [] });
	};

const scene = (detail: string, change: Partial<Parameters<typeof start>[0]> = {}) =>
	start({ base: BASE, head: HEAD, ...change }, decideBy(detail));

describe("a verifier's test, end to end", () => {
	it("X-10 a test that is red on the head and green on the base reproduces the finding, and is offered with it", async () => {
		const run = await scene(GOOD);
		const { report } = await review(run.scene, run.model);
		const [finding] = report.findings;
		expect(finding?.evidence.kind).toBe("reproduced");
		expect(finding?.evidence.detail).toMatch(
			/^npm test with empty\.test\.js: .*mean of nothing.* fails on the head and passes on the base; test by verifier-1$/,
		);
		expect(finding?.sources).toContain("verifier-1");
		const [comment] = run.scene.github.reviewComments(run.scene.number);
		expect(comment?.body).toContain("A test that fails on the head and passes on the base, `empty.test.js`:");
		expect(comment?.body).toContain("assert.equal(mean([]), 0);");
		expect(comment?.body).toContain("Reproduced: npm test with empty.test.js");
	}, 120_000);

	it.each([
		["green on the head", `empty.test.js\n${testOf("assert.ok(true);")}`, "it does not fail on the head"],
		["red on both", `empty.test.js\n${testOf("assert.equal(mean([]), 7);")}`, "it fails on the base as well"],
		["in the place of a file", `old.test.js\n${testOf("assert.equal(mean([]), 0);")}`, "old.test.js is there already"],
		["not named like a test", `run.js\n${testOf("assert.equal(mean([]), 0);")}`, "run.js is not named like a test"],
		["where nobody may write", `.github/workflows/x.test.js\n${testOf("assert.ok(false);")}`, "may not be written"],
	])(
		"X-10 a test that is %s proves nothing: the word of the verifier is not taken for it",
		async (_, detail, reason) => {
			const run = await scene(detail);
			const { report } = await review(run.scene, run.model);
			expect(report.findings).toHaveLength(1);
			expect(report.findings[0]?.evidence).toEqual({ kind: "traced", detail: "confirmed by verifier-1" });
			expect(report.findings[0]?.body).toContain("_A test for it did not show it: ");
			expect(report.findings[0]?.body.replaceAll("\\_", "_")).toContain(reason);
		},
		120_000,
	);

	it("X-10 on a fork's head no test is run, whatever a verifier hands in", async () => {
		const run = await scene(GOOD, { fork: true, role: "read" });
		const { report } = await review(run.scene, run.model);
		expect(report.findings[0]?.evidence.kind).toBe("traced");
		expect(report.findings[0]?.body).toContain("this run may not run tests");
		// Nobody is asked for one either.
		expect(run.model.requests.map((request) => request.rawBody).join("\n")).not.toContain("may be shown by a test");
	}, 120_000);
});
