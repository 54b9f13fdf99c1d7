import { afterEach, describe, expect, it, vi } from "vitest";
import { parse } from "yaml";
import type { ActionResult, ActionRun } from "../../src/demo/runner/run-action.ts";
import { renderForksPublishWorkflow, renderForksWorkflow, renderMatrixWorkflow } from "../../src/templates/part-workflows.ts";
import { makeZip } from "../rig/make-zip.ts";
import { job, READ_TOKEN, readOutbox, startWorkflow, type WorkflowRun } from "./outbox-rig.ts";
import { git, type Scene, startScene } from "./start-scene.ts";

/*
 * The workflows that `rookery init` writes, played job by job: inputs, artifact names and paths are those of the files,
 * and the token may do what the job's permissions say.
 */

const ACTION = { repository: "octo/rookery", sha: "a1".repeat(20), version: "0.1.0" };
const GO = "package parcels\n\nfunc Weight(items []int) int {\n\treturn len(items)\n}\n";
const FILES = {
	base: {
		"weight.go": GO,
		"b.py": "def b():\n    return 1\n",
		".claude/agents/one.md": "---\nname: one\ndescription: One.\ntools: Read\n---\nYou are one.\n",
	},
	head: { "weight.go": GO.replace("\treturn len(items)\n}", "\treturn len(items)\n"), "b.py": "def b():\n    return 2\n" },
};

interface Step {
	readonly id?: string;
	readonly uses: string;
	readonly with?: Readonly<Record<string, unknown>>;
}

interface Job {
	readonly permissions: Extract<Parameters<Scene["github"]["addToken"]>[1]["permissions"], object>;
	readonly steps: readonly Step[];
}

interface Workflow {
	readonly name: string;
	readonly jobs: Readonly<Record<string, Job>>;
}

type Values = Readonly<Record<string, string>>;

/** Values of the expressions that these workflows use; one that is not known fails the test. */
function evaluate(text: unknown, values: Values): string {
	return String(text).replace(/\$\{\{\s*(.*?)\s*\}\}/g, (_whole, expression: string) => {
		const value = values[expression];
		if (value === undefined) throw new Error(`no value for the expression ${expression}`);
		return value;
	});
}

const NO_SECRET: Values = {
	"secrets.ANTHROPIC_API_KEY": "",
	"secrets.ANTHROPIC_API_KEY != '' && 'anthropic' || 'offline'": "offline",
};

const scenes: Scene[] = [];
// Several processes a test, on machines that do other work as well.
vi.setConfig({ testTimeout: 240_000 });
let tokens = 0;

afterEach(async () => {
	for (const started of scenes.splice(0)) {
		expect(started.github.violations).toEqual([]);
		await started[Symbol.asyncDispose]();
	}
});

async function scene(options: Parameters<typeof startScene>[0]): Promise<Scene> {
	const started = await startScene(options);
	scenes.push(started);
	return started;
}

/** Plays one job: the action's step, then the upload of what it left. */
async function play(
	s: Scene,
	run: WorkflowRun,
	workflow: Workflow,
	name: string,
	how: { readonly values?: Values; readonly change?: Partial<ActionRun>; readonly readOnly?: true } = {},
): Promise<ActionResult> {
	const found = workflow.jobs[name];
	if (found === undefined) throw new Error(`the workflow has no job ${name}`);
	tokens += 1;
	const token = how.readOnly === true ? READ_TOKEN : `ghs_job${String(tokens).padStart(33, "0")}`;
	if (how.readOnly !== true) {
		s.github.addToken(token, { login: "github-actions[bot]", type: "Bot", permissions: found.permissions });
	}
	const values = { ...NO_SECRET, "github.run_attempt": String(run.attempt), "github.run_id": String(run.id), ...how.values };
	const step = found.steps.find((each) => each.id === "rookery");
	const inputs = Object.fromEntries(Object.entries(step?.with ?? {}).map(([key, value]) => [key, evaluate(value, values)]));
	const result = await job(s, run, { ...inputs, "github-token": token }, { ...how.change, workflow: workflow.name });
	const upload = found.steps.find((each) => String(each.with?.["name"]).startsWith("rookery-outbox-"));
	const left = result.outputs["outbox"];
	if (upload !== undefined && left !== undefined) {
		const outputs = { ...values, "steps.rookery.outputs.outbox": left };
		expect(evaluate(upload.with?.["path"], outputs)).toBe(left);
		s.github.addArtifact({ runId: run.id, name: evaluate(upload.with?.["name"], outputs), zip: makeZip(await readOutbox(left)) });
	}
	return result;
}

describe("the workflows that init writes, job by job", () => {
	it("X-05 A101 for forks: the first leaves an outbox with rights to read alone, the second publishes it with the rights it names", async () => {
		const s = await scene({ ...FILES, fork: true, role: "read", checkout: "base" });
		const first = parse(renderForksWorkflow(ACTION)) as Workflow;
		const second = parse(renderForksPublishWorkflow(ACTION)) as Workflow;
		const run = startWorkflow(s, { fork: true });
		const work = await play(s, run, first, "review", { readOnly: true });
		expect(work.exitCode, work.stdout + work.stderr).toBe(0);
		const payload = await s.github.workflowRunPayload(run.id);
		const result = await play(s, { id: run.id + 1_000, attempt: 1 }, second, "publish", {
			change: { event: { name: "workflow_run", payload }, sha: s.base, ref: "refs/heads/main" },
		});
		expect(result.exitCode, result.stdout + result.stderr).toBe(0);
		expect(s.sticky()).toContain('"instance":"Rookery"');
		expect(s.github.reviewComments(s.number)).toHaveLength(1);
		expect(s.github.checks(s.head)).toHaveLength(1);
		expect(await git(s.workspace, "rev-parse", "HEAD")).toBe(s.base);
	});

	it("X-05 for several machines: plan, work and publish with the rights each job names", async () => {
		const s = await scene(FILES);
		const workflow = parse(renderMatrixWorkflow(ACTION, 3)) as Workflow;
		const run = startWorkflow(s);
		const planned = await play(s, run, workflow, "plan");
		expect(planned.exitCode, planned.stdout + planned.stderr).toBe(0);
		const shards = JSON.parse(planned.outputs["shards"] ?? "null") as number[];
		expect(shards).toHaveLength(2);
		const plan = { "needs.plan.outputs.plan": planned.outputs["plan"] ?? "" };
		for (const shard of shards) {
			const work = await play(s, run, workflow, "work", { values: { ...plan, "matrix.shard": String(shard) } });
			expect(work.exitCode, work.stdout + work.stderr).toBe(0);
		}
		expect(s.sticky()).toBeUndefined();
		const result = await play(s, run, workflow, "publish", { values: plan });
		expect(result.exitCode, result.stdout + result.stderr).toBe(0);
		expect(s.github.reviewComments(s.number)).toHaveLength(1);
		expect(s.github.checks(s.head)).toHaveLength(1);
		const report = await s.readReport(result);
		expect(report.verdict.state).toBe("findings");
		expect(report.agents.filter((agent) => agent.kind !== "verifier").every((agent) => agent.status === "completed")).toBe(true);
	});

	it("X-05 a publishing job without actions: read says so, and posts nothing", async () => {
		const s = await scene({ ...FILES, private: true });
		const run = startWorkflow(s);
		const permissions = { contents: "read", "pull-requests": "write", checks: "write" } as const;
		s.github.addToken("ghs_noactions00000000000000000000000000", { login: "github-actions[bot]", type: "Bot", permissions });
		const result = await job(s, run, { "github-token": "ghs_noactions00000000000000000000000000", mode: "publish" });
		expect(result.exitCode).toBe(1);
		expect(result.stdout).toContain("needs the permission actions: read");
		expect(s.github.comments(s.number)).toHaveLength(0);
	});
});
