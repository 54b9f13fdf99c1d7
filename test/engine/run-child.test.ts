import { describe, expect, it } from "vitest";
import { runChild } from "../../src/engine/run-child.ts";
import { addUsage, NO_USAGE, totalTokens } from "../../src/domain/usage.ts";
import { agentNamed, assign, BASE, environmentFor, HEAD, readTool, reportTool, toolNamed } from "./engine-parts.ts";
import { answer, asks, failed, hangs, scriptModel, USAGE } from "./scripted-model.ts";

describe("the loop", () => {
	it("S-076 goes on while there are tool calls, and the last text is the report", async () => {
		const model = scriptModel([
			asks([{ tool: "read_file", input: { path: "src/a.ts" } }]),
			asks([{ tool: "read_file", input: { path: "src/b.ts" } }]),
			answer("All fine."),
		]);
		const report = await runChild(assign(), environmentFor(model));
		expect(model.requests).toHaveLength(3);
		expect(report).toMatchObject({ status: "completed", stopReason: "done", text: "All fine.", steps: 3, toolUses: 2 });
		expect(report.filesRead).toEqual(["src/a.ts", "src/b.ts"]);
		expect(model.requests[2]?.messages.map((message) => message.role)).toEqual(["user", "assistant", "user", "assistant", "user"]);
	});

	it("ends with submit_report, and a report that is refused by its tool is not one", async () => {
		const model = scriptModel([
			asks([{ tool: "submit_report", input: {} }]),
			asks([{ tool: "submit_report", input: { summary: "One bug.", findings: [], open: ["load test"] } }]),
		]);
		const report = await runChild(assign(), environmentFor(model, { toolList: [reportTool] }));
		expect(report).toMatchObject({ status: "completed", report: { summary: "One bug.", open: ["load test"] } });
	});

	it("asks once for submit_report, then takes the text for what it is", async () => {
		const model = scriptModel([answer("I found a bug in a.ts."), answer("Done.")]);
		const report = await runChild(assign(), environmentFor(model, { toolList: [reportTool] }));
		expect(model.requests).toHaveLength(2);
		expect(report.status).toBe("completed");
		expect(report.report.summary).toBe("I found a bug in a.ts.");
		expect(report.report.open).toHaveLength(1);

		const parsed = { summary: "parsed", findings: [], open: [] };
		const second = scriptModel([answer("one"), answer("{two}")]);
		const environment = environmentFor(second, {
			toolList: [reportTool],
			parseReportText: (text) => (text === "{two}" ? parsed : undefined),
		});
		expect((await runChild(assign(), environment)).report).toEqual(parsed);
	});

	it("S-058 the first request has exactly one user message with pack, role, task, files and commits", async () => {
		const model = scriptModel([answer("ok")]);
		await runChild(assign({ task: "Look for races." }), environmentFor(model));
		const messages = model.requests[0]?.messages ?? [];
		expect(messages).toHaveLength(1);
		expect(messages[0]?.role).toBe("user");
		const text = JSON.stringify(messages[0]);
		for (const part of ["The change.", "You are the api reviewer.", "Look for races.", "src/a.ts", BASE, HEAD])
			expect(text).toContain(part);
	});

	it("S-060 nothing of the parent is in the child's first request", async () => {
		const parent = scriptModel([
			asks([{ tool: "explore", input: { task: "Find callers." } }], { text: "PARENT-SECRET-THOUGHT" }),
			answer("done"),
		]);
		const child = scriptModel([answer("two callers")]);
		const explore = toolNamed(
			"explore",
			async (input) => {
				const report = await runChild(
					assign({ task: String(input["task"]), agent: agentNamed("explore", { kind: "explore" }) }),
					environmentFor(child, { session: "explore-1", agentId: "agent_2" }),
				);
				return { content: report.text };
			},
			{ effect: "delegate" },
		);
		await runChild(assign({ task: "PARENT-TASK" }), environmentFor(parent, { toolList: [explore] }));
		const first = JSON.stringify(child.requests[0]);
		expect(first).toContain("Find callers.");
		expect(first).not.toContain("PARENT-");
		expect(JSON.stringify(parent.requests[1])).toContain("two callers");
	});

	it("S-009 of a child that read ten files the parent sees one result, short and without the files' text", async () => {
		const reading = toolNamed("read_file", (input) => ({ content: `FILE-TEXT of ${String(input["path"])}\n`.repeat(200) }));
		const child = scriptModel([
			asks(Array.from({ length: 10 }, (_, n) => ({ tool: "read_file", input: { path: `f${n}` } }))),
			answer("Two problems."),
		]);
		const parent = scriptModel([asks([{ tool: "explore" }]), answer("end")]);
		const explore = toolNamed(
			"explore",
			async () => ({ content: (await runChild(assign(), environmentFor(child, { toolList: [reading] }))).text }),
			{ effect: "delegate" },
		);
		const environment = environmentFor(parent, { toolList: [explore] });
		await runChild(assign(), environment);
		expect(JSON.stringify(child.requests[1])).toContain("FILE-TEXT");
		const messages = parent.requests[1]?.messages ?? [];
		const results = messages.flatMap((message) => message.content).filter((block) => block.type === "tool-result");
		expect(results).toMatchObject([{ content: "Two problems." }]);
		expect(JSON.stringify(environment.journal.entries)).not.toContain("FILE-TEXT");
	});

	it("S-063 the agent's body takes the persona's place", async () => {
		const persona = "You are the ORCHESTRATOR-PERSONA.";
		const child = scriptModel([answer("ok")]);
		const parent = scriptModel([asks([{ tool: "agent", input: {} }]), answer("end")]);
		const agent = toolNamed("agent", async () => ({ content: (await runChild(assign(), environmentFor(child))).text }), {
			effect: "delegate",
		});
		await runChild(
			assign({ agent: agentNamed("main", { kind: "orchestrator", prompt: persona }) }),
			environmentFor(parent, { toolList: [agent] }),
		);
		expect(JSON.stringify(parent.requests[0])).toContain("ORCHESTRATOR-PERSONA");
		expect(JSON.stringify(child.requests[0])).not.toContain("ORCHESTRATOR-PERSONA");
		expect(JSON.stringify(child.requests[0])).toContain("You are the api reviewer.");
	});

	it("S-019 a tool that is not there is an error result that names the others, and the child goes on", async () => {
		const model = scriptModel([asks([{ tool: "agent", input: {} }]), answer("went on")]);
		const environment = environmentFor(model);
		const report = await runChild(assign(), environment);
		expect(report).toMatchObject({ status: "completed", text: "went on" });
		const result = model.requests[1]?.messages.at(-1)?.content[0];
		expect(result).toMatchObject({ type: "tool-result", isError: true, content: expect.stringContaining("read_file") });
		expect(environment.journal.of("permission.denied")).toHaveLength(1);
		expect(report.refused).toHaveLength(1);
	});

	it("S-034 progress names the step, the tool and its argument", async () => {
		const lines: string[] = [];
		const model = scriptModel([asks([{ tool: "read_file", input: { path: "src/a.ts" } }]), answer("ok")]);
		const environment = environmentFor(model, {
			events: (event) => lines.push(event.kind === "step" ? `step ${event.step}` : `step ${event.step} · ${event.tool} ${event.argument}`),
		});
		await runChild(assign(), environment);
		expect(lines).toEqual(["step 1", "step 1 · read_file src/a.ts", "step 2"]);
	});
});

describe("how a run ends", () => {
	it("S-167 never throws: a throwing model, a throwing tool and a broken journal are outcomes", async () => {
		const throwing = scriptModel([
			() => {
				throw new Error("socket gone");
			},
		]);
		expect(await runChild(assign(), environmentFor(throwing))).toMatchObject({
			status: "failed",
			stopReason: "error",
			error: expect.stringContaining("socket gone"),
		});

		const bad = toolNamed("read_file", () => {
			throw new Error("disk");
		});
		const model = scriptModel([asks([{ tool: "read_file" }]), answer("after")]);
		expect(await runChild(assign(), environmentFor(model, { toolList: [bad] }))).toMatchObject({ status: "completed", text: "after" });

		const environment = environmentFor(scriptModel([answer("x")]));
		environment.journal.append = () => Promise.reject(new Error("no space left"));
		expect(await runChild(assign(), environment)).toMatchObject({ status: "failed", error: expect.stringContaining("E_AUDIT") });
	});

	it("S-098 an error at step 2 keeps step 1's tokens", async () => {
		const model = scriptModel([asks([{ tool: "read_file" }], { text: "looking" }), failed("server", "500")]);
		const report = await runChild(assign(), environmentFor(model));
		expect(report).toMatchObject({ status: "failed", stopReason: "error", error: "server: 500", usage: USAGE, steps: 1 });
		expect(report.text).toContain("looking");
	});

	it("S-096 the report has session, model, steps, stop reason, usage and cost", async () => {
		const model = scriptModel([asks([{ tool: "read_file" }]), answer("ok")]);
		const report = await runChild(assign(), environmentFor(model));
		expect(report).toMatchObject({
			session: "agent-api-1",
			model: "claude-sonnet-5-5",
			steps: 2,
			stopReason: "done",
			usage: addUsage(USAGE, USAGE),
			reason: "owns src",
			files: ["src/a.ts"],
			journal: "memory.jsonl",
		});
		expect(report.costUsd).toBeCloseTo((200 * 2 + 20 * 10) / 1e6, 12);
	});

	it("S-105 the last call's context and the running total are two numbers", async () => {
		const usage = (input: number) => ({ ...NO_USAGE, input, output: 10 });
		const model = scriptModel([
			asks([{ tool: "read_file", input: { path: "1" } }], { usage: usage(100) }),
			asks(
				[
					{ tool: "read_file", input: { path: "2" } },
					{ tool: "read_file", input: { path: "3" } },
				],
				{ usage: usage(200) },
			),
			answer("ok", usage(300)),
		]);
		const report = await runChild(assign(), environmentFor(model));
		expect(report.contextTokens).toBe(310);
		expect(totalTokens(report.usage)).toBe(630);
		expect(report.toolUses).toBe(3);
	});

	it("S-106 a model without a price has no cost, and the run does not fail", async () => {
		const model = scriptModel([{ ...answer("ok"), model: "house-model" }]);
		expect(await runChild(assign(), environmentFor(model, { modelId: "house-model" }))).toMatchObject({
			status: "completed",
			costUsd: null,
		});
	});

	it("S-132 the report names the model that really answered", async () => {
		const model = scriptModel([{ ...answer("ok"), model: "claude-haiku-5-5" }]);
		expect((await runChild(assign(), environmentFor(model))).model).toBe("claude-haiku-5-5");
	});

	it("S-091 each outcome has one end record whose steps are the assistant messages", async () => {
		const stop = new AbortController();
		const cancelled = environmentFor(
			scriptModel([
				asks([{ tool: "read_file" }]),
				(request, signal) => {
					stop.abort(new Error("stop"));
					return hangs(request, signal);
				},
			]),
			{ signal: stop.signal },
		);
		const cases = [
			{ want: "done", environment: environmentFor(scriptModel([asks([{ tool: "read_file" }]), answer("ok")])), limits: {} },
			{
				want: "wrap_up",
				environment: environmentFor(scriptModel([asks([{ tool: "read_file" }]), answer("so far")])),
				limits: { maxSteps: 1 },
			},
			{ want: "no_wrap_up", environment: environmentFor(scriptModel([])), limits: { tokenBudget: 10 } },
			{ want: "error", environment: environmentFor(scriptModel([asks([{ tool: "read_file" }]), failed("server", "x")])), limits: {} },
			{ want: "cancelled", environment: cancelled, limits: {} },
		];
		for (const { want, environment, limits } of cases) {
			await runChild(assign({ limits }), environment);
			const ends = environment.journal.of("end");
			expect(ends, want).toHaveLength(1);
			expect(ends[0]?.stopReason).toBe(want);
			expect(ends[0]?.steps, want).toBe(environment.journal.of("message").filter((entry) => entry.role === "assistant").length);
			expect(environment.journal.entries.at(-1)?.type).toBe("end");
		}
	});

	it("S-173 a cancelled child is an error that names its id, and its usage is kept", async () => {
		const stop = new AbortController();
		const model = scriptModel([
			asks([{ tool: "read_file" }]),
			(request, signal) => {
				stop.abort(new Error("superseded head"));
				return hangs(request, signal);
			},
		]);
		const report = await runChild(assign(), environmentFor(model, { signal: stop.signal }));
		expect(report).toMatchObject({ status: "cancelled", stopReason: "cancelled", usage: USAGE });
		expect(report.error).toContain("agent_1");
		expect(report.error).toContain("superseded head");
		expect(report.text).toContain("agent_1");
	});

	it("S-011 a primary and every kind of child leave the same start and end records", async () => {
		for (const kind of ["orchestrator", "specialist", "reviewer", "explore", "verifier"] as const) {
			const environment = environmentFor(scriptModel([answer("ok")]), { depth: kind === "orchestrator" ? 0 : 1 });
			await runChild(assign({ agent: agentNamed("x", { kind }) }), environment);
			const types = environment.journal.entries.map((entry) => entry.type);
			expect(types.slice(0, 3), kind).toEqual(["session.started", "run.started", "message"]);
			expect(types.at(-1), kind).toBe("end");
		}
	});

	it("does not start when it is cancelled before its first step", async () => {
		const model = scriptModel([answer("never")]);
		const report = await runChild(assign(), environmentFor(model, { signal: AbortSignal.abort(new Error("gone")), toolList: [readTool] }));
		expect(report.status).toBe("cancelled");
		expect(model.requests).toHaveLength(0);
	});
});
