import { afterEach, describe, expect, it } from "vitest";
import { overloaded, rateLimited } from "../../src/demo/loopback-model/fault.ts";
import { job, startWorkflow, upload } from "./outbox-rig.ts";
import { closeAll, KEY, mean, plain, review, start } from "./rounds-rig.ts";
import { TOKEN } from "./start-scene.ts";

afterEach(closeAll);

const BASE = { "a.go": plain("a"), "b/b.go": plain("b") };
/** A file that does not parse: fixed checks find it without a model. */
const BROKEN = `${plain("b")}\nfunc Broken(count int int {\n`;

describe("a provider that is away, end to end", () => {
	it("X-22 529 for all calls: fixed checks still run, the summary says so, the check is neutral and the job does not fail", async () => {
		const { scene, model } = await start({ base: BASE, head: { "a.go": mean("a"), "b/b.go": BROKEN } });
		model.fault(overloaded(), { times: 1_000 });
		const { result, report } = await review(scene, model);
		expect(result.exitCode).toBe(0);
		expect(report.verdict.state).toBe("partial");
		expect(report.verdict.sentence).toMatch(
			/^The model provider was not available \(.*overloaded.*529.*\), so only fixed checks ran: 1 finding \(1 critical\)/,
		);
		expect(report.findings).toMatchObject([{ path: "b/b.go", category: "bug", sources: [expect.stringMatching(/^moe-go-/)] }]);
		expect(scene.sticky()).toContain("so only fixed checks ran");
		expect(scene.sticky()).toContain("Comment /review to try again.");
		expect(scene.github.checks(scene.head).map((check) => check.conclusion)).toEqual(["neutral"]);
		// Read in part by fixed checks is not read: the next round begins with these files again.
		expect(report.files.map((file) => file.state)).not.toContain("reviewed");
		expect(report.agents.filter((agent) => agent.status === "failed").length).toBeGreaterThan(0);
	}, 120_000);

	it("X-22 X-05 in two jobs the one that publishes says what happened to the one that worked", async () => {
		const { scene, model } = await start({ base: BASE, head: { "a.go": mean("a"), "b/b.go": BROKEN } });
		model.fault(rateLimited(600), { times: 1_000 });
		const run = startWorkflow(scene);
		const work = await job(scene, run, { mode: "work", "anthropic-api-key": KEY, "base-url": model.url });
		expect(work.exitCode, work.stdout + work.stderr).toBe(0);
		await upload(scene, run, work);
		const result = await job(
			scene,
			{ id: run.id + 500_000, attempt: 1 },
			{ "github-token": TOKEN, mode: "publish" },
			{
				event: { name: "workflow_run", payload: await scene.github.workflowRunPayload(run.id) },
				sha: scene.base,
				ref: "refs/heads/main",
				actor: "author",
			},
		);
		expect(result.exitCode, result.stdout + result.stderr).toBe(0);
		const report = await scene.readReport(result);
		expect(report.verdict.sentence).toMatch(/^The model provider was not available \(.*\), so only fixed checks ran: 1 finding/);
		expect(report.findings).toMatchObject([{ path: "b/b.go" }]);
		expect(scene.github.checks(scene.head).map((check) => check.conclusion)).toEqual(["neutral"]);
	}, 120_000);

	it("X-22 a model that is away is replaced by the next cheaper one, which is said; its costs count for both", async () => {
		const { scene, model } = await start({ base: BASE, head: { "a.go": mean("a"), "b/b.go": mean("b") } });
		model.fault(rateLimited(600), { times: 1_000, matches: (call) => call.request.model.includes("sonnet") });
		const { result, report } = await review(scene, model);
		expect(result.exitCode).toBe(0);
		expect(report.verdict.state).toBe("findings");
		expect(report.findings.map((finding) => finding.path).sort()).toEqual(["a.go", "b/b.go"]);
		expect(report.notes.join("\n")).toMatch(/was not available to \d of \d reviewers \(.*\): \d answered with claude-haiku-5-5\./);
		expect(report.files.map((file) => file.state)).toEqual(["reviewed", "reviewed"]);
		expect(report.usage.costUsd).toBeGreaterThan(0);
	}, 120_000);
});
