import { describe, expect, it } from "vitest";
import type { DelegateRequest, DelegateRunner } from "../../src/seams.ts";
import { createTaskTool } from "../../src/tools/task.ts";
import type { TaskDetails } from "../../src/tools/task.ts";

const never = new AbortController().signal;
const OBJECTIVE = { objective: "Find out who calls check." };

function runnerThat(answer: Awaited<ReturnType<DelegateRunner["run"]>>): DelegateRunner & { readonly requests: DelegateRequest[] } {
	const requests: DelegateRequest[] = [];
	return {
		requests,
		run: async (request) => {
			requests.push(request);
			return answer;
		},
	};
}

const detailsOf = (output: { readonly data?: unknown }): TaskDetails => output.data as TaskDetails;

describe("the task tool", () => {
	it("S-049 S-050 without a runner it is there, does not throw and says why nothing is delegated", async () => {
		const tool = await createTaskTool({ unavailable: "dry run" });
		const output = await tool.run(OBJECTIVE, never);
		expect(output.content).toContain("Delegation is not available: dry run.");
		expect(detailsOf(output)).toEqual({ delegated: false, ok: false, reason: "dry run" });
		expect(detailsOf(await (await createTaskTool()).run(OBJECTIVE, never)).reason).toBe("no delegate runner is set up");
	});

	it("S-051 a minimal runner gets objective, agent and context as they are, and its report is the result", async () => {
		const runner = runnerThat({ ok: true, report: "Two callers." });
		const tool = await createTaskTool({ runner });
		const request = { ...OBJECTIVE, agent: "explore", context: "Only src." };
		const parsed = tool.parse(request);
		expect(parsed.ok && (await tool.run(parsed.value, never)).content).toBe("Two callers.");
		expect(runner.requests).toEqual([request]);
	});

	it("S-053 details of success, of a runner's failure and of the stub", async () => {
		const success = await (await createTaskTool({ runner: runnerThat({ ok: true, report: "x", agent: "plan" }) })).run(OBJECTIVE, never);
		expect(detailsOf(success)).toMatchObject({ delegated: true, ok: true, agent: "plan" });
		const failure = await (await createTaskTool({ runner: runnerThat({ ok: false, report: "x" }) })).run(
			{ ...OBJECTIVE, agent: "plan" },
			never,
		);
		expect(detailsOf(failure)).toMatchObject({ delegated: true, ok: false, agent: "plan" });
		const stub = detailsOf(await (await createTaskTool()).run({ ...OBJECTIVE, agent: "plan" }, never));
		expect([stub.delegated, stub.ok, stub.agent]).toEqual([false, false, undefined]);
	});

	it("S-054 names of listAgents stand in the description, and without it there is no such sentence", async () => {
		const plain = runnerThat({ ok: true, report: "x" });
		const named = await createTaskTool({ runner: { ...plain, listAgents: async () => ["scout", "builder"] } });
		expect(named.spec.description).toContain("Agents: scout, builder.");
		for (const runner of [plain, { ...plain, listAgents: () => [] }, undefined]) {
			expect((await createTaskTool({ runner })).spec.description).not.toContain("Agents:");
		}
	});

	it("S-055 an abort is passed on, and a runner that does not listen is not waited for", async () => {
		const stop = new AbortController();
		let passed: AbortSignal | undefined;
		const deaf: DelegateRunner = {
			run: (_request, signal) => {
				passed = signal;
				return new Promise(() => undefined);
			},
		};
		const pending = (await createTaskTool({ runner: deaf })).run(OBJECTIVE, stop.signal);
		const startedAt = Date.now();
		stop.abort();
		const output = await pending;
		expect(Date.now() - startedAt).toBeLessThan(1_000);
		expect(output).toMatchObject({ isError: true, content: expect.stringContaining("cancelled") });
		expect(passed?.aborted).toBe(true);
		expect(detailsOf(output)).toEqual({ delegated: true, ok: false, reason: "cancelled" });
	});

	it("a runner that throws is an error result", async () => {
		const broken: DelegateRunner = { run: () => Promise.reject(new Error("no room")) };
		const output = await (await createTaskTool({ runner: broken })).run(OBJECTIVE, never);
		expect(output).toMatchObject({ isError: true, content: "The agent failed: no room" });
	});

	it("D-42 the input is strict: an objective is needed, and there is nothing else than agent and context", async () => {
		const tool = await createTaskTool();
		for (const input of [{}, { objective: "abc" }, { ...OBJECTIVE, mode: "fast" }]) expect(tool.parse(input).ok).toBe(false);
	});
});
