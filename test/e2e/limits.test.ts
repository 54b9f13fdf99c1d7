import { afterEach, describe, expect, it } from "vitest";
import { callTool, type Decide } from "../../src/demo/loopback-model/scripted-reply.ts";
import { type LoopbackModel, startLoopbackModel } from "../../src/demo/loopback-model/start-loopback-model.ts";
import { parseMarker, printMarker } from "../../src/publish/marker.ts";
import { nextRun, say } from "./say.ts";
import { type Scene, startScene, TOKEN } from "./start-scene.ts";

const KEY = "sk-loopback-limits-90ab";
const GO = "package parcels\n\nfunc Weight(items []int) int {\n\ttotal := 0\n\treturn total\n}\n";
const open: { close(): Promise<void> }[] = [];

afterEach(async () => {
	for (const each of open.splice(0)) await each.close();
});

async function start(settings: object, more: Partial<Parameters<typeof startScene>[0]> = {}): Promise<Scene> {
	const base = { "weight.go": GO, ".rookery/settings.json": JSON.stringify(settings) };
	const scene = await startScene({ base, head: { "weight.go": GO.replace("total\n}", "total\n") }, ...more });
	open.push({
		close: async () => {
			expect(scene.github.violations).toEqual([]);
			await scene[Symbol.asyncDispose]();
		},
	});
	return scene;
}

const decide: Decide = () => callTool("submit_report", { summary: "Read.", findings: [], open: [] });

async function startModel(): Promise<LoopbackModel> {
	const model = await startLoopbackModel({ apiKey: KEY, decide });
	open.push(model);
	return model;
}

const DAY_MS = 86_400_000;

/** A summary on some other pull request, as a run of ours leaves it. */
function summaryOf(time: number, usd: number): string {
	const day = { date: new Date(time).toISOString().slice(0, 10), runs: 1, usd };
	const marker = { instance: "rookery", run: "7", attempt: 1, head: "a".repeat(40), blobs: {}, open: [], usd, day };
	return `${printMarker("sticky", marker)}\n## Rookery review`;
}

describe("limits that hold over runs", { timeout: 90_000 }, () => {
	it("X-15 a pull request is reviewed by itself so many times a day and no more; who asks is not bound by it", async () => {
		const scene = await start({ review: { maxRunsPerDay: 2 } });
		for (const runs of [1, 2]) {
			expect((await scene.start({ runId: nextRun() })).outputs["verdict"]).not.toBe("skipped");
			expect(parseMarker("sticky", scene.sticky() ?? "")?.day?.runs).toBe(runs);
		}
		const before = scene.sticky();
		const third = await scene.start({ runId: nextRun() });
		expect(third.outputs["verdict"]).toBe("skipped");
		expect(third.stdout).toContain("was reviewed 2 times today, and review.maxRunsPerDay is 2");
		expect(scene.sticky()).toBe(before);
		expect((await say(scene, "/review")).replies[0]).toContain("Reviewed");
	});

	it("X-15 A90 a push of our own starts no review, and another bot's neither unless it is allowed", async () => {
		const scene = await start({});
		for (const sender of ["github-actions[bot]", "renovate[bot]"]) {
			scene.github.addUser(sender, { type: "Bot" });
			const payload = await scene.github.pullRequestPayload(scene.number, "synchronize", { sender });
			const result = await scene.start({ runId: nextRun(), event: { name: "pull_request", payload }, actor: sender });
			expect(result.outputs["verdict"], result.stdout).toBe("skipped");
			expect(result.stdout).toContain("(E_ACTOR)");
		}
		expect(scene.github.comments(scene.number)).toEqual([]);
	});

	it("X-15 a mark in the title of somebody who may write skips the review; a stranger's does not", async () => {
		const title = "[skip rookery] Move things";
		const skipped = await (await start({}, { title })).start();
		expect(skipped.outputs["verdict"]).toBe("skipped");
		expect(skipped.stdout).toContain("the comment /review starts one all the same");
		const stranger = await start({}, { title, role: "read" });
		expect((await stranger.start()).outputs["verdict"]).not.toBe("skipped");
	});

	it("X-15 what the whole repository has spent today bounds reviews, commands and jobs; other days and other people's texts do not", async () => {
		const settings = { budget: { repositoryDayUsd: 1 }, maintenance: { tidy: { prompt: "Tidy up." } } };
		const scene = await start(settings);
		const model = await startModel();
		const inputs = { "github-token": TOKEN, "anthropic-api-key": KEY, "base-url": model.url };
		const other = scene.github.addIssue({ title: "Another", author: "author" });
		scene.github.addComment(other, { author: "author", body: summaryOf(Date.now(), 50) });
		scene.github.addComment(other, { author: "github-actions[bot]", body: summaryOf(Date.now() - 2 * DAY_MS, 50) });
		const first = await scene.start({ runId: nextRun(), inputs });
		expect(first.outputs["verdict"], first.stdout).not.toBe("skipped");
		expect(parseMarker("sticky", scene.sticky() ?? "")?.day?.usd).toBeGreaterThan(0);
		scene.github.addComment(other, { author: "github-actions[bot]", body: summaryOf(Date.now(), 0.999999) });
		const asked = model.requests.length;
		const second = await scene.start({ runId: nextRun(), inputs });
		expect(second.outputs["verdict"]).toBe("skipped");
		expect(second.stdout).toMatch(/\$1\.\d\d of \$1\.00 are spent in this repository today \(budget\.repositoryDayUsd\) \(E_LIMIT\)/);
		const command = await say(scene, "/explore where is Weight?", { change: { inputs } });
		expect(command.replies.at(-1)).toContain("are spent in this repository today");
		const payload = scene.github.workflowDispatchPayload({ sender: "maintainer", inputs: { job: "tidy" } });
		const job = await scene.start({
			...{ runId: nextRun(), inputs, actor: "maintainer", sha: scene.base, ref: "refs/heads/main" },
			event: { name: "workflow_dispatch", payload },
		});
		expect(job.stdout).toContain("are spent in this repository today");
		expect(model.requests).toHaveLength(asked);
		const free = await scene.start({ runId: nextRun(), inputs: { "github-token": TOKEN } });
		expect(free.outputs["verdict"]).not.toBe("skipped");
	});

	it("X-15 what a pull request has cost bounds its automatic reviews, too", async () => {
		const scene = await start({ budget: { pullRequestUsd: 0.000001 } });
		const model = await startModel();
		const inputs = { "github-token": TOKEN, "anthropic-api-key": KEY, "base-url": model.url };
		expect((await scene.start({ runId: nextRun(), inputs })).outputs["verdict"]).not.toBe("skipped");
		const second = await scene.start({ runId: nextRun(), inputs });
		expect(second.stdout).toContain("(budget.pullRequestUsd) (E_LIMIT)");
	});
});
