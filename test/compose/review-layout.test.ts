import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createDecide } from "../../bench/engine/decide.ts";
import { BENCH_LANGUAGES, makeEngineRepository } from "../../bench/engine/make-engine-repository.ts";
import { fixedTokens, groupByChild, measureRun } from "../../bench/engine/measure.ts";
import { startLoopbackModel } from "../../src/demo/loopback-model/start-loopback-model.ts";
import { openReviewRig, type ReviewRig } from "./review-rig.ts";

let rig: ReviewRig;
let temp: string;
beforeEach(() => {
	rig = openReviewRig();
	temp = mkdtempSync(path.join(tmpdir(), "rookery-layout-"));
});
afterEach(() => {
	rig[Symbol.dispose]();
	rmSync(temp, { recursive: true, force: true });
});

/** The five-specialist script of the measurements, through the whole product; what the server saw. */
async function reviewOnce(repository: string) {
	const server = await startLoopbackModel({ decide: createDecide({ folder: repository, readDiff: true }) });
	try {
		const { outcome } = await rig.review({
			...{ repo: repository, base: "main", provider: "anthropic", apiKey: "key-for-tests", baseUrl: server.url, model: "claude-opus-5-5" },
		});
		return { report: outcome.report, requests: server.requests, totals: server.usageTotals() };
	} finally {
		await server.close();
	}
}

describe("the requests of a review", () => {
	it("X-09 S-097 five specialists: one warm-up before them, every step reads its whole previous prompt, and the report counts what was billed", async () => {
		const { folder } = makeEngineRepository(path.join(temp, "repository"), { changedLines: 20 });
		const { report, requests, totals } = await reviewOnce(folder);
		expect(report.agents.map((agent) => agent.status)).toEqual(BENCH_LANGUAGES.map(() => "completed"));
		const [warmUp, ...steps] = requests;
		expect(warmUp?.request?.maxTokens).toBe(0);
		expect(steps).toHaveLength(BENCH_LANGUAGES.length * 3);
		for (const child of groupByChild(requests)) {
			expect(child).toHaveLength(3);
			// What the warm-up wrote is read by each first request, to the last token, and it is nearly all of it (G4).
			expect(child[0]?.prompt?.read).toBe(warmUp?.prompt?.total);
			expect((child[0]?.prompt?.read ?? 0) / (child[0]?.prompt?.total ?? 1)).toBeGreaterThanOrEqual(0.9);
			expect(fixedTokens(child[0])).toBeLessThanOrEqual(1_500);
			for (const [index, step] of child.entries()) {
				if (index > 0) expect((step.prompt?.read ?? 0) / (child[index - 1]?.prompt?.total ?? 1)).toBeGreaterThanOrEqual(0.99);
			}
		}
		expect(measureRun(requests).requests).toBe(16);
		const { costUsd, ...usage } = report.usage;
		expect(usage).toEqual(totals.usage);
		expect(costUsd).toBeCloseTo(totals.costUsd ?? Number.NaN, 9);
	});

	it("X-09 two runs on one change send the same bodies (G16)", async () => {
		const { folder } = makeEngineRepository(path.join(temp, "repository"), { changedLines: 20 });
		const bodies = [await reviewOnce(folder), await reviewOnce(folder)].map(({ requests }) =>
			requests.map((request) => request.rawBody).sort(),
		);
		expect(bodies[0]).toEqual(bodies[1]);
	});
});
