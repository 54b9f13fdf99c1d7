import { afterEach, describe, expect, it } from "vitest";
import { forge, job, startWorkflow, upload, type WorkflowRun } from "./outbox-rig.ts";
import { type Scene, startScene, TOKEN } from "./start-scene.ts";

const GO_BASE = "package parcels\n\nfunc Weight(items []int) int {\n\treturn len(items)\n}\n";
const GO_BROKEN = GO_BASE.replace("\treturn len(items)\n}", "\treturn len(items)\n");
const FORK = { base: { "weight.go": GO_BASE }, head: { "weight.go": GO_BROKEN }, fork: true, role: "read", checkout: "base" } as const;
const scenes: Scene[] = [];

async function scene(options: Parameters<typeof startScene>[0] = FORK): Promise<Scene> {
	const started = await startScene(options);
	scenes.push(started);
	return started;
}

afterEach(async () => {
	for (const started of scenes.splice(0)) {
		expect(started.github.violations).toEqual([]);
		await started[Symbol.asyncDispose]();
	}
});

/** The privileged half: another workflow, on the default branch, after the first one's end. */
async function publish(s: Scene, run: WorkflowRun, inputs: Readonly<Record<string, string>> = {}) {
	const payload = await s.github.workflowRunPayload(run.id);
	return job(s, { id: run.id + 500_000, attempt: 1 }, { "github-token": TOKEN, mode: "publish", ...inputs }, {
		event: { name: "workflow_run", payload },
		sha: s.base,
		ref: "refs/heads/main",
		actor: "author",
	});
}

function posted(s: Scene): number {
	return s.github.comments(s.number).length + s.github.reviews(s.number).length + s.github.checks(s.head).length;
}

describe("one review in two jobs", () => {
	it("X-05 a job that may only read leaves an outbox, and one that may write publishes it without the fork's code", async () => {
		const s = await scene();
		const run = startWorkflow(s, { fork: true });
		const work = await job(s, run, { mode: "work" });
		expect(work.exitCode, work.stdout + work.stderr).toBe(0);
		expect(posted(s)).toBe(0);
		await upload(s, run, work);
		const result = await publish(s, run);
		expect(result.exitCode, result.stdout + result.stderr).toBe(0);
		const report = await s.readReport(result);
		expect(report.findings).toMatchObject([{ path: "weight.go", severity: "critical", tier: "inline" }]);
		expect(report.run).toMatchObject({ id: String(run.id), head: s.head, base: s.base, trigger: "pull_request" });
		expect(s.github.reviews(s.number)).toHaveLength(1);
		expect(s.github.reviewComments(s.number)).toHaveLength(1);
		expect(s.github.checks(s.head)).toHaveLength(1);
		const sticky = s.sticky() ?? "";
		expect(sticky).toContain(`"run":"${run.id}"`);
		expect(sticky).toContain("in a job of the fork's own run, without secrets");
	});
});
