import { describe, expect, it } from "vitest";
import { callFits } from "../../src/domain/budget.ts";
import { addUsage, NO_USAGE, totalTokens } from "../../src/domain/usage.ts";
import { createRunBudget } from "../../src/engine/run-budget.ts";
import { runChild } from "../../src/engine/run-child.ts";
import { assign, environmentFor, toolNamed } from "./engine-parts.ts";
import type { USAGE } from "./scripted-model.ts";
import { answer, asks, failed, hangs, scriptModel } from "./scripted-model.ts";

/** A child that reads another file for ever. */
function endless(text?: string) {
	let number = 0;
	return () => {
		number += 1;
		return asks([{ tool: "read_file", input: { path: `f${number}` } }], text === undefined ? {} : { text: `${text} ${number}` });
	};
}

const never = () => new Promise<never>(() => undefined);

describe("limits", () => {
	it("S-077 the default of 20 steps is where a child without an end stops", async () => {
		const model = scriptModel([endless()], { repeatLast: true });
		const environment = environmentFor(model);
		const report = await runChild(assign(), environment);
		expect(report).toMatchObject({ status: "partial", stopReason: "max_steps", steps: 20 });
		expect(environment.journal.of("model.call").filter((call) => call.purpose === "step")).toHaveLength(20);
	});

	it("S-078 stops before the request that would pass the token budget", async () => {
		const usage = { ...NO_USAGE, input: 9_000, output: 1_000 };
		let number = 0;
		const model = scriptModel(
			[
				(request) => {
					number += 1;
					expect(request.maxTokens).toBeGreaterThan(0);
					return asks([{ tool: "read_file", input: { path: String(number) } }], { usage });
				},
			],
			{ repeatLast: true },
		);
		const report = await runChild(assign({ limits: { tokenBudget: 50_000 } }), environmentFor(model));
		expect(report).toMatchObject({ status: "partial", stopReason: "token_budget" });
		expect(totalTokens(report.usage)).toBeLessThanOrEqual(50_000);
		expect(report.steps).toBeGreaterThan(1);
	});

	it("S-079 a model that hangs is cut off at the time limit, also when it does not listen", async () => {
		for (const step of [hangs, never]) {
			const model = scriptModel([asks([{ tool: "read_file" }], { text: "first look" }), step]);
			const startedAt = Date.now();
			const report = await runChild(assign({ limits: { timeoutMs: 400 } }), environmentFor(model));
			expect(Date.now() - startedAt).toBeGreaterThanOrEqual(380);
			expect(Date.now() - startedAt).toBeLessThan(1_400);
			expect(report).toMatchObject({ status: "partial", stopReason: "timeout" });
			expect(report.text).toContain("first look");
		}
	});

	it("an abandoned call keeps its reservation in the run's budget, since nobody can say what it has cost", async () => {
		const environment = environmentFor(scriptModel([never]));
		const report = await runChild(assign({ limits: { timeoutMs: 100 } }), environment);
		expect(totalTokens(report.usage)).toBe(0);
		expect(environment.budget.state().committed.tokens).toBeGreaterThan(8_000);
		expect(environment.budget.state().reserved.tokens).toBe(0);
	});

	it("S-079 a tool that hangs leaves time for a closing answer", async () => {
		const slow = toolNamed("read_file", never, { timeoutMs: 60_000 });
		const model = scriptModel([asks([{ tool: "read_file" }]), answer("what I know")]);
		const report = await runChild(assign({ limits: { timeoutMs: 30_000 } }), {
			...environmentFor(model, { toolList: [slow] }),
			clock: fastClock(),
		});
		expect(report).toMatchObject({ status: "partial", stopReason: "timeout" });
		expect(report.text).toContain("what I know");
	});

	it("S-080 each limit's result names it and holds the last useful text", async () => {
		const tooLong = failed("too-long", "prompt is too long");
		const cases = [
			{ limit: "max_steps", model: scriptModel([endless("seen")], { repeatLast: true }), limits: { maxSteps: 2 } },
			{
				limit: "token_budget",
				model: scriptModel([asks([{ tool: "read_file" }], { text: "seen", usage: { ...NO_USAGE, input: 30_000 } })]),
				limits: { tokenBudget: 40_000 },
			},
			{ limit: "timeout", model: scriptModel([asks([{ tool: "read_file" }], { text: "seen" }), hangs]), limits: { timeoutMs: 200 } },
			{
				limit: "context_overflow",
				model: scriptModel([asks([{ tool: "read_file" }], { text: "seen" }), tooLong, tooLong, tooLong]),
				limits: {},
			},
			{ limit: "repeated_calls", model: scriptModel([asks([{ tool: "read_file" }], { text: "seen" })], { repeatLast: true }), limits: {} },
		] as const;
		for (const { limit, model, limits } of cases) {
			const report = await runChild(assign({ limits }), environmentFor(model));
			expect(report.status, limit).toBe("partial");
			expect(report.stopReason).toBe(limit);
			expect(report.text, limit).toContain(limit);
			expect(report.text, limit).toContain("seen");
			expect(report.report.open.length, limit).toBeGreaterThan(0);
		}
	});

	it("S-081 three equal calls in a row stop the loop; three different ones do not", async () => {
		const same = asks([{ tool: "read_file", input: { path: "a", from: 1 } }]);
		const sameOtherOrder = asks([{ tool: "read_file", input: { from: 1, path: "a" } }]);
		const model = scriptModel([same, sameOtherOrder, same, answer("closing")]);
		const report = await runChild(assign(), environmentFor(model));
		expect(report).toMatchObject({ status: "partial", stopReason: "repeated_calls", toolUses: 3 });
		expect(model.requests).toHaveLength(4);

		const other = asks([{ tool: "read_file", input: { path: "b" } }]);
		expect(await runChild(assign(), environmentFor(scriptModel([same, same, other, answer("end")])))).toMatchObject({
			status: "completed",
		});
	});

	it("S-090 a step limit of 3 holds for every kind of child", async () => {
		for (const kind of ["explore", "reviewer", "specialist"] as const) {
			const environment = environmentFor(scriptModel([endless()], { repeatLast: true }));
			const base = assign();
			const report = await runChild(assign({ agent: { ...base.agent, kind }, limits: { maxSteps: 3 } }), environment);
			expect(report.steps, kind).toBe(3);
		}
	});

	it("S-094 the limit of the assignment is the one that counts", async () => {
		const report = await runChild(assign({ limits: { maxSteps: 5 } }), environmentFor(scriptModel([endless()], { repeatLast: true })));
		expect(report.steps).toBe(5);
	});

	it("R19 with the run's budget gone no call is made, and the report says what was not reviewed", async () => {
		const budget = createRunBudget({ tokens: 1_000, floorTokens: 500 });
		const model = scriptModel([answer("never")]);
		const report = await runChild(assign(), environmentFor(model, { budget }));
		expect(model.requests).toHaveLength(0);
		expect(report).toMatchObject({ status: "partial", stopReason: "token_budget" });
		expect(report.text).toContain("budget");
		expect(report.report.open.join()).toContain("src/a.ts");

		const broke = createRunBudget({ tokens: 1_000_000, usd: 0.0001 });
		const second = await runChild(assign(), environmentFor(scriptModel([answer("never")]), { budget: broke }));
		expect(second.text).toContain("cost budget");
	});
});

describe("wrap-up", () => {
	it("S-082 at the step limit exactly one more request is made, and a tool call in its reply is not run", async () => {
		let runs = 0;
		const tool = toolNamed("read_file", () => {
			runs += 1;
			return { content: "x" };
		});
		const model = scriptModel([
			endless(),
			endless(),
			asks([{ tool: "read_file", input: { path: "late" } }], { text: "found nothing" }),
			answer("too many"),
		]);
		const report = await runChild(assign({ limits: { maxSteps: 2 } }), environmentFor(model, { toolList: [tool] }));
		expect(model.requests).toHaveLength(3);
		expect(runs).toBe(2);
		expect(report.text).toContain("found nothing");
		const note = model.requests[2]?.messages.at(-1)?.content.at(-1);
		expect(note).toMatchObject({ type: "text", text: expect.stringContaining("still open") });
	});

	it("S-083 reaching the budget exactly fits, one token more does not", async () => {
		const call = { usedTokens: 60, lastContextTokens: 20, conversationTokens: 30, outputTokens: 10 };
		expect(callFits({ ...call, tokenBudget: 100 })).toBe(true);
		expect(callFits({ ...call, tokenBudget: 99 })).toBe(false);
		expect(callFits({ ...call, lastContextTokens: 31, tokenBudget: 100 })).toBe(false);
		expect(callFits({ ...call, lastContextTokens: 30, tokenBudget: 100 })).toBe(true);

		// The same border through a child whose last context is far larger than any estimate of its short texts.
		const usage = { ...NO_USAGE, input: 40_000 };
		const border = 40_000 + 40_000 + 4_096;
		for (const [tokenBudget, requests] of [
			[border, 2],
			[border - 1, 1],
		] as const) {
			const model = scriptModel([asks([{ tool: "read_file" }], { usage, text: "early" }), answer("closing")]);
			const report = await runChild(assign({ limits: { tokenBudget, maxSteps: 1 } }), environmentFor(model));
			expect(model.requests, String(tokenBudget)).toHaveLength(requests);
			expect(report.text).toContain(requests === 2 ? "closing" : "early");
		}
	});

	it("S-084 no closing request while a sibling holds the rest of the run's budget", async () => {
		const budget = createRunBudget({ tokens: 100_000 });
		const model = scriptModel([
			() => {
				const sibling = budget.reserve({ tokens: 85_000, usd: 0 });
				expect(sibling.ok).toBe(true);
				return asks([{ tool: "read_file" }], { text: "early", usage: { ...NO_USAGE, input: 14_000 } });
			},
			answer("closing"),
		]);
		const environment = environmentFor(model, { budget });
		const report = await runChild(assign({ limits: { maxSteps: 1 } }), environment);
		expect(model.requests).toHaveLength(1);
		expect(report.text).toContain("early");
		expect(environment.journal.of("end")[0]?.stopReason).toBe("no_wrap_up");
	});

	it("S-085 a child without a single step still answers when the smaller closing request fits", async () => {
		const model = scriptModel([answer("from the pack alone")]);
		const report = await runChild(assign({ limits: { tokenBudget: 6_000 } }), environmentFor(model));
		expect(model.requests).toHaveLength(1);
		expect(report).toMatchObject({ status: "partial", stopReason: "token_budget", steps: 0 });
		expect(report.text).toContain("from the pack alone");
	});

	it("S-086 an answer of 50,000 characters is cut and marked", async () => {
		const report = await runChild(assign(), environmentFor(scriptModel([answer("x".repeat(50_000))])));
		expect(report.text.length).toBeLessThanOrEqual(20_000);
		expect(report.text).toContain("[cut: the answer had 50000 characters]");
		expect(report.report.summary.length).toBeLessThanOrEqual(20_000);
		const explore = await runChild(
			assign({ limits: { answerChars: 10_000, maxSteps: 1 } }),
			environmentFor(scriptModel([endless(), answer("y".repeat(50_000))])),
		);
		expect(explore.text.length).toBeLessThanOrEqual(10_000);
		expect(explore.text).toContain("[cut:");
	});

	it("S-087 without room there is no call: the last text or else a note, and the end record says so", async () => {
		const used = { ...NO_USAGE, input: 145_000 };
		const withText = environmentFor(scriptModel([asks([{ tool: "read_file" }], { text: "last words", usage: used })]));
		const first = await runChild(assign(), withText);
		expect(first.text).toContain("last words");
		expect(withText.journal.of("end")).toMatchObject([{ stopReason: "no_wrap_up", status: "partial" }]);

		const silent = environmentFor(scriptModel([asks([{ tool: "read_file" }], { usage: used })]));
		const second = await runChild(assign(), silent);
		expect(second.text).toContain("narrower task or a larger budget");
		expect(silent.journal.of("end")[0]?.stopReason).toBe("no_wrap_up");
	});

	it("S-097 usage covers steps, compaction and wrap-up", async () => {
		const usages = [1, 2, 3, 4].map((factor) => ({ input: 100 * factor, cacheWrite: factor, cacheRead: 7 * factor, output: 10 * factor }));
		const [one, two, three, four] = usages as [typeof USAGE, typeof USAGE, typeof USAGE, typeof USAGE];
		const model = scriptModel([
			asks([{ tool: "read_file", input: { path: "a" } }], { usage: one }),
			failed("too-long", "prompt is too long"),
			answer("summary of what I did", two),
			asks([{ tool: "read_file", input: { path: "b" } }], { usage: three }),
			answer("closing", four),
		]);
		const environment = environmentFor(model);
		const report = await runChild(assign({ limits: { maxSteps: 2 } }), environment);
		expect(report.usage).toEqual(usages.reduce(addUsage, NO_USAGE));
		expect(environment.journal.of("model.call").map((call) => call.purpose)).toEqual(["step", "step", "compaction", "step", "wrap-up"]);
		const afterwards = JSON.stringify(model.requests[3]?.messages);
		expect(afterwards).toContain("summary of what I did");
		expect(model.requests[3]?.messages[0]?.content[0]).toMatchObject({ text: "The change." });
	});
});

describe("a full context", () => {
	it("R15 drops old tool results first and tries once more", async () => {
		const big = toolNamed("read_file", () => ({ content: "line\n".repeat(4_000), filesRead: ["src/a.ts"] }));
		const reads = [1, 2, 3, 4].map((number) => asks([{ tool: "read_file", input: { path: String(number) } }]));
		const model = scriptModel([...reads, failed("too-long", "prompt is too long"), answer("finished")]);
		const report = await runChild(assign({ limits: { tokenBudget: 1_000_000 } }), environmentFor(model, { toolList: [big] }));
		expect(report).toMatchObject({ status: "completed", text: "finished" });
		expect(model.requests).toHaveLength(6);
		expect(JSON.stringify(model.requests[4]?.messages)).not.toContain("dropped to make room");
		expect(JSON.stringify(model.requests[5]?.messages)).toContain("dropped to make room");
	});

	it("R15 a second time it ends, and says which files were not reviewed", async () => {
		const tooLong = failed("too-long", "prompt is too long");
		const report = await runChild(
			assign({
				files: [
					{ path: "src/a.ts", additions: 1, deletions: 0 },
					{ path: "src/b.ts", additions: 1, deletions: 0 },
				],
			}),
			environmentFor(scriptModel([asks([{ tool: "read_file", input: { path: "src/a.ts" } }]), tooLong, answer("summary"), tooLong])),
		);
		expect(report).toMatchObject({ status: "partial", stopReason: "context_overflow" });
		expect(report.report.open.join("\n")).toContain("Not reviewed: src/b.ts");
	});

	it("makes room on its own before the window is full", async () => {
		const big = toolNamed("read_file", () => ({ content: "line\n".repeat(4_000) }));
		const steps = [1, 2, 3, 4, 5].map((number) => asks([{ tool: "read_file", input: { path: String(number) } }]));
		const model = scriptModel([...steps, answer("finished")]);
		const environment = environmentFor(model, { toolList: [big], contextWindow: 40_000 });
		expect(await runChild(assign({ limits: { tokenBudget: 1_000_000 } }), environment)).toMatchObject({ status: "completed" });
		expect(environment.journal.of("run.data").map((entry) => entry.name)).toContain("compaction");
	});
});

/** A clock on which waiting takes no time at all, in the order of the waits. */
function fastClock() {
	let now = 0;
	const waits: { at: number; wake: () => void }[] = [];
	let scheduled = false;
	function turn(): void {
		scheduled = false;
		waits.sort((a, b) => a.at - b.at);
		const next = waits.shift();
		if (next === undefined) return;
		now = Math.max(now, next.at);
		next.wake();
		schedule();
	}
	function schedule(): void {
		if (scheduled || waits.length === 0) return;
		scheduled = true;
		setTimeout(turn, 5);
	}
	return {
		now: () => now,
		sleep: (ms: number, signal?: AbortSignal) =>
			new Promise<void>((resolve) => {
				if (signal?.aborted === true) return resolve();
				const wait = { at: now + ms, wake: resolve };
				waits.push(wait);
				signal?.addEventListener(
					"abort",
					() => {
						waits.splice(waits.indexOf(wait), waits.includes(wait) ? 1 : 0);
						resolve();
					},
					{ once: true },
				);
				schedule();
			}),
	};
}
