import { readFile, rm, symlink } from "node:fs/promises";
import path from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";
import type { ActionResult } from "../../src/demo/runner/run-action.ts";
import { callTool } from "../../src/demo/loopback-model/scripted-reply.ts";
import { type LoopbackModel, startLoopbackModel } from "../../src/demo/loopback-model/start-loopback-model.ts";
import type { OutboxHead, ShardedPlan } from "../../src/domain/outbox.ts";
import { download, forge, job, readOutbox, startWorkflow, upload, type WorkflowRun } from "./outbox-rig.ts";
import { BAD, mean, plain, push } from "./rounds-rig.ts";
import { type Scene, startScene, TOKEN } from "./start-scene.ts";

const KEY = "sk-loopback-matrix-51aa";
const open: { close(): Promise<unknown> }[] = [];
// Several processes a test, on machines that do other work as well.
vi.setConfig({ testTimeout: 240_000 });

async function scene(options: Parameters<typeof startScene>[0]): Promise<Scene> {
	const started = await startScene(options);
	open.push({
		close: async () => {
			expect(started.github.violations).toEqual([]);
			await started[Symbol.asyncDispose]();
		},
	});
	return started;
}

afterEach(async () => {
	for (const each of open.splice(0).reverse()) await each.close();
});

const GO = "package parcels\n\nfunc Weight(items []int) int {\n\treturn len(items)\n}\n";
const names = Array.from({ length: 16 }, (_, index) => `reviewer-${String(index + 1).padStart(2, "0")}`);
const agentFiles = Object.fromEntries(
	names.map((name) => [
		`.claude/agents/${name}.md`,
		`---\nname: ${name}\ndescription: Looks at ${name}.\ntools: Read, Grep\n---\nYou are ${name}.\n`,
	]),
);
const SETTINGS = { ".rookery/settings.json": JSON.stringify({ review: { maxReviewers: 16 } }) };

/** Four languages, one of them broken, and sixteen reviewers of the team's own: twenty children. */
const TWENTY = {
	base: {
		"a.go": GO,
		"b.py": "def b():\n    return 1\n",
		"c.ts": "export const c = 1;\n",
		"d.rs": "pub fn d() -> u32 { 1 }\n",
		...agentFiles,
		...SETTINGS,
	},
	head: {
		"a.go": GO.replace("\treturn len(items)\n}", "\treturn len(items)\n"),
		"b.py": "def b():\n    return 2\n",
		"c.ts": "export const c = 2;\n",
		"d.rs": "pub fn d() -> u32 { 2 }\n",
	},
} as const;

interface Planned {
	readonly result: ActionResult;
	readonly shards: readonly number[];
	readonly text: string;
	readonly plan: ShardedPlan;
}

async function planJob(s: Scene, run: WorkflowRun, inputs: Readonly<Record<string, string>>): Promise<Planned> {
	const result = await job(s, run, { mode: "plan", ...inputs });
	expect(result.exitCode, result.stdout + result.stderr).toBe(0);
	const text = result.outputs["plan"] ?? "";
	return { result, text, shards: JSON.parse(result.outputs["shards"] ?? "null"), plan: JSON.parse(text) };
}

async function workJobs(
	s: Scene,
	run: WorkflowRun,
	planned: Planned,
	inputs: Readonly<Record<string, string>> = {},
): Promise<ActionResult[]> {
	const results: ActionResult[] = [];
	for (const shard of planned.shards) {
		const result = await job(s, run, { mode: "work", plan: planned.text, shard: String(shard), ...inputs });
		expect(result.exitCode, result.stdout + result.stderr).toBe(0);
		results.push(result);
	}
	return results;
}

function publishJob(s: Scene, run: WorkflowRun, planned: Planned, inputs: Readonly<Record<string, string>> = {}): Promise<ActionResult> {
	return job(s, run, { "github-token": TOKEN, mode: "publish", plan: planned.text, ...inputs });
}

async function headOf(result: ActionResult): Promise<OutboxHead> {
	return JSON.parse(await readFile(path.join(result.outputs["outbox"] ?? "", "outbox.json"), "utf8")) as OutboxHead;
}

describe("one review over several machines", () => {
	it("X-05 twenty agents over five machines say what one machine says, once", async () => {
		const s = await scene(TWENTY);
		const run = startWorkflow(s);
		const planned = await planJob(s, run, { shards: "5" });
		expect(planned.shards).toEqual([1, 2, 3, 4, 5]);
		expect(planned.plan.shards.map((shard) => shard.assignments.length)).toEqual([4, 4, 4, 4, 4]);
		expect(planned.plan.shards.flatMap((shard) => shard.assignments).sort((a, b) => a - b)).toEqual(
			Array.from({ length: 20 }, (_, i) => i),
		);
		expect(planned.plan.shards.reduce((sum, shard) => sum + shard.usd, 0)).toBeLessThanOrEqual(2);
		expect(planned.plan.shards.reduce((sum, shard) => sum + shard.tokens, 0)).toBeLessThanOrEqual(2_000_000);
		const works = await workJobs(s, run, planned);
		expect(s.github.comments(s.number)).toHaveLength(0);
		for (const work of works) await upload(s, run, work);
		const result = await publishJob(s, run, planned);
		expect(result.exitCode, result.stdout + result.stderr).toBe(0);
		const spread = await s.readReport(result);
		expect(s.github.reviews(s.number)).toHaveLength(1);
		expect(s.sticky()).toContain(`"run":"${run.id}"`);
		const sessions = spread.agents.map((agent) => agent.session);
		expect(new Set(sessions).size).toBe(sessions.length);
		expect(sessions.filter((session) => !session.startsWith("verifier"))).toHaveLength(20);
		const ids = (await Promise.all(works.map(headOf))).flatMap((head) => head.agents.map((agent) => agent.id));
		expect(new Set(ids).size).toBe(ids.length);

		const single = await scene(TWENTY);
		const whole = await single.readReport(await single.start());
		const essence = (report: typeof whole) => ({
			verdict: report.verdict,
			files: report.files,
			findings: report.findings.map(({ sources: _sources, evidence: _evidence, ...finding }) => finding),
			agents: report.agents.filter((agent) => agent.kind !== "verifier").map(({ name, session, status }) => ({ name, session, status })),
		});
		expect(essence(spread)).toEqual(essence(whole));
	});

	it("X-05 a shard without an outbox makes the review a partial one that says so; the next attempt completes it", async () => {
		const s = await scene(TWENTY);
		const run = startWorkflow(s);
		const planned = await planJob(s, run, { shards: "3" });
		const works = await workJobs(s, run, planned);
		const lost = planned.plan.shards.find((shard) => shard.assignments.includes(0))?.number ?? 0;
		for (const [index, work] of works.entries()) if (index + 1 !== lost) await upload(s, run, work);
		const result = await publishJob(s, run, planned);
		expect(result.exitCode, result.stdout + result.stderr).toBe(0);
		const partial = await s.readReport(result);
		expect(partial.verdict.state).toBe("partial");
		expect(partial.notes.join("\n")).toContain(`shard ${lost} of 3 left no outbox`);
		expect(s.sticky()).toContain(`shard ${lost} of 3 left no outbox`);
		expect(partial.agents.filter((agent) => agent.status === "skipped").length).toBe(planned.plan.shards[lost - 1]?.assignments.length);

		// "Re-run failed jobs": the plan and the other outboxes are those of the first attempt.
		const second = { id: run.id, attempt: 2 };
		const again = await job(s, second, { mode: "work", plan: planned.text, shard: String(lost) });
		expect(again.exitCode, again.stdout + again.stderr).toBe(0);
		await upload(s, second, again);
		const complete = await publishJob(s, second, planned);
		expect(complete.exitCode, complete.stdout + complete.stderr).toBe(0);
		const report = await s.readReport(complete);
		expect(report.verdict.state).toBe("findings");
		expect(report.agents.filter((agent) => agent.status === "skipped")).toEqual([]);
		expect(s.sticky()).not.toContain("left no outbox");
	});

	it("X-05 a changed outbox among good ones refuses the whole, and says which", async () => {
		const s = await scene(TWENTY);
		const run = startWorkflow(s);
		const planned = await planJob(s, run, { shards: "2" });
		const [first, second] = await workJobs(s, run, planned);
		if (first === undefined || second === undefined) throw new Error("two jobs were planned");
		await upload(s, run, first);
		await upload(
			s,
			run,
			second,
			forge(({ reports }) => {
				for (const report of reports["reports"] as Record<string, unknown>[]) report["session"] = "moe-go-9";
			}),
		);
		const result = await publishJob(s, run, planned);
		expect(result.exitCode).toBe(1);
		expect(result.stdout).toMatch(/outbox refused: rookery-outbox-2-1: report 1: found .*moe-go-9/);
		expect(s.github.comments(s.number)).toHaveLength(0);
		expect(s.github.reviews(s.number)).toHaveLength(0);
		expect(s.github.checks(s.head)).toHaveLength(0);
	});

	it("X-05 two outboxes of one shard, and one of another plan, are told apart and refused", async () => {
		const s = await scene({ base: { "a.go": GO }, head: TWENTY.head });
		const run = startWorkflow(s);
		const planned = await planJob(s, run, { shards: "2" });
		const [first] = await workJobs(s, run, planned);
		if (first === undefined) throw new Error("a job was planned");
		await upload(s, run, first);
		await upload(s, run, first);
		expect((await publishJob(s, run, planned)).stdout).toContain("shard 1 of attempt 1 has two outboxes");
		const other = await job(s, run, { mode: "work" });
		const result = await publishJob(s, run, planned, { outbox: await download(s, [other]) });
		expect(result.exitCode).toBe(1);
		expect(result.stdout).toContain("shard: found one of 1, wanted one of 2");
	});

	it("X-05 outboxes that an earlier step downloaded are read without links and without anything else", async () => {
		const s = await scene({ base: { "a.go": GO }, head: { "a.go": TWENTY.head["a.go"] } });
		const run = startWorkflow(s);
		const work = await job(s, run, { mode: "work" });
		const folder = await download(s, [work]);
		const inner = path.join(folder, "rookery-outbox-shard-1");
		await rm(path.join(inner, "reports.json"));
		await symlink(path.join(work.outputs["outbox"] ?? "", "reports.json"), path.join(inner, "reports.json"));
		const linked = await job(s, run, { "github-token": TOKEN, mode: "publish", outbox: folder });
		expect(linked.exitCode).toBe(1);
		expect(linked.stdout).toContain("found a link");
		expect(s.github.comments(s.number)).toHaveLength(0);
		const good = await job(s, run, { "github-token": TOKEN, mode: "publish", outbox: await download(s, [work], "good") });
		expect(good.exitCode, good.stdout + good.stderr).toBe(0);
		expect(s.github.reviewComments(s.number)).toHaveLength(1);
	});

	it("A09 X-05 a push between plan and work ends the work neutrally with E_STALE, and bad numbers are named", async () => {
		const s = await scene({ base: { "a.go": GO }, head: TWENTY.head });
		const run = startWorkflow(s);
		const planned = await planJob(s, run, { shards: "2" });
		const wrong = await job(s, run, { mode: "work", plan: planned.text, shard: "7" });
		expect(wrong.exitCode).toBe(1);
		expect(wrong.stdout).toContain("input shard: found 7, wanted one of the plan's shards: 1, 2");
		const zero = await job(s, run, { mode: "work", plan: planned.text, shard: "0" });
		expect(zero.stdout).toContain("input shard: found");
		await push(s, { "a.go": GO });
		const late = await job(s, run, { mode: "work", plan: planned.text, shard: "1" });
		expect(late.exitCode).toBe(0);
		expect(late.stdout).toContain("E_STALE");
		expect(late.outputs["outbox"]).toBeUndefined();
	});

	it("X-05 nothing to read is a plan without shards, and a published review all the same", async () => {
		const s = await scene({ base: { "package-lock.json": "{}\n" }, head: { "package-lock.json": '{ "a": 1 }\n' } });
		const run = startWorkflow(s);
		const planned = await planJob(s, run, {});
		expect(planned.shards).toEqual([]);
		const result = await publishJob(s, run, planned);
		expect(result.exitCode, result.stdout + result.stderr).toBe(0);
		expect(s.sticky()).toContain("package-lock.json");
	});
});

describe("one review over several machines, with a model", () => {
	async function startModel(): Promise<LoopbackModel> {
		const finding = (file: string) => ({
			path: file,
			quote: BAD.trim(),
			severity: "important",
			category: "bug",
			title: `Division by zero in ${file}`,
			body: "Without items this panics.",
			confidence: 95,
			evidence: { kind: "traced", detail: file },
		});
		const model = await startLoopbackModel({
			apiKey: KEY,
			decide: ({ opening, turn }) => {
				const verify = opening.includes("Try to refute");
				const [, file = "a.go"] = /^- (\S+\.go) modified/m.exec(opening) ?? [];
				if (turn === 0) return callTool("read_file", { path: verify ? "a.go" : file });
				return callTool("submit_report", { summary: "Read.", findings: verify || !/\.go$/.test(file) ? [] : [finding(file)], open: [] });
			},
		});
		open.push(model);
		return model;
	}

	it("X-05 each machine spends its share, verifies its own findings, and the publishing one holds no key and asks nobody", async () => {
		const reviewers = Object.fromEntries(Object.entries(agentFiles).slice(0, 3));
		const s = await scene({
			base: { "a.go": plain("a"), ...reviewers },
			head: { "a.go": mean("a") },
		});
		const model = await startModel();
		const run = startWorkflow(s);
		const withKey = { "anthropic-api-key": KEY, "base-url": model.url };
		const planned = await planJob(s, run, { shards: "2", provider: "anthropic" });
		expect(planned.shards).toEqual([1, 2]);
		const works = await workJobs(s, run, planned, withKey);
		const asked = model.requests.length;
		expect(asked).toBeGreaterThan(0);
		for (const work of works) await upload(s, run, work);
		const result = await publishJob(s, run, planned);
		expect(result.exitCode, result.stdout + result.stderr).toBe(0);
		expect(model.requests.length).toBe(asked);
		const report = await s.readReport(result);
		expect(report.run.provider).toBe("anthropic");
		expect(report.findings.map((found) => found.path)).toEqual(["a.go"]);
		const verifiers = report.agents.filter((agent) => agent.kind === "verifier").map((agent) => agent.session);
		expect(new Set(verifiers).size).toBe(verifiers.length);
		const parts = works.map((work) => Number(work.outputs["cost-usd"]));
		expect(report.usage.costUsd).toBeCloseTo(
			parts.reduce((sum, part) => sum + part, 0),
			5,
		);
		for (const [index, shard] of planned.plan.shards.entries()) expect(parts[index] ?? 0).toBeLessThanOrEqual(shard.usd);
		// The key is in no outbox, and in nothing that the publishing job was given.
		for (const work of works) {
			const text = Object.values(await readOutbox(work.outputs["outbox"] ?? "")).join("");
			expect(text).not.toContain(KEY);
		}
	});
});
