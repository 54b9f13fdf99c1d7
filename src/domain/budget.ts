/** Tokens and US dollars of one spend. Dollars are 0 where the model has no known price: then only tokens bound it. */
export interface Amount {
	readonly tokens: number;
	readonly usd: number;
}

export const NO_AMOUNT: Amount = { tokens: 0, usd: 0 };

/** A cap and the part of it that is kept for the final answer of the one who owns it (S-088). Absent dollars: no dollar cap. */
export interface BudgetLimits {
	readonly tokens: number;
	readonly usd?: number;
	readonly floorTokens?: number;
	readonly floorUsd?: number;
}

/** What was spent and what is set aside for calls that are under way. */
export interface BudgetState {
	readonly limits: BudgetLimits;
	readonly committed: Amount;
	readonly reserved: Amount;
}

/** `child` may never reach into the floor; `final` is the owner's own last answer and may. */
export type BudgetUse = "child" | "final";

/**
 * `lasting` is true when the amount would not fit even if every reservation came back unused: waiting cannot help.
 */
export type BudgetVerdict = { readonly fits: true } | { readonly fits: false; readonly by: "tokens" | "usd"; readonly lasting: boolean };

export function openBudget(limits: BudgetLimits): BudgetState {
	return { limits, committed: NO_AMOUNT, reserved: NO_AMOUNT };
}

/** What a use may at most reach: the cap, less the floor for a child. */
export function ceiling(limits: BudgetLimits, use: BudgetUse): { readonly tokens: number; readonly usd: number } {
	const usd = limits.usd ?? Number.POSITIVE_INFINITY;
	if (use === "final") return { tokens: limits.tokens, usd };
	return { tokens: limits.tokens - (limits.floorTokens ?? 0), usd: usd - (limits.floorUsd ?? 0) };
}

/** Exactly reaching the ceiling fits; one token more does not. */
export function checkFit(state: BudgetState, amount: Amount, use: BudgetUse): BudgetVerdict {
	const top = ceiling(state.limits, use);
	for (const by of ["tokens", "usd"] as const) {
		const committed = state.committed[by] + amount[by];
		if (committed + state.reserved[by] > top[by]) return { fits: false, by, lasting: committed > top[by] };
	}
	return { fits: true };
}

function add(a: Amount, b: Amount): Amount {
	return { tokens: a.tokens + b.tokens, usd: a.usd + b.usd };
}

/** Never below zero: sums of dollars leave a rest of rounding. */
function subtract(a: Amount, b: Amount): Amount {
	return { tokens: Math.max(0, a.tokens - b.tokens), usd: Math.max(0, a.usd - b.usd) };
}

export function reserveAmount(state: BudgetState, amount: Amount): BudgetState {
	return { ...state, reserved: add(state.reserved, amount) };
}

/** Replaces a reservation by what was really used, which also counts when the call failed. */
export function settleAmount(state: BudgetState, reserved: Amount, used: Amount): BudgetState {
	return { ...state, reserved: subtract(state.reserved, reserved), committed: add(state.committed, used) };
}

/** One call against a child's own token budget. */
export interface CallSize {
	/** Spent so far: input, cache and output, extra calls included (D-10). */
	readonly usedTokens: number;
	/** Context of the last call, as the provider counted it. */
	readonly lastContextTokens: number;
	/** The whole next request, estimated. */
	readonly conversationTokens: number;
	readonly outputTokens: number;
	readonly tokenBudget: number;
}

/** S-078, S-083: a call fits when it can at most reach the budget; one token more does not fit. */
export function callFits(call: CallSize): boolean {
	return call.usedTokens + Math.max(call.lastContextTokens, call.conversationTokens) + call.outputTokens <= call.tokenBudget;
}
