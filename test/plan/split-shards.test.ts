import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Assignment } from "../../src/domain/child-run.ts";
import { MAX_JOBS, splitShards } from "../../src/plan/split-shards.ts";

const BUDGET = { runTokens: 2_000_000, runUsd: 2 };

function children(budgets: readonly number[]): readonly Pick<Assignment, "limits">[] {
	return budgets.map((tokenBudget) => ({ limits: { maxSteps: 20, tokenBudget, timeoutMs: 1_000, answerChars: 1_000 } }));
}

describe("splitShards", () => {
	it("X-05 gives each child to exactly one job, in order, and never more than the whole budget", () => {
		fc.assert(
			fc.property(
				fc.array(fc.integer({ min: 1, max: 200_000 }), { maxLength: 60 }),
				fc.integer({ min: 0, max: 100 }),
				fc.double({ min: 0.01, max: 100, noNaN: true }),
				(budgets, most, runUsd) => {
					const shards = splitShards(children(budgets), most, { ...BUDGET, runUsd });
					const given = shards.flatMap((shard) => shard.assignments);
					expect([...given].sort((a, b) => a - b)).toEqual(budgets.map((_, index) => index));
					expect(shards.map((shard) => shard.number)).toEqual(shards.map((_, index) => index + 1));
					for (const shard of shards) expect([...shard.assignments].sort((a, b) => a - b)).toEqual(shard.assignments);
					expect(shards.length).toBeGreaterThan(0);
					expect(shards.length).toBeLessThanOrEqual(Math.max(1, Math.min(most, MAX_JOBS, budgets.length)));
					// Amounts of money are told in millionths.
					expect(shards.reduce((sum, shard) => sum + Math.round(shard.usd * 1e6), 0)).toBeLessThanOrEqual(runUsd * 1e6 + 1e-3);
					expect(shards.reduce((sum, shard) => sum + shard.tokens, 0)).toBeLessThanOrEqual(BUDGET.runTokens);
					expect(splitShards(children(budgets), most, { ...BUDGET, runUsd })).toEqual(shards);
				},
			),
		);
	});

	it("X-05 no job is heavier than the lightest one by more than one child", () => {
		fc.assert(
			fc.property(
				fc.array(fc.integer({ min: 1, max: 1_000 }), { minLength: 1, maxLength: 40 }),
				fc.integer({ min: 1, max: 8 }),
				(budgets, most) => {
					const weights = splitShards(children(budgets), most, BUDGET).map((shard) =>
						shard.assignments.reduce((sum, index) => sum + (budgets[index] ?? 0), 0),
					);
					expect(Math.max(...weights) - Math.min(...weights)).toBeLessThanOrEqual(Math.max(...budgets));
				},
			),
		);
	});

	it("X-05 each job can pay for all limits of its children when the run can", () => {
		const budgets = Array.from({ length: 20 }, (_, index) => 50_000 + index * 1_000);
		const total = budgets.reduce((sum, each) => sum + each, 0);
		for (const shard of splitShards(children(budgets), 5, { runTokens: Math.ceil(total / 0.95), runUsd: 2 })) {
			const own = shard.assignments.reduce((sum, index) => sum + (budgets[index] ?? 0), 0);
			expect(shard.tokens * 0.95).toBeGreaterThanOrEqual(own - 1);
		}
	});
});
