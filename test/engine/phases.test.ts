import { describe, expect, it } from "vitest";
import { EXPLORE_AGENT, PLAN_AGENT } from "../../src/agents/built-in.ts";
import { runPhases } from "../../src/engine/run-phases.ts";
import { createScheduler } from "../../src/engine/scheduler.ts";
import { agentNamed, assign, schedulerRun } from "./engine-parts.ts";
import { answer, failed, scriptModel } from "./scripted-model.ts";

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

describe("phases", () => {
	it("S-059 review starts when the explore reports exist and has them as context", async () => {
		const order: string[] = [];
		const slow = (text: string, ms: number) =>
			scriptModel([
				async () => {
					order.push(`begin ${text}`);
					await pause(ms);
					order.push(`end ${text}`);
					return answer(text);
				},
			]);
		const review = slow("reviewed", 0);
		const explores = [slow("CALLERS-FOUND", 40), slow("TESTS-FOUND", 10)];
		const run = schedulerRun((agent) => (agent === "explore" ? (explores.shift() ?? slow("none", 0)) : review));
		const outcomes = await runPhases(createScheduler(run.options), [
			{
				name: "explore",
				requests: ["Who calls it?", "What tests it?"].map((task) => ({ assignment: assign({ agent: EXPLORE_AGENT, task, files: [] }) })),
			},
			{ name: "review", requests: [{ assignment: assign({ agent: agentNamed("api") }) }] },
		]);
		expect(order).toEqual([
			"begin CALLERS-FOUND",
			"begin TESTS-FOUND",
			"end TESTS-FOUND",
			"end CALLERS-FOUND",
			"begin reviewed",
			"end reviewed",
		]);
		const first = JSON.stringify(review.requests[0]?.messages);
		for (const part of ["Review the change.", "Found in the phase explore", "CALLERS-FOUND", "TESTS-FOUND"]) expect(first).toContain(part);
		expect(review.requests[0]?.messages).toHaveLength(1);
		expect(outcomes.map((outcome) => outcome.reports.map((report) => report.session))).toEqual([
			["explore-1", "explore-2"],
			["agent-api-1"],
		]);
	});

	it("S-059 a phase that failed hands nothing on, and the next one still runs; Plan is a role like Explore", async () => {
		const plan = scriptModel([answer("1. change it")]);
		const run = schedulerRun((agent) => (agent === "explore" ? scriptModel([failed("server", "no")]) : plan));
		const outcomes = await runPhases(createScheduler(run.options), [
			{ name: "explore", requests: [{ assignment: assign({ agent: EXPLORE_AGENT, files: [] }) }] },
			{ name: "plan", requests: [{ assignment: assign({ agent: PLAN_AGENT, files: [] }) }] },
		]);
		expect(outcomes.map((outcome) => outcome.reports.map((report) => [report.session, report.status]))).toEqual([
			[["explore-1", "failed"]],
			[["plan-1", "completed"]],
		]);
		expect(JSON.stringify(plan.requests[0]?.messages)).not.toContain("Found in the phase");
	});
});
