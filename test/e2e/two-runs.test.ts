import { mkdir } from "node:fs/promises";
import path from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { callTool, type Decide } from "../../src/demo/loopback-model/scripted-reply.ts";
import { startLoopbackModel } from "../../src/demo/loopback-model/start-loopback-model.ts";
import type { ActionResult, ActionRun } from "../../src/demo/runner/run-action.ts";
import { parseMarker } from "../../src/publish/marker.ts";
import { git, REPOSITORY, type Scene, startScene, TOKEN } from "./start-scene.ts";

const KEY = "sk-loopback-two-runs-31c8";
const GO = "package parcels\n\n// Weight adds up.\nfunc Weight(items []int) int {\n\ttotal := 0\n\treturn total\n}\n";
const BROKEN = GO.replace("\treturn total\n}", "\treturn total\n");
const open: { close(): Promise<void> }[] = [];

afterEach(async () => {
	for (const each of open.splice(0)) await each.close();
});

async function start(): Promise<Scene> {
	const scene = await startScene({ base: { "weight.go": GO }, head: { "weight.go": BROKEN } });
	open.push({
		close: async () => {
			expect(scene.github.violations).toEqual([]);
			await scene[Symbol.asyncDispose]();
		},
	});
	return scene;
}

/** A run on a runner of its own. */
async function run(scene: Scene, runId: string, change: Partial<ActionRun> = {}): Promise<ActionResult> {
	const temp = path.join(scene.folder, `temp-${runId}`);
	await mkdir(temp, { recursive: true });
	return scene.start({ runId, temp, ...change });
}

/** Pushes one more commit to the pull request and gives its id. */
async function push(scene: Scene): Promise<string> {
	await git(scene.work, "checkout", "-q", "change");
	await git(scene.work, "commit", "-q", "--allow-empty", "-m", "Later");
	const address = `${scene.github.serverUrl.replace("://", `://x-access-token:${TOKEN}@`)}/${REPOSITORY}.git`;
	await git(scene.work, "push", "-q", address, "change");
	return git(scene.work, "rev-parse", "HEAD");
}

/** Lets something happen in the middle of a run: when it lists the comments again, right before it publishes. */
function beforePublishing(scene: Scene, happen: () => Promise<void>): void {
	scene.github.faults.add({
		method: "GET",
		path: /\/issues\/\d+\/comments$/,
		after: 1,
		action: { kind: "hook", run: happen },
	});
}

const stickyMarker = (scene: Scene) => parseMarker("sticky", scene.sticky() ?? "");

describe("two runs on one pull request", () => {
	it("R41 a run that a newer push has overtaken stops before it publishes: one summary and one review, of the newer head", async () => {
		const scene = await start();
		let newer: { readonly result: ActionResult; readonly head: string } | undefined;
		beforePublishing(scene, async () => {
			const head = await push(scene);
			const payload = await scene.github.pullRequestPayload(scene.number, "synchronize");
			newer = { head, result: await run(scene, "11", { sha: head, event: { name: "pull_request", payload } }) };
		});
		const older = await run(scene, "10");
		expect(newer?.result.exitCode).toBe(0);
		expect(older.exitCode, older.stdout).toBe(0);
		expect(older.stdout).toContain("run 11 is newer and has written the summary");
		expect(stickyMarker(scene)).toMatchObject({ run: "11", head: newer?.head });
		expect(scene.github.reviews(scene.number).map((review) => review.commit)).toEqual([newer?.head]);
		expect(scene.github.reviewComments(scene.number)).toHaveLength(1);
	}, 60_000);

	it("R41 two runs on the same head say each finding once, also when the older one has published between the newer one's reading and writing", async () => {
		const scene = await start();
		beforePublishing(scene, async () => {
			expect((await run(scene, "10")).exitCode).toBe(0);
		});
		const newer = await run(scene, "11");
		expect(newer.exitCode, newer.stdout).toBe(0);
		expect(scene.github.reviews(scene.number)).toHaveLength(1);
		expect(scene.github.reviewComments(scene.number)).toHaveLength(1);
		expect(stickyMarker(scene)).toMatchObject({ run: "11" });
	}, 60_000);

	it("R41 the older of two runs on the same head adds no second check", async () => {
		const scene = await start();
		beforePublishing(scene, async () => {
			expect((await run(scene, "11")).exitCode).toBe(0);
		});
		expect((await run(scene, "10")).exitCode).toBe(0);
		expect(scene.github.checks(scene.head)).toHaveLength(1);
		expect(stickyMarker(scene)).toMatchObject({ run: "11" });
	}, 60_000);

	it("R36 R41 a run that is cancelled posts no half review: an earlier summary says so and keeps its state; without one nothing is written", async () => {
		const scene = await start();
		const decide: Decide = ({ turn }) =>
			turn === 0 ? callTool("read_file", { path: "weight.go" }) : callTool("submit_report", { summary: "Read.", findings: [], open: [] });
		const model = await startLoopbackModel({ latencyMs: 20_000, apiKey: KEY, decide });
		open.push(model);
		const cancel = async (runId: string): Promise<ActionResult> => {
			const before = model.requests.length;
			return run(scene, runId, {
				inputs: { "github-token": TOKEN, "anthropic-api-key": KEY, "base-url": model.url },
				onStart: (step) => {
					const timer = setInterval(() => {
						if (model.requests.length === before) return;
						clearInterval(timer);
						step.process.kill("SIGINT");
					}, 50);
				},
			});
		};
		const writes = () =>
			scene.github.requests
				.filter((request) => request.method !== "GET")
				.map((request) => request.operation ?? "")
				.filter((operation) => operation.includes("/") && !operation.startsWith("git/"));
		const first = await cancel("10");
		expect(first.outputs["verdict"]).toBe("failed");
		expect(first.summary).toContain("Rookery");
		expect(writes()).toEqual([]);
		expect((await run(scene, "11")).exitCode).toBe(0);
		const [before, whole, posted] = [stickyMarker(scene), scene.sticky() ?? "", writes().length] as const;
		await cancel("12");
		const after = stickyMarker(scene);
		expect(after).toMatchObject({ run: "12", head: before?.head, blobs: before?.blobs, open: before?.open });
		expect(scene.sticky()).toMatch(/\*\*Cancelled at \d{4}-\d\d-\d\d \d\d:\d\d UTC:\*\* the review of `[0-9a-f]{7}` in \[run 12\]/);
		expect(scene.sticky()).toContain(whole.split("\n\n").at(-1) ?? "?");
		expect(writes().slice(posted)).toEqual(["issues/update-comment"]);
		await cancel("13");
		expect(scene.sticky()?.match(/Cancelled at/g)).toHaveLength(1);
		expect((await run(scene, "14")).exitCode).toBe(0);
		expect(scene.sticky()).not.toContain("Cancelled at");
		expect(scene.github.reviewComments(scene.number)).toHaveLength(1);
	}, 90_000);
});
