import { describe, expect, it } from "vitest";
import type { ToolResultBlock } from "../../src/domain/model-message.ts";
import type { GatedCall } from "../../src/engine/child-environment.ts";
import { runChild } from "../../src/engine/run-child.ts";
import { assign, environmentFor, readTool, toolNamed } from "./engine-parts.ts";
import type { ScriptedModel } from "./scripted-model.ts";
import { answer, asks, scriptModel } from "./scripted-model.ts";

function results(model: ScriptedModel, request = 1): ToolResultBlock[] {
	return (model.requests[request]?.messages.at(-1)?.content ?? []).filter(
		(block): block is ToolResultBlock => block.type === "tool-result",
	);
}

describe("tool calls", () => {
	it("S-095 a tool over its time is stopped, the child sees an error result and goes on", async () => {
		let aborted = false;
		const slow = toolNamed(
			"bash",
			(_input, signal) =>
				new Promise((resolve) => {
					signal.addEventListener("abort", () => {
						aborted = true;
						resolve({ content: "half the output" });
					});
				}),
			{ effect: "execute", timeoutMs: 100 },
		);
		const model = scriptModel([asks([{ tool: "bash", input: { command: "sleep 999" } }]), answer("went on")]);
		const report = await runChild(assign(), environmentFor(model, { toolList: [slow] }));
		expect(aborted).toBe(true);
		expect(results(model)[0]).toMatchObject({
			isError: true,
			content: expect.stringMatching(/timed out after 0\.1 s[\s\S]*half the output/),
		});
		expect(report).toMatchObject({ status: "completed", text: "went on" });
	});

	it("A100 twenty calls, one denied, total over budget: each is checked on its own and the budget stops the rest", async () => {
		const asked: GatedCall[] = [];
		const ran: number[] = [];
		const bash = toolNamed(
			"bash",
			(input) => {
				ran.push(Number(input["n"]));
				return { content: "x".repeat(6_000) };
			},
			{ effect: "execute" },
		);
		const calls = Array.from({ length: 20 }, (_, n) => ({ tool: "bash", input: { n } }));
		const model = scriptModel([asks(calls), answer("closing")]);
		const environment = environmentFor(model, {
			toolList: [bash],
			gate: async (call) => {
				asked.push(call);
				const denied = (call.input as { n: number }).n === 3;
				return denied ? { allow: false, code: "E_POLICY", by: "denyCommands", reason: "git push is not allowed" } : { allow: true };
			},
		});
		const report = await runChild(assign({ limits: { tokenBudget: 25_000 } }), environment);
		expect(ran).not.toContain(3);
		expect(ran.length).toBeGreaterThan(2);
		expect(ran.length).toBeLessThan(19);
		expect(asked.map((call) => (call.input as { n: number }).n).filter((n) => n !== 3)).toEqual(ran);
		const denials = environment.journal.of("permission.denied");
		expect(denials).toMatchObject([{ code: "E_POLICY", by: "denyCommands" }]);
		const answers = environment.journal.of("tool.result");
		expect(answers).toHaveLength(20);
		expect(answers.filter((entry) => entry.code === "E_LIMIT").length).toBe(20 - ran.length - 1);
		expect(report.refused.map((refusal) => refusal.code)).toContain("E_POLICY");
	});

	it("a gate that throws denies", async () => {
		let ran = false;
		const tool = toolNamed("bash", () => {
			ran = true;
			return { content: "" };
		});
		const model = scriptModel([asks([{ tool: "bash" }]), answer("ok")]);
		await runChild(assign(), environmentFor(model, { toolList: [tool], gate: () => Promise.reject(new Error("policy file gone")) }));
		expect(ran).toBe(false);
		expect(results(model)[0]?.isError).toBe(true);
	});

	it("reads of one step run at the same time, other calls one after the other; results keep the order of the calls", async () => {
		for (const [effect, peakWanted] of [
			["read", 3],
			["execute", 1],
		] as const) {
			let active = 0;
			let peak = 0;
			const tool = toolNamed(
				"work",
				async (input) => {
					active += 1;
					peak = Math.max(peak, active);
					await new Promise((resolve) => setTimeout(resolve, 60 - 20 * Number(input["n"])));
					active -= 1;
					return { content: `result ${String(input["n"])}` };
				},
				{ effect },
			);
			const model = scriptModel([asks([0, 1, 2].map((n) => ({ tool: "work", input: { n } }))), answer("ok")]);
			await runChild(assign(), environmentFor(model, { toolList: [tool] }));
			expect(peak, effect).toBe(peakWanted);
			expect(results(model).map((block) => block.content)).toEqual(["result 0", "result 1", "result 2"]);
		}
	});

	it("S-134 a secret in a tool's output never reaches the model", async () => {
		const tool = toolNamed("read_file", () => ({ content: "key=canary-1234 end" }));
		const model = scriptModel([asks([{ tool: "read_file" }]), answer("ok")]);
		await runChild(assign(), environmentFor(model, { toolList: [tool], redact: (text) => text.replaceAll("canary-1234", "[REDACTED]") }));
		expect(results(model)[0]?.content).toBe("key=[REDACTED] end");
		expect(JSON.stringify(model.requests)).not.toContain("canary-1234");
	});

	it("cuts a long result and says so, and answers input that does not fit", async () => {
		const long = toolNamed("read_file", () => ({ content: "a".repeat(5_000) }));
		const model = scriptModel([asks([{ tool: "read_file" }, { tool: "read_file", input: [] }]), answer("ok")]);
		await runChild(assign(), environmentFor(model, { toolList: [long], toolResultChars: 1_000 }));
		const [cut, wrong] = results(model);
		expect(cut?.content).toContain("[cut: 1000 of 5000 characters shown");
		expect(wrong).toMatchObject({ isError: true, content: expect.stringContaining("must be an object") });
	});

	it("S-146 each call knows its own id", async () => {
		const seen: (string | undefined)[] = [];
		const tool = toolNamed("agent", (_input, _signal, call) => {
			seen.push(call?.id);
			return { content: "ok" };
		});
		const model = scriptModel([
			asks([
				{ tool: "agent", id: "c1" },
				{ tool: "agent", id: "c2" },
			]),
			answer("ok"),
		]);
		await runChild(assign(), environmentFor(model, { toolList: [tool, readTool] }));
		expect(seen.sort()).toEqual(["c1", "c2"]);
	});
});
