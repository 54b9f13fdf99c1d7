export interface BudgetSplit {
	/** What the whole run may use. */
	readonly total: number;
	/** Kept for what follows the children: verification and the last answer. */
	readonly floor: number;
	/** Less than this is of no use to a child. */
	readonly least: number;
	/** More than this no child gets, whatever is left. */
	readonly most: number;
}

/**
 * Shares of a budget in proportion to weights (changed lines), none below `least` and none above `most`; their sum
 * is never above `total - floor`. When not even the least fits for all, the lightest get nothing: a few whole
 * reviews are worth more than many that stop half-way.
 * @returns one whole number for each weight, in the same order
 */
export function splitBudget(split: BudgetSplit, weights: readonly number[]): readonly number[] {
	const available = Math.max(0, Math.floor(split.total - split.floor));
	const least = Math.max(1, Math.floor(split.least));
	const most = Math.max(least, Math.floor(split.most));
	const order = weights.map((_, index) => index).sort((a, b) => (weights[b] ?? 0) - (weights[a] ?? 0) || a - b);
	const served = order.slice(0, Math.floor(available / least));
	const shares = weights.map(() => 0);
	for (const index of served) shares[index] = least;
	let left = available - served.length * least;
	let open = served;
	// Each round gives by weight; who reaches the top leaves, and what is over goes round again.
	while (open.length > 0 && left > 0) {
		const sum = open.reduce((total, index) => total + weightOf(weights, index), 0);
		const round = left;
		for (const index of open) {
			const wish = Math.floor((round * weightOf(weights, index)) / sum);
			const given = Math.min(wish, most - (shares[index] ?? 0));
			shares[index] = (shares[index] ?? 0) + given;
			left -= given;
		}
		if (left === round) break;
		open = open.filter((index) => (shares[index] ?? 0) < most);
	}
	return shares;
}

/** Files without a counted line still weigh something. */
function weightOf(weights: readonly number[], index: number): number {
	return Math.max(1, weights[index] ?? 1);
}
