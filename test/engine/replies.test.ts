import { describe, expect, it } from "vitest";
import type { ModelFailure } from "../../src/domain/model-message.ts";
import { runChild } from "../../src/engine/run-child.ts";
import { assign, environmentFor, reportTool, toolNamed } from "./engine-parts.ts";
import { answer, asks, failed, reply, scriptModel, USAGE } from "./scripted-model.ts";

function countingTool(name = "bash") {
	const inputs: unknown[] = [];
	const tool = toolNamed(
		name,
		(input) => {
			inputs.push(input);
			return { content: "ran" };
		},
		{ effect: "execute" },
	);
	return { tool, inputs };
}

describe("what a reply's stop reason means", () => {
	it("R09 a call whose input is not valid JSON is not run; after two tries the child is incomplete", async () => {
		const { tool, inputs } = countingTool();
		const cut = asks([{ tool: "bash", input: { command: "rm -rf x" }, invalidInput: "unexpected end" }], { text: "trying" });
		const model = scriptModel([cut, cut, answer("never asked")]);
		const report = await runChild(assign(), environmentFor(model, { toolList: [tool] }));
		expect(inputs).toEqual([]);
		expect(model.requests).toHaveLength(2);
		expect(model.requests[1]?.messages.at(-1)?.content[0]).toMatchObject({
			isError: true,
			content: expect.stringContaining("not valid JSON"),
		});
		expect(report).toMatchObject({ status: "partial", stopReason: "error", error: expect.stringContaining("incomplete") });

		const healed = scriptModel([cut, asks([{ tool: "bash", input: { command: "ls" } }]), answer("fine")]);
		expect(await runChild(assign(), environmentFor(healed, { toolList: [tool] }))).toMatchObject({ status: "completed", text: "fine" });
		expect(inputs).toEqual([{ command: "ls" }]);
	});

	it("R10 a call cut off at the length limit is not run and is asked for again with more room", async () => {
		const { tool, inputs } = countingTool();
		const cut = asks([{ tool: "bash", input: {} }], { stop: "max-tokens" });
		const model = scriptModel([cut, asks([{ tool: "bash", input: { command: "ls" } }]), answer("fine")]);
		const report = await runChild(assign(), environmentFor(model, { toolList: [tool] }));
		expect(report.status).toBe("completed");
		expect(inputs).toEqual([{ command: "ls" }]);
		const [first, second, third] = model.requests.map((request) => request.maxTokens);
		expect(second).toBeGreaterThan(first ?? 0);
		expect(third).toBe(first);
		expect(model.requests[1]?.messages.at(-1)?.content[0]).toMatchObject({
			type: "tool-result",
			isError: true,
			content: expect.stringContaining("smaller"),
		});
	});

	it("BR-73 max_tokens with half a report call: nothing is run, one retry, then incomplete", async () => {
		const cut = asks([{ tool: "submit_report", input: {} }], { stop: "max-tokens", text: "Reporting." });
		const model = scriptModel([cut, cut, answer("never asked")]);
		const environment = environmentFor(model, { toolList: [reportTool] });
		const report = await runChild(assign(), environment);
		expect(model.requests).toHaveLength(2);
		expect(report).toMatchObject({ status: "partial", stopReason: "error" });
		expect(report.error).toContain("cut off");
		expect(report.report.findings).toEqual([]);
	});

	it("R11 a cut answer is continued once and joined; still cut, it is incomplete", async () => {
		const half = reply("max-tokens", [{ type: "text", text: "The first half, " }]);
		const model = scriptModel([half, answer("the second half.")]);
		const report = await runChild(assign(), environmentFor(model));
		expect(report).toMatchObject({ status: "completed", text: "The first half, the second half." });

		const stillCut = scriptModel([half, half, answer("never asked")]);
		const second = await runChild(assign(), environmentFor(stillCut));
		expect(stillCut.requests).toHaveLength(2);
		expect(second).toMatchObject({ status: "partial", error: expect.stringContaining("incomplete") });
		expect(second.text).toContain("The first half");
	});

	it("R12 a refusal ends the child as not reviewed; it is never completed and the history is not sent again", async () => {
		const model = scriptModel([asks([{ tool: "bash", input: { command: "ls" } }]), reply("refusal", []), answer("never asked")]);
		const report = await runChild(assign(), environmentFor(model, { toolList: [countingTool().tool] }));
		expect(model.requests).toHaveLength(2);
		expect(report).toMatchObject({ status: "failed", stopReason: "error", error: expect.stringContaining("not reviewed") });
		expect(report.usage.input).toBe(USAGE.input * 2);
	});

	it("R13 a paused turn goes on with its content sent back, at most five times", async () => {
		const opaque = { type: "opaque" as const, raw: { type: "server_tool_use", id: "s1" } };
		const pause = reply("pause-turn", [opaque, { type: "text", text: "searching" }]);
		const model = scriptModel([pause, answer("found")]);
		expect(await runChild(assign(), environmentFor(model))).toMatchObject({ status: "completed", text: "found" });
		expect(model.requests[1]?.messages.at(-1)).toEqual({ role: "assistant", content: [opaque, { type: "text", text: "searching" }] });

		const forEver = scriptModel([pause], { repeatLast: true });
		const report = await runChild(assign(), environmentFor(forEver));
		expect(forEver.requests).toHaveLength(6);
		expect(report).toMatchObject({ status: "partial", error: expect.stringContaining("paused") });
	});

	it("R14 an unknown stop reason and a full context window are never success", async () => {
		const unknown = scriptModel([reply("unknown", [{ type: "text", text: "looks like an answer" }])]);
		expect((await runChild(assign(), environmentFor(unknown))).status).toBe("failed");
		const window = scriptModel([reply("context-window", [{ type: "text", text: "looks like an answer" }])]);
		const report = await runChild(assign(), environmentFor(window));
		expect(report).toMatchObject({ status: "partial", stopReason: "context_overflow" });
	});

	it("BR-76 credit, authentication and permission are told to the run at once, once, with a clear line", async () => {
		for (const kind of ["credit", "authentication", "permission"] as const) {
			const told: ModelFailure[] = [];
			const model = scriptModel([failed(kind, "Your credit balance is too low."), answer("never asked")]);
			const report = await runChild(assign(), environmentFor(model, { onFatal: (failure) => told.push(failure) }));
			expect(model.requests).toHaveLength(1);
			expect(told).toHaveLength(1);
			expect(report).toMatchObject({ status: "failed", error: `${kind}: Your credit balance is too low.` });
		}
		for (const kind of ["rate-limited", "overloaded", "not-found", "invalid-request"] as const) {
			const told: ModelFailure[] = [];
			const report = await runChild(
				assign(),
				environmentFor(scriptModel([failed(kind, "no")]), { onFatal: (failure) => told.push(failure) }),
			);
			expect(told).toEqual([]);
			expect(report).toMatchObject({ status: "failed", error: `${kind}: no` });
		}
	});

	it("R02 a wait beyond our deadline is a partial result that names it", async () => {
		const model = scriptModel([asks([{ tool: "read_file" }], { text: "so far" }), failed("deadline", "rate limited for 3600 s")]);
		const report = await runChild(assign(), environmentFor(model, { outputTokens: { wrapUp: 1 } }));
		expect(report).toMatchObject({ status: "partial", stopReason: "timeout" });
		expect(report.text).toContain("rate limited");
	});

	it("a failed call is charged like any other", async () => {
		const usage = { input: 50, cacheWrite: 0, cacheRead: 0, output: 5 };
		const environment = environmentFor(scriptModel([failed("overloaded", "busy", usage)]));
		const report = await runChild(assign(), environment);
		expect(report.usage).toEqual(usage);
		expect(environment.budget.state().committed.tokens).toBe(55);
		expect(environment.runJournal.of("child_debit")).toHaveLength(1);
	});

	it("tool calls that come with the end of a turn are answered and not run", async () => {
		const { tool, inputs } = countingTool();
		const model = scriptModel([asks([{ tool: "bash" }], { stop: "end-turn" }), answer("ok")]);
		expect(await runChild(assign(), environmentFor(model, { toolList: [tool] }))).toMatchObject({ status: "completed", text: "ok" });
		expect(inputs).toEqual([]);
		expect(model.requests[1]?.messages.at(-1)?.content[0]).toMatchObject({ type: "tool-result", isError: true });
	});

	it("BR-69 blank text does not go into the history, and an empty result is said in words", async () => {
		const silent = toolNamed("read_file", () => ({ content: "  " }));
		const asked = asks([{ tool: "read_file" }], { text: " " });
		const model = scriptModel([asked, answer("ok")]);
		await runChild(assign(), environmentFor(model, { toolList: [silent] }));
		expect(model.requests[1]?.messages[1]?.content.map((block) => block.type)).toEqual(["tool-use"]);
		expect(model.requests[1]?.messages[2]?.content[0]).toMatchObject({ content: "(no output)" });
	});
});
