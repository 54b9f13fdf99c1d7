import { describe, expect, it } from "vitest";
import type { AgentDefinition } from "../../src/domain/agent.ts";
import { createAgentTools } from "../../src/engine/create-agent-tools.ts";
import { renderAgentResult, renderLaunch, renderNotification } from "../../src/engine/render-agent-result.ts";
import { restoreChild } from "../../src/engine/restore-child.ts";
import { runChild } from "../../src/engine/run-child.ts";
import type { Scheduler } from "../../src/engine/scheduler.ts";
import { createScheduler } from "../../src/engine/scheduler.ts";
import type { Caller } from "../../src/engine/scheduler-options.ts";
import { sendMessage } from "../../src/engine/send-message.ts";
import type { ModelClient, Tool } from "../../src/seams.ts";
import { agentNamed, assign, environmentFor, readTool, schedulerRun } from "./engine-parts.ts";
import type { ScriptedModel } from "./scripted-model.ts";
import { answer, asks, failed, scriptModel } from "./scripted-model.ts";

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** A run whose agents hold the real agent tools up to `maxDepth`; the depth of the pipeline is 0. */
function nested(models: Readonly<Record<string, ModelClient>>, maxDepth: number, agents: readonly AgentDefinition[] = []) {
	const run = schedulerRun((agent) => models[agent] ?? scriptModel([answer("ok")]));
	const options = {
		...run.options,
		open: async (...[request, identity, self]: Parameters<typeof run.options.open>) => {
			const resources = await run.options.open(request, identity, self);
			return { ...resources, tools: { ...resources.tools, tools: [readTool, ...toolsOf(self)] } };
		},
	};
	const scheduler: Scheduler = createScheduler(options);
	function toolsOf(self: Caller): readonly Tool[] {
		return createAgentTools({
			scheduler,
			options: run.options,
			self,
			maxDepth,
			catalogue: "- helper: helps",
			timeoutMs: 20_000,
			resolve: async (call) => {
				if (call.agent === "nope") return { ok: false, reason: 'there is no agent "nope"; available: helper' };
				const agent = agents.find((candidate) => candidate.name === call.agent) ?? agentNamed(call.agent);
				const name = call.name === undefined ? {} : { name: call.name };
				return { ok: true, request: { assignment: assign({ agent, task: call.prompt }), description: call.description, ...name } };
			},
		});
	}
	return { run, scheduler, toolsOf };
}

const call = (agent: string, more: object = {}) => ({
	tool: "agent",
	input: { agent, description: "look", prompt: "Look at everything.", ...more },
});
const toolNames = (model: ScriptedModel) => model.requests[0]?.tools.map((tool) => tool.name);

describe("the agent tools", () => {
	it("S-148 S-071 at the depth limit there is neither agent nor send_message", async () => {
		for (const [maxDepth, parentTools, childTools] of [
			[1, ["read_file"], undefined],
			[2, ["agent", "read_file", "send_message"], ["read_file"]],
		] as const) {
			const parent = scriptModel([asks([call("child")]), answer("end")]);
			const child = scriptModel([answer("ok")]);
			await nested({ parent, child }, maxDepth).scheduler.runPlanned([{ assignment: assign({ agent: agentNamed("parent") }) }]);
			expect(toolNames(parent)).toEqual(parentTools);
			expect(toolNames(child)).toEqual(childTools);
		}
	});

	it("S-136 S-047 a call with a wrong field or an unknown agent is an error result and starts nothing", async () => {
		const parent = scriptModel([
			asks([call("nope"), call("child", { colour: "red" }), { tool: "agent", input: { agent: "child" } }]),
			answer("end"),
		]);
		const { run, scheduler } = nested({ parent }, 2);
		await scheduler.runPlanned([{ assignment: assign({ agent: agentNamed("parent") }) }]);
		const results = parent.requests[1]?.messages.at(-1)?.content ?? [];
		expect(results.map((block) => block.type === "tool-result" && block.isError)).toEqual([true, true, true]);
		expect(JSON.stringify(results[0])).toContain("available: helper");
		expect(run.options.registry.list()).toHaveLength(1);
	});

	it("S-012 a primary at depth 0 delegates through the same engine and gets a result for its call", async () => {
		const primary = scriptModel([asks([{ ...call("helper"), id: "c7" }]), answer("summed up")]);
		const { run, scheduler, toolsOf } = nested({ helper: scriptModel([answer("two callers")]) }, 1);
		const report = await runChild(
			assign({ agent: agentNamed("main", { kind: "orchestrator" }) }),
			environmentFor(primary, { depth: 0, session: "main-1", toolList: [...toolsOf({ ...scheduler.main, session: "main-1" })] }),
		);
		expect(report.text).toBe("summed up");
		expect(primary.requests[1]?.messages.at(-1)?.content[0]).toMatchObject({
			toolUseId: "c7",
			content: expect.stringContaining("two callers"),
		});
		expect(run.store.journals.get("agent-helper-1")?.of("session.started")[0]).toMatchObject({
			parent: "main-1",
			parentCall: "c7",
			depth: 1,
		});
	});

	it("S-140 a background call answers before the child's first request", async () => {
		let asked = false;
		const helper = scriptModel([
			async () => {
				asked = true;
				await pause(30);
				return answer("done");
			},
		]);
		const { scheduler, toolsOf } = nested({ helper }, 1);
		const tool = toolsOf(scheduler.main)[0];
		const result = await tool?.run({ ...call("helper").input, run_in_background: true }, new AbortController().signal, { id: "c1" });
		expect(asked).toBe(false);
		expect(result?.content).toMatch(/agent_1[\s\S]*notified[\s\S]*do not do its work/);
		await scheduler.settle();
		expect(asked).toBe(true);
		expect(scheduler.main.inbox.take()[0]?.text).toContain("done");
	});

	it("S-142 news of a grandchild goes to the child that started it and not to main", async () => {
		const child = scriptModel([asks([call("grandchild", { run_in_background: true })]), answer("waiting"), answer("with the news")]);
		const grandchild = scriptModel([
			async () => {
				await pause(20);
				return answer("GRANDCHILD-RESULT");
			},
		]);
		const { scheduler } = nested({ child, grandchild }, 2);
		const [report] = await scheduler.runPlanned([{ assignment: assign({ agent: agentNamed("child") }) }]);
		expect(JSON.stringify(child.requests[2]?.messages.at(-1))).toContain("GRANDCHILD-RESULT");
		expect(report?.text).toBe("with the news");
		expect(scheduler.main.inbox.take()).toEqual([]);
	});

	it("S-143 a message sent while a tool runs is in the following request", async () => {
		const { run, scheduler } = nested(
			{
				helper: scriptModel([asks([{ tool: "read_file" }]), answer("ok")]),
			},
			1,
		);
		const slow = run.options.open;
		const models = scriptModel([asks([{ tool: "slow" }]), answer("ok")]);
		const withSlow = createScheduler({
			...run.options,
			async open(request, identity, self) {
				const resources = await slow(request, identity, self);
				const tool: Tool = {
					...readTool,
					spec: { ...readTool.spec, name: "slow" },
					run: async () => {
						await sendMessage("agent_1", "look at the tests", scheduler.main, { scheduler, options: run.options });
						return { content: "slow result" };
					},
				};
				return { ...resources, model: models, tools: { ...resources.tools, tools: [tool] } };
			},
		});
		await withSlow.runPlanned([{ assignment: assign() }]);
		expect(models.requests[1]?.messages.at(-1)?.content[0]).toMatchObject({ text: "look at the tests" });
	});

	it("S-162 at the limit a continuation is refused and nothing starts", async () => {
		const slow = scriptModel([
			async () => {
				await pause(60);
				return answer("ok");
			},
		]);
		const run = schedulerRun((agent) => (agent === "slow" ? slow : scriptModel([answer("first"), answer("second")])), { maxConcurrent: 1 });
		const scheduler = createScheduler(run.options);
		await scheduler.runPlanned([{ assignment: assign() }]);
		const busy = scheduler.runPlanned([{ assignment: assign({ agent: agentNamed("slow") }) }]);
		const result = await sendMessage("agent_1", "more", scheduler.main, { scheduler, options: run.options });
		expect(result).toMatchObject({ isError: true, content: expect.stringContaining("1 agents are running") });
		await busy;
		expect(run.options.registry.find("agent_1")?.runs).toBe(1);
	});
});

describe("result texts", () => {
	it("S-166 S-165 S-141 four ends, with and without a worktree, for agents that can be continued and one-shot ones", async () => {
		const base = await runChild(assign(), environmentFor(scriptModel([answer("All fine.")])));
		const usage = "<usage>\nsubagent_tokens: 110\ntool_uses: 0\nduration_ms: 7\ntotal_tokens: 110\n</usage>";
		const done = { ...base, durationMs: 7 };
		const kept = { worktree: { path: "/tmp/w", branch: "rookery/x", kept: true } };
		const gone = { worktree: { path: "/tmp/w", kept: false } };
		const agent = { agentId: "agent_1", oneShot: false };
		expect(renderAgentResult(done, agent)).toEqual({ content: `All fine.\n\nagent: agent_1 (continue it with send_message)\n\n${usage}` });
		expect(renderAgentResult({ ...done, ...gone }, { ...agent, oneShot: true })).toEqual({ content: `All fine.\n\n${usage}` });
		expect(renderAgentResult({ ...done, ...kept }, { ...agent, oneShot: true }).content).toBe(
			`All fine.\n\n${usage}\n\nworktree: /tmp/w\nbranch: rookery/x`,
		);
		for (const status of ["failed", "cancelled", "refused"] as const) {
			const result = renderAgentResult({ ...done, ...kept, status, error: "why" }, agent);
			expect(result).toEqual({ isError: true, content: `api (agent_1) ${status}: why\n\n${usage}\n\nworktree: /tmp/w\nbranch: rookery/x` });
			expect(renderAgentResult({ ...done, status, error: "why" }, { ...agent, oneShot: true }).content).toBe(
				`api ${status}: why\n\n${usage}`,
			);
		}
		const request = { assignment: assign() };
		const words = (["completed", "failed", "cancelled"] as const).map(
			(status) => renderNotification({ ...done, status }, request, agent).split("\n")[0],
		);
		expect(words).toEqual(['Agent "api" completed.', 'Agent "api" failed.', 'Agent "api" killed.']);
		expect(renderNotification(done, { ...request, description: "check the API" }, agent)).toContain('Agent "check the API" completed.');
		const once = renderLaunch({ assignment: assign({ agent: agentNamed("x", { oneShot: true }) }) }, "agent_2");
		expect(once).toContain("agent: agent_2.");
		expect(once).not.toContain("send_message");
	});
});

describe("restore", () => {
	const agent = agentNamed("api", { source: { path: ".claude/agents/api.md", sha256: "ab".repeat(32) } });

	async function earlierRun(last: "ok" | "failed" = "ok") {
		const run = schedulerRun(() =>
			scriptModel([asks([{ tool: "read_file" }]), last === "ok" ? answer("first run's answer") : failed("server", "x")]),
		);
		await createScheduler(run.options).runPlanned([{ assignment: assign({ agent }), name: "api-check" }]);
		return run.store.journals.get("agent-api-1")?.entries ?? [];
	}

	it("S-163 an agent of an earlier run goes on with its history, under its id", async () => {
		const entries = await earlierRun();
		const model = scriptModel([answer("second run's answer")]);
		const run = schedulerRun(() => model, { readEntries: async () => entries });
		const scheduler = createScheduler(run.options);
		const parts = {
			scheduler,
			options: run.options,
			restore: async (id: string) => (id === "agent_1" ? restoreChild(entries, () => assign({ agent })) : undefined),
		};
		expect((await sendMessage("agent_9", "x", scheduler.main, parts)).content).toContain("There is no agent agent_9");
		expect((await sendMessage("agent_1", "and the tests?", scheduler.main, parts)).isError).toBeUndefined();
		await scheduler.settle();
		const messages = JSON.stringify(model.requests[0]?.messages);
		for (const part of ["The change.", "first run's answer", "and the tests?"]) expect(messages).toContain(part);
		expect(run.options.registry.find("api-check")).toMatchObject({ agentId: "agent_1", runs: 2, status: "completed" });
		const [next] = await scheduler.runPlanned([{ assignment: assign({ agent: agentNamed("other") }) }]);
		expect(next?.session).toBe("agent-other-1");
		expect(run.options.registry.list().map((entry) => entry.agentId)).toEqual(["agent_1", "agent_2"]);
	});

	it("S-164 each reason against it is told", async () => {
		const entries = await earlierRun("failed");
		const reason = (assignment: ReturnType<typeof assign> | undefined, from = entries) => {
			const restored = restoreChild(from, () => assignment);
			return restored.ok ? `ok ${restored.entry.status}` : restored.reason;
		};
		expect(reason(assign({ agent }))).toBe("ok failed");
		expect(reason(assign({ agent }), entries.slice(0, -1))).toBe("ok partial");
		expect(reason(undefined)).toContain("not defined any more");
		expect(reason(assign({ agent: { ...agent, oneShot: true } }))).toContain("answers once");
		expect(reason(assign({ agent: { ...agent, source: { path: "x", sha256: "cd".repeat(32) } } }))).toContain("changed since");
		expect(reason(assign({ agent }), [])).toContain("no run");
	});
});
