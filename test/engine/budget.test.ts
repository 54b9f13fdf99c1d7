import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ceiling } from "../../src/domain/budget.ts";
import { NO_USAGE, totalTokens } from "../../src/domain/usage.ts";
import { createLedger } from "../../src/engine/ledger.ts";
import { createRunBudget } from "../../src/engine/run-budget.ts";
import { runChild } from "../../src/engine/run-child.ts";
import { createScheduler } from "../../src/engine/scheduler.ts";
import { agentNamed, assign, environmentFor, memoryJournal, schedulerRun, toolNamed } from "./engine-parts.ts";
import { answer, asks, hangs, scriptModel } from "./scripted-model.ts";

const usage = (input: number) => ({ ...NO_USAGE, input });

describe("the run's budget", () => {
	it("S-088 random children at the same time never reach into the floor", async () => {
		const child = fc.record({
			tokens: fc.integer({ min: 1, max: 400 }),
			share: fc.double({ min: 0, max: 1, noNaN: true }),
			delay: fc.integer({ min: 0, max: 3 }),
			own: fc.integer({ min: 50, max: 500 }),
		});
		await fc.assert(
			fc.asyncProperty(
				fc.array(child, { maxLength: 20 }),
				fc.integer({ min: 0, max: 1_000 }),
				fc.integer({ min: 0, max: 300 }),
				async (children, cap, floorTokens) => {
					const limits = { tokens: cap, floorTokens, usd: cap / 500, floorUsd: floorTokens / 1_000 };
					const budget = createRunBudget(limits);
					const top = ceiling(limits, "child");
					const check = () => {
						const { committed, reserved } = budget.state();
						expect(committed.tokens + reserved.tokens).toBeLessThanOrEqual(Math.max(0, top.tokens));
						expect(committed.usd + reserved.usd).toBeLessThanOrEqual(Math.max(0, top.usd) + 1e-9);
					};
					await Promise.all(
						children.map(async (each) => {
							const own = budget.share({ tokens: each.own });
							for (let call = 0; call < 4; call += 1) {
								const amount = { tokens: each.tokens, usd: each.tokens / 400 };
								const result = call % 2 === 0 ? own.reserve(amount) : await own.reserveWhenFree(amount, AbortSignal.timeout(20));
								check();
								if (!result.ok) continue;
								for (let turn = 0; turn < each.delay; turn += 1) await Promise.resolve();
								result.reservation.settle({ tokens: Math.floor(each.tokens * each.share), usd: (each.tokens / 400) * each.share });
								result.reservation.release();
								check();
								expect(own.state().committed.tokens).toBeLessThanOrEqual(each.own);
							}
						}),
					);
					expect(budget.state().reserved.tokens).toBe(0);
				},
			),
			{ numRuns: 60 },
		);
	});

	it("S-088 the floor is for the owner's last answer", () => {
		const budget = createRunBudget({ tokens: 100, floorTokens: 30 });
		expect(budget.reserve({ tokens: 71, usd: 0 }).ok).toBe(false);
		expect(budget.reserve({ tokens: 70, usd: 0 }).ok).toBe(true);
		expect(budget.reserve({ tokens: 30, usd: 0 }, "child").ok).toBe(false);
		expect(budget.reserve({ tokens: 30, usd: 0 }, "final").ok).toBe(true);
	});

	it("S-089 five children of 100k share 200k less the floor, and late ones end with a budget note", async () => {
		const budget = createRunBudget({ tokens: 200_000, floorTokens: 20_000 });
		const scheduler = createScheduler(
			schedulerRun(
				() => {
					let number = 0;
					return scriptModel(
						[
							() => {
								number += 1;
								return asks([{ tool: "read_file", input: { path: `${number}` } }], {
									usage: { ...NO_USAGE, input: 12_000, output: 1_000 },
								});
							},
						],
						{ repeatLast: true },
					);
				},
				{ budget, maxConcurrent: 5 },
			).options,
		);
		const reports = await scheduler.runPlanned(
			[1, 2, 3, 4, 5].map((n) => ({ assignment: assign({ agent: agentNamed(`r${n}`), limits: { tokenBudget: 100_000 } }) })),
		);
		const total = reports.reduce((sum, report) => sum + totalTokens(report.usage), 0);
		expect(total).toBeLessThanOrEqual(180_000);
		expect(total).toBeGreaterThan(100_000);
		const late = reports.filter((report) => report.text.includes("budget of the run"));
		expect(late.length).toBeGreaterThan(0);
		expect(late.every((report) => report.status === "partial" && report.stopReason === "token_budget")).toBe(true);
	});

	it("S-089 nested levels are bounded by every level above", () => {
		const run = createRunBudget({ tokens: 100 });
		const child = run.share({ tokens: 80 });
		const grandchild = child.share({ tokens: 80 });
		expect(grandchild.reserve({ tokens: 60, usd: 0 }).ok).toBe(true);
		expect(child.reserve({ tokens: 30, usd: 0 }).ok).toBe(false);
		expect(run.reserve({ tokens: 41, usd: 0 }).ok).toBe(false);
		expect(run.reserve({ tokens: 40, usd: 0 }).ok).toBe(true);
		expect(grandchild.reserve({ tokens: 1, usd: 0 })).toMatchObject({ ok: false, lasting: false });
	});

	it("a call waits for siblings under way instead of ending its child early", async () => {
		const budget = createRunBudget({ tokens: 30_000 });
		const held = budget.reserve({ tokens: 25_000, usd: 0 });
		const model = scriptModel([answer("in the end")]);
		const run = runChild(assign(), environmentFor(model, { budget }));
		await new Promise((resolve) => setTimeout(resolve, 30));
		expect(model.requests).toHaveLength(0);
		if (held.ok) held.reservation.settle({ tokens: 1_000, usd: 0 });
		expect(await run).toMatchObject({ status: "completed", text: "in the end" });
	});
});

describe("the ledger", () => {
	it("S-100 a report replaces the debits of its own session and no others", async () => {
		const ledger = createLedger(memoryJournal());
		await ledger.charge("a-1", usage(10), 1);
		await ledger.charge("b-1", usage(20), 2);
		await ledger.charge("a-1", usage(30), 3);
		ledger.settle({ session: "a-1", usage: usage(40), costUsd: 4 });
		expect(ledger.pending()).toEqual([{ session: "b-1", charge: 1, usage: usage(20), costUsd: 2 }]);
		expect(ledger.totals()).toEqual({ usage: usage(60), costUsd: 6, estimated: true });
		ledger.settle({ session: "b-1", usage: usage(20), costUsd: 2 });
		expect(ledger.totals()).toEqual({ usage: usage(60), costUsd: 6, estimated: false });
	});

	it("S-101 S-103 a cancelled child's charges stay, priced as an estimate", async () => {
		const run = schedulerRun(() =>
			scriptModel([asks([{ tool: "read_file" }]), asks([{ tool: "read_file", input: { path: "b" } }]), hangs]),
		);
		const scheduler = createScheduler(run.options);
		const reports = scheduler.runPlanned([{ assignment: assign() }]);
		while (run.journal.of("child_debit").length < 2) await new Promise((resolve) => setTimeout(resolve, 5));
		scheduler.cancel("workflow cancelled");
		expect((await reports)[0]?.status).toBe("cancelled");
		const debits = run.journal.of("child_debit");
		const totals = run.options.ledger.totals();
		expect(totalTokens(totals.usage)).toBeGreaterThanOrEqual(debits.reduce((sum, debit) => sum + totalTokens(debit.usage), 0));
		expect(totals.estimated).toBe(true);
		expect(totals.costUsd).toBeCloseTo((2 * (100 * 2 + 10 * 10)) / 1e6, 12);
		expect(debits.every((debit) => debit.estimated && debit.costUsd !== null)).toBe(true);
	});

	it("S-102 a report that does not mention a grandchild leaves its debits counted", async () => {
		const ledger = createLedger(memoryJournal());
		const grandchild = environmentFor(scriptModel([answer("deep", usage(700))]), { ledger, session: "explore-1", depth: 2 });
		const agent = toolNamed("agent", async () => ({ content: (await runChild(assign(), grandchild)).text }), { effect: "delegate" });
		const parent = environmentFor(scriptModel([asks([{ tool: "agent" }]), answer("my part only")]), { ledger, toolList: [agent] });
		const report = await runChild(assign(), parent);
		expect(report.usage).toEqual({ ...NO_USAGE, input: 200, output: 20 });
		ledger.settle(report);
		expect(ledger.pending()).toMatchObject([{ session: "explore-1", usage: usage(700) }]);
		expect(totalTokens(ledger.totals().usage)).toBe(920);
	});
});
