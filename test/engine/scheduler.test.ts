import { readdir, readFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { NO_USAGE } from "../../src/domain/usage.ts";
import { createModelSource } from "../../src/engine/create-model-source.ts";
import { createRegistry } from "../../src/engine/registry.ts";
import { renderAgentResult } from "../../src/engine/render-agent-result.ts";
import type { Scheduler } from "../../src/engine/scheduler.ts";
import { createScheduler } from "../../src/engine/scheduler.ts";
import type { Caller, ChildRequest } from "../../src/engine/scheduler-options.ts";
import { sendMessage } from "../../src/engine/send-message.ts";
import type { ModelClient, Tool } from "../../src/seams.ts";
import type { TestRun } from "./engine-parts.ts";
import { agentNamed, assign, readTool, schedulerRun, toolNamed } from "./engine-parts.ts";
import { answer, asks, failed, hangs, reply, scriptModel, USAGE } from "./scripted-model.ts";

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

async function until(condition: () => boolean): Promise<void> {
	while (!condition()) await pause(2);
}

function planned(...names: readonly string[]): ChildRequest[] {
	return names.map((name) => ({ assignment: assign({ agent: agentNamed(name) }) }));
}

/** Answers after a while and counts how many run at once. */
function gauge(ms: number) {
	const seen = { active: 0, peak: 0 };
	const model = (): ModelClient =>
		scriptModel([
			async () => {
				seen.active += 1;
				seen.peak = Math.max(seen.peak, seen.active);
				await pause(ms);
				seen.active -= 1;
				return answer("ok");
			},
		]);
	return { seen, model };
}

/** A run in which agents can start others with the tool `agent` {name, background?}. */
function nestingRun(models: Readonly<Record<string, ModelClient>>, change: Parameters<typeof schedulerRun>[1] = {}) {
	const run: TestRun = schedulerRun((agent) => models[agent] ?? scriptModel([]), change);
	const scheduler: Scheduler = createScheduler({
		...run.options,
		async open(request, identity, self) {
			const resources = await run.options.open(request, identity, self);
			return { ...resources, tools: { ...resources.tools, tools: [readTool, agentTool(() => scheduler, self)] } };
		},
	});
	return { run, scheduler };
}

function agentTool(scheduler: () => Scheduler, self: Caller): Tool {
	return toolNamed(
		"agent",
		async (input, signal, call) => {
			const background = input["background"] === true;
			const request = {
				assignment: assign({ agent: agentNamed(String(input["name"])) }),
				...(call === undefined ? {} : { callId: call.id }),
			};
			const started = scheduler().spawn(request, self, { background, signal });
			if (!started.ok) return { content: started.refusal, isError: true };
			if (background) return { content: `launched ${started.identity.agentId}` };
			return renderAgentResult(await started.report, { agentId: started.identity.agentId, oneShot: false });
		},
		{ effect: "delegate", timeoutMs: 20_000 },
	);
}

describe("planned children", () => {
	it("S-147 five reviewers under a limit of two all finish, with two at a time", async () => {
		const { seen, model } = gauge(20);
		const run = schedulerRun(model, { maxConcurrent: 2 });
		const reports = await createScheduler(run.options).runPlanned(planned("a", "b", "c", "d", "e"));
		expect(reports.map((report) => [report.agent, report.status])).toEqual(["a", "b", "c", "d", "e"].map((name) => [name, "completed"]));
		expect(seen.peak).toBe(2);
	});

	it("S-075 session names of ten parallel children are unique, safe and say kind and number", async () => {
		const run = schedulerRun(() => scriptModel([answer("ok")]), { maxConcurrent: 10 });
		const requests: ChildRequest[] = [
			...["go", "rust", "c++", "c#", "go"].map((language) => ({
				assignment: assign({ agent: agentNamed(language, { kind: "specialist", language }) }),
			})),
			...["reviewer", "Reviewer", "Prüfer Größe"].map((name) => ({ assignment: assign({ agent: agentNamed(name) }) })),
			...[1, 2].map(() => ({ assignment: assign({ agent: agentNamed("Explore", { kind: "explore" }) }) })),
		];
		const sessions = (await createScheduler(run.options).runPlanned(requests)).map((report) => report.session);
		expect(new Set(sessions).size).toBe(10);
		for (const session of sessions) expect(session).toMatch(/^[a-z0-9-]+$/);
		expect(sessions).toEqual(
			expect.arrayContaining(["moe-go-1", "moe-go-2", "agent-reviewer-1", "agent-reviewer-2", "explore-1", "explore-2"]),
		);
	});

	it("S-156 S-145 ids count from agent_1, and results keep the order of the requests", async () => {
		const run = schedulerRun((agent) =>
			scriptModel([
				async () => {
					await pause(agent === "a" ? 60 : agent === "b" ? 30 : 1);
					return answer(agent);
				},
			]),
		);
		const reports = await createScheduler(run.options).runPlanned(planned("a", "b", "c"));
		expect(reports.map((report) => report.text)).toEqual(["a", "b", "c"]);
		expect(run.options.registry.list().map((entry) => entry.agentId)).toEqual(["agent_1", "agent_2", "agent_3"]);
		const finished = run.journal.of("agent.finished").map((event) => event.agentId);
		expect(finished).toEqual(["agent_3", "agent_2", "agent_1"]);
	});

	it("S-093 a child that fails takes no other down", async () => {
		const run = schedulerRun((agent) => {
			if (agent === "unreachable") throw new Error("connect ECONNREFUSED");
			return scriptModel([agent === "broken" ? failed("server", "500") : answer("fine")]);
		});
		const reports = await createScheduler(run.options).runPlanned(planned("a", "broken", "b", "unreachable"));
		expect(reports.map((report) => report.status)).toEqual(["completed", "failed", "completed", "failed"]);
		expect(reports[3]?.error).toContain("ECONNREFUSED");
		expect(run.journal.of("agent.started")).toHaveLength(4);
		expect(run.journal.of("agent.finished")).toHaveLength(4);
		expect([...run.store.journals.keys()].sort()).toEqual(reports.map((report) => report.session).sort());
	});

	it("S-092 a model client that failed to start is tried again", async () => {
		let starts = 0;
		const source = createModelSource(async () => {
			starts += 1;
			if (starts === 1) throw new Error("no route");
			return scriptModel([answer("ok"), answer("ok")]);
		});
		const run = schedulerRun(() => source(), { maxConcurrent: 1 });
		const scheduler = createScheduler(run.options);
		const first = await scheduler.runPlanned(planned("a"));
		const second = await scheduler.runPlanned(planned("b", "c"));
		expect(first[0]?.status).toBe("failed");
		expect(second.map((report) => report.status)).toEqual(["completed", "completed"]);
		expect(starts).toBe(2);
	});

	it("S-104 everything that was started has its end record before the caller goes on", async () => {
		const run = schedulerRun((agent) =>
			scriptModel([
				async () => {
					await pause(agent === "slow" ? 80 : 1);
					return answer("ok");
				},
			]),
		);
		await createScheduler(run.options).runPlanned(planned("fast", "slow"));
		for (const journal of run.store.journals.values()) expect(journal.of("end")).toHaveLength(1);
	});

	it("BR-76 no credit stops the siblings at once, and those that wait are not started", async () => {
		const models: ReturnType<typeof scriptModel>[] = [];
		const run = schedulerRun(
			(agent) => {
				const model = scriptModel([
					agent === "first"
						? async () => {
								await pause(20);
								return failed("credit", "Your credit balance is too low to access the API.");
							}
						: hangs,
				]);
				models.push(model);
				return model;
			},
			{ maxConcurrent: 2 },
		);
		const scheduler = createScheduler(run.options);
		const startedAt = Date.now();
		const reports = await scheduler.runPlanned(planned("first", "second", "third"));
		expect(Date.now() - startedAt).toBeLessThan(2_000);
		expect(reports.map((report) => report.status)).toEqual(["failed", "cancelled", "skipped"]);
		expect(reports[1]?.error).toContain("credit");
		expect(models).toHaveLength(2);
		expect(scheduler.fatal()).toMatchObject({ kind: "credit" });
	});

	it("S-046 a writer in the shared tree overlaps with nothing, readers overlap", async () => {
		const { seen, model } = gauge(20);
		const spans: string[] = [];
		const run = schedulerRun((agent) => {
			if (agent !== "writer") return model();
			return scriptModel([
				async () => {
					spans.push(`writer with ${seen.active}`);
					await pause(20);
					spans.push(`writer with ${seen.active}`);
					return answer("ok");
				},
			]);
		});
		const [a, b, writer, c] = planned("a", "b", "writer", "c");
		if (a === undefined || b === undefined || writer === undefined || c === undefined) throw new Error("four wanted");
		await createScheduler(run.options).runPlanned([a, b, { ...writer, alone: true }, c]);
		expect(seen.peak).toBe(2);
		expect(spans).toEqual(["writer with 0", "writer with 0"]);
	});
});

it("S-023 two writers forced into one tree run one after the other, and both finish", async () => {
	const { seen, model } = gauge(15);
	const run = schedulerRun(model);
	const reports = await createScheduler(run.options).runPlanned(planned("a", "b").map((request) => ({ ...request, alone: true })));
	expect(reports.map((report) => report.status)).toEqual(["completed", "completed"]);
	expect(seen.peak).toBe(1);
});

describe("events and the registry", () => {
	it("S-130 the run's journal of three children has their starts and ends and no tool events", async () => {
		const run = schedulerRun(() => scriptModel([asks([{ tool: "read_file" }]), answer("ok")]));
		await createScheduler(run.options).runPlanned(planned("a", "b", "c"));
		const types = run.journal.entries.map((entry) => entry.type);
		expect(types.filter((type) => type === "agent.started")).toHaveLength(3);
		expect(types.filter((type) => type === "agent.finished")).toHaveLength(3);
		expect(new Set(types)).toEqual(new Set(["agent.started", "agent.finished", "child_debit"]));
	});

	it("S-132 agent.started names the concrete model though the agent names none", async () => {
		const run = schedulerRun(() => scriptModel([answer("ok")]));
		await createScheduler(run.options).runPlanned(planned("a"));
		expect(run.journal.of("agent.started")[0]).toMatchObject({
			model: "claude-sonnet-5-5",
			session: "agent-a-1",
			agentId: "agent_1",
			background: false,
		});
	});

	it("S-133 warnings come before the start", async () => {
		const run = schedulerRun(() => scriptModel([answer("ok")]));
		await createScheduler(run.options).runPlanned([{ assignment: assign(), warnings: ["skill text is 70 kB"] }]);
		expect(run.journal.entries.slice(0, 2).map((entry) => entry.type)).toEqual(["agent.warning", "agent.started"]);
	});

	it("S-158 the registry entry stays and equals the finished event", async () => {
		const run = schedulerRun(() => scriptModel([answer("ok")]));
		await createScheduler(run.options).runPlanned([
			{ assignment: assign(), name: "api-check", description: "check the API", callId: "call_9" },
		]);
		const [entry] = run.options.registry.list();
		const [event] = run.journal.of("agent.finished");
		expect(entry).toMatchObject({
			name: "api-check",
			description: "check the API",
			parentCall: "call_9",
			caller: null,
			status: "completed",
			runs: 1,
		});
		expect(event).toMatchObject({
			call: entry?.parentCall,
			agentId: entry?.agentId,
			session: entry?.session,
			status: entry?.status,
			report: entry?.report,
		});
		expect(run.options.registry.find("api-check")?.agentId).toBe("agent_1");
	});

	it("S-157 ids of an earlier run are not given again", () => {
		const registry = createRegistry();
		registry.skip({ agentIds: ["agent_1", "agent_4", "agent_2"], sessions: ["agent-a-1"] });
		expect(registry.identify(agentNamed("a"), { parent: null, parentCall: null, depth: 1 })).toMatchObject({
			agentId: "agent_5",
			session: "agent-a-2",
		});
	});
});

describe("children that a model asks for", () => {
	it("S-147 the third call above a limit of two is refused with the number, and starts nothing", async () => {
		const { model } = gauge(30);
		const run = schedulerRun(model, { maxConcurrent: 2 });
		const scheduler = createScheduler(run.options);
		const signal = new AbortController().signal;
		const started = planned("a", "b", "c").map((request) => scheduler.spawn(request, scheduler.main, { background: false, signal }));
		expect(started.map((each) => each.ok)).toEqual([true, true, false]);
		expect(started[2]).toMatchObject({ refusal: expect.stringMatching(/^2 agents are running.*Wait/) });
		await scheduler.settle();
		expect(run.options.registry.list()).toHaveLength(2);
		expect(run.store.journals.size).toBe(2);
		expect(run.journal.of("agent.started")).toHaveLength(2);
	});

	it("S-137 other refusals come before the one of the limit, and nothing starts", async () => {
		const run = schedulerRun(gauge(30).model, {
			maxConcurrent: 1,
			refuse: (request) => (request.name === "bad" ? "unknown skills: x" : undefined),
		});
		const scheduler = createScheduler(run.options);
		const signal = new AbortController().signal;
		scheduler.spawn({ assignment: assign() }, scheduler.main, { background: false, signal });
		expect(scheduler.spawn({ assignment: assign(), name: "bad" }, scheduler.main, { background: false, signal })).toEqual({
			ok: false,
			refusal: "unknown skills: x",
		});
		await scheduler.settle();
		expect(run.options.registry.list()).toHaveLength(1);
	});

	it("S-138 S-145 S-146 three calls of one turn run at the same time, each child knows its own call, results keep their order", async () => {
		const slow = (text: string, ms: number) =>
			scriptModel([
				async () => {
					await pause(ms);
					return answer(text);
				},
			]);
		const parent = scriptModel([
			asks(["x", "y", "z"].map((name) => ({ tool: "agent", id: `call-${name}`, input: { name } }))),
			answer("all read"),
		]);
		const { run, scheduler } = nestingRun({ parent, x: slow("from x", 60), y: slow("from y", 30), z: slow("from z", 1) });
		const [report] = await scheduler.runPlanned(planned("parent"));
		const finished = run.journal.of("agent.finished").map((event) => event.agent);
		expect(finished).toEqual(["z", "y", "x", "parent"]);
		expect(report).toMatchObject({ status: "completed", text: "all read" });
		const contents = parent.requests[1]?.messages
			.at(-1)
			?.content.map((block) => (block.type === "tool-result" ? block.content.split("\n")[0] : ""));
		expect(contents).toEqual(["from x", "from y", "from z"]);
		for (const name of ["x", "y", "z"]) {
			const journal = run.store.journals.get(`agent-${name}-1`);
			expect(journal?.of("session.started")[0]).toMatchObject({ parent: "agent-parent-1", parentCall: `call-${name}`, depth: 2 });
		}
	});

	it("S-129 S-140 S-141 S-144 a background child's caller gets the news and answers again; only that answer counts", async () => {
		const parent = scriptModel([
			asks([{ tool: "agent", input: { name: "helper", background: true } }]),
			answer("first answer"),
			answer("second answer"),
		]);
		const helper = scriptModel([
			async () => {
				await pause(60);
				return answer("the helper's result");
			},
		]);
		const { run, scheduler } = nestingRun({ parent, helper });
		const [report] = await scheduler.runPlanned(planned("parent"));
		expect(report?.text).toBe("second answer");
		const news = parent.requests[2]?.messages.at(-1);
		expect(JSON.stringify(news)).toContain("the helper's result");
		expect(JSON.stringify(news)).toContain("completed");
		const flagged = run.store.journals
			.get("agent-parent-1")
			?.of("message")
			.filter((entry) => entry.notification === true);
		expect(flagged).toHaveLength(1);
		await scheduler.settle();
	});

	it("S-131 a background child that outlives its caller's last turn still has its finished event", async () => {
		const run = schedulerRun(gauge(40).model);
		const scheduler = createScheduler(run.options);
		const [request] = planned("late");
		if (request === undefined) throw new Error("one wanted");
		scheduler.spawn(request, scheduler.main, { background: true, signal: AbortSignal.abort(new Error("the turn is over")) });
		expect(run.journal.of("agent.finished")).toHaveLength(0);
		await scheduler.settle();
		expect(run.journal.of("agent.finished")).toMatchObject([{ agentId: "agent_1", status: "completed" }]);
	});

	it("S-159 S-161 a message reaches a running child before its next step and continues a finished one", async () => {
		const child = scriptModel([
			async () => {
				await pause(40);
				return asks([{ tool: "read_file" }]);
			},
			answer("noted"),
			answer("continued"),
		]);
		const run = schedulerRun(() => child);
		const scheduler = createScheduler(run.options);
		const parts = { scheduler, options: run.options, isShell: (id: string) => id === "bash_1" };
		const reports = scheduler.runPlanned([{ assignment: assign(), name: "helper" }]);
		await until(() => child.requests.length === 1);
		expect(await sendMessage("helper", "look at b.ts too", scheduler.main, parts)).toMatchObject({
			content: expect.stringContaining("Queued"),
		});
		await reports;
		expect(JSON.stringify(child.requests[1]?.messages)).toContain("look at b.ts too");

		expect(await sendMessage("agent_1", "and c.ts?", scheduler.main, parts)).toMatchObject({
			content: expect.stringContaining("Resuming"),
		});
		await scheduler.settle();
		const resumed = child.requests[2]?.messages ?? [];
		expect(resumed[0]?.content[0]).toMatchObject({ text: "The change." });
		expect(JSON.stringify(resumed)).toContain("noted");
		expect(resumed.at(-1)?.content[0]).toMatchObject({ text: "and c.ts?" });
		const journal = run.store.journals.get("agent-api-1");
		expect(journal?.of("run.started").map((entry) => entry.run)).toEqual([1, 2]);
		expect(journal?.of("session.started")).toHaveLength(1);
		expect(journal?.of("end")).toHaveLength(2);
		expect(run.options.registry.find("agent_1")?.runs).toBe(2);
		expect(scheduler.main.inbox.take()).toMatchObject([{ notification: true, text: expect.stringContaining("continued") }]);
		expect(run.journal.of("agent.started").at(-1)).toMatchObject({ resumed: true, background: true });
	});

	it("S-160 S-165 R12 what cannot be continued says why", async () => {
		const run = schedulerRun((agent) => scriptModel([agent === "refused" ? reply("refusal", []) : answer("ok")]));
		const scheduler = createScheduler(run.options);
		const parts = { scheduler, options: run.options, isShell: (id: string) => id === "bash_1" };
		await scheduler.runPlanned([
			{ assignment: assign({ agent: agentNamed("once", { oneShot: true }) }), name: "once" },
			...planned("refused"),
		]);
		expect((await sendMessage("nobody", "x", scheduler.main, parts)).content).toContain("There is no agent nobody");
		expect((await sendMessage("once", "x", scheduler.main, parts)).content).toContain("answers once");
		expect((await sendMessage("bash_1", "x", scheduler.main, parts)).content).toContain("bash_output");
		expect((await sendMessage("agent_2", "x", scheduler.main, parts)).content).toContain("not reviewed");
		expect(run.journal.of("agent.started")).toHaveLength(2);
	});
});

describe("cancel", () => {
	it("S-169 S-170 S-171 cancelling the run reaches every child, also a grandchild's pending tool; ends come inside out", async () => {
		let toolAborted = false;
		const stuck = toolNamed(
			"read_file",
			(_input, signal) =>
				new Promise((resolve) => {
					signal.addEventListener("abort", () => {
						toolAborted = true;
						resolve({ content: "" });
					});
				}),
		);
		const ends: string[] = [];
		const models: Record<string, ModelClient> = {
			parent: scriptModel([asks([{ tool: "agent", input: { name: "child", background: true } }]), hangs]),
			child: scriptModel([asks([{ tool: "read_file" }])]),
			other: scriptModel([hangs]),
		};
		const run = schedulerRun((agent) => models[agent] ?? scriptModel([]));
		const scheduler: Scheduler = createScheduler({
			...run.options,
			journals: {
				folder: "memory",
				open(session) {
					const journal = run.store.open(session);
					return {
						...journal,
						async append(event) {
							const entry = await journal.append(event);
							if (event.type === "end") ends.push(session);
							return entry;
						},
					};
				},
			},
			async open(request, identity, self) {
				const resources = await run.options.open(request, identity, self);
				return { ...resources, tools: { ...resources.tools, tools: [stuck, agentTool(() => scheduler, self)] } };
			},
		});
		const reports = scheduler.runPlanned(planned("parent", "other"));
		await until(() => run.store.journals.get("agent-child-1")?.of("tool.call").length === 1);
		const startedAt = Date.now();
		run.stop.abort(new Error("SIGTERM"));
		expect((await reports).map((report) => report.status)).toEqual(["cancelled", "cancelled"]);
		await scheduler.settle();
		expect(Date.now() - startedAt).toBeLessThan(5_000);
		expect(toolAborted).toBe(true);
		expect(ends).toHaveLength(3);
		expect(ends.indexOf("agent-child-1")).toBeLessThan(ends.indexOf("agent-parent-1"));
		for (const journal of run.store.journals.values()) expect(journal.of("end")).toMatchObject([{ status: "cancelled" }]);
	});

	it("S-172 a call that is cut off cancels its child, which still ends in order, and nobody else", async () => {
		const run = schedulerRun((agent) =>
			scriptModel([
				agent === "cut"
					? hangs
					: async () => {
							await pause(60);
							return answer("ok");
						},
			]),
		);
		const scheduler = createScheduler(run.options);
		const call = new AbortController();
		const cut = scheduler.spawn({ assignment: assign({ agent: agentNamed("cut") }) }, scheduler.main, {
			background: false,
			signal: call.signal,
		});
		const other = scheduler.spawn({ assignment: assign({ agent: agentNamed("other") }) }, scheduler.main, {
			background: true,
			signal: call.signal,
		});
		await pause(20);
		call.abort(new Error("caller was stopped"));
		if (!cut.ok || !other.ok) throw new Error("refused");
		expect(await cut.report).toMatchObject({ status: "cancelled" });
		expect(run.store.journals.get("agent-cut-1")?.of("end")).toHaveLength(1);
		expect(await other.report).toMatchObject({ status: "completed" });
	});

	it("S-173 the result of a cancelled child is an error that names the id and keeps the usage", async () => {
		const run = schedulerRun(() => scriptModel([asks([{ tool: "read_file" }]), hangs]));
		const scheduler = createScheduler(run.options);
		const reports = scheduler.runPlanned(planned("api"));
		await until(() => run.journal.of("child_debit").length === 1);
		scheduler.cancel("superseded");
		const [report] = await reports;
		if (report === undefined) throw new Error("no report");
		const result = renderAgentResult(report, { agentId: "agent_1", oneShot: false });
		expect(result.isError).toBe(true);
		expect(result.content).toContain("agent_1");
		expect(result.content).toContain("total_tokens: 110");
		expect(report.usage).toEqual(USAGE);
		expect(report.usage).not.toEqual(NO_USAGE);
	});

	it("S-105 the usage block has its three numbers in the fixed order", async () => {
		const run = schedulerRun(() => scriptModel([asks([{ tool: "read_file" }]), answer("ok")]));
		const [report] = await createScheduler(run.options).runPlanned(planned("api"));
		if (report === undefined) throw new Error("no report");
		const { content } = renderAgentResult(report, { agentId: "agent_1", oneShot: false });
		expect(content).toMatch(/subagent_tokens: 110\ntool_uses: 1\nduration_ms: \d+\ntotal_tokens: 220/);
		expect(content).toContain("agent: agent_1");
		expect(renderAgentResult(report, { agentId: "agent_1", oneShot: true }).content).not.toContain("agent_1");
	});
});

it("S-011 only the engine asks a model: no other folder calls one for a child", async () => {
	const source = path.join(import.meta.dirname, "../../src");
	const callers = new Set<string>();
	for (const entry of await readdir(source, { recursive: true })) {
		if (!entry.endsWith(".ts") || /^(?:adapters|demo)\//.test(entry)) continue;
		if (/\.complete\(/.test(await readFile(path.join(source, entry), "utf8"))) callers.add(entry);
	}
	expect([...callers]).toEqual(["engine/spend.ts"]);
});
