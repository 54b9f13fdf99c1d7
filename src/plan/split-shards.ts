import type { Assignment } from "../domain/child-run.ts";
import type { Shard } from "../domain/outbox.ts";

/** More jobs than this at once are more than most accounts may have. */
export const MAX_JOBS = 32;

/**
 * Spreads the children of a plan over jobs so that the dearest job is as cheap as can be had by giving the heaviest child
 * to the lightest job. Each job gets the part of the run's budget that its children's limits are of all limits; the parts
 * are rounded down, so that they never add up to more than the whole. Pure, and the same for the same plan.
 * @param most jobs wanted; fewer when there are fewer children, and one without any when there are none
 */
export function splitShards(
	assignments: readonly Pick<Assignment, "limits">[],
	most: number,
	budget: { readonly runTokens: number; readonly runUsd: number },
): readonly Shard[] {
	const count = Math.min(Math.max(1, Math.floor(most)), MAX_JOBS, Math.max(1, assignments.length));
	const weights = assignments.map((assignment) => Math.max(1, assignment.limits.tokenBudget));
	const total = Math.max(
		1,
		weights.reduce((sum, weight) => sum + weight, 0),
	);
	const bins = Array.from({ length: count }, (): { readonly indexes: number[]; weight: number } => ({ indexes: [], weight: 0 }));
	const order = weights.map((_, index) => index).sort((a, b) => (weights[b] ?? 0) - (weights[a] ?? 0) || a - b);
	for (const index of order) {
		const lightest = bins.reduce((best, bin) => (bin.weight < best.weight ? bin : best));
		lightest.indexes.push(index);
		lightest.weight += weights[index] ?? 0;
	}
	return bins.map(({ indexes, weight }, index) => ({
		number: index + 1,
		assignments: indexes.sort((a, b) => a - b),
		tokens: Math.floor((budget.runTokens * weight) / total),
		// Millionths of a dollar, as prices are told.
		usd: Math.floor((budget.runUsd * 1_000_000 * weight) / total) / 1_000_000,
	}));
}
