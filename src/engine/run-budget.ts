import type { Amount, BudgetLimits, BudgetState, BudgetUse } from "../domain/budget.ts";
import { checkFit, NO_AMOUNT, openBudget, reserveAmount, settleAmount } from "../domain/budget.ts";

/** Part of a budget that is set aside for one call. Settling or releasing it a second time does nothing. */
export interface Reservation {
	readonly amount: Amount;
	/** Replaces the reservation by what was used. */
	settle(used: Amount): void;
	/** Gives all of it back: the call was never made. */
	release(): void;
}

export type ReserveResult =
	| { readonly ok: true; readonly reservation: Reservation }
	| { readonly ok: false; readonly by: "tokens" | "usd"; readonly lasting: boolean };

/** The allowance of a run, or a share of it. Parallel children draw on the same one (S-089). */
export interface RunBudget {
	/** Sets an amount aside here and at every level above, or at none of them. */
	reserve(amount: Amount, use?: BudgetUse): ReserveResult;
	/** Like `reserve`, but waits while only other calls under way stand in the way. Refused when the signal aborts. */
	reserveWhenFree(amount: Amount, signal: AbortSignal, use?: BudgetUse): Promise<ReserveResult>;
	/**
	 * A nested level with a cap of its own, never above what is left here (S-088). What it spends counts as a child's here,
	 * unless it is for what the floor is kept for.
	 */
	share(limits: BudgetLimits, use?: BudgetUse): RunBudget;
	state(): BudgetState;
}

/** Opens the budget of a run. */
export function createRunBudget(limits: BudgetLimits): RunBudget {
	return createLevel(limits, undefined, new Set(), "child");
}

function createLevel(limits: BudgetLimits, parent: RunBudget | undefined, waiting: Set<() => void>, useAbove: BudgetUse): RunBudget {
	let state = openBudget(limits);

	function reserve(amount: Amount, use: BudgetUse = "child"): ReserveResult {
		const verdict = checkFit(state, amount, use);
		if (!verdict.fits) return { ok: false, by: verdict.by, lasting: verdict.lasting };
		// A level's own floor is for its own last answer; to the levels above that is a child's spend like any other.
		const above = parent?.reserve(amount, useAbove);
		if (above?.ok === false) return above;
		state = reserveAmount(state, amount);
		return { ok: true, reservation: openReservation(amount, above?.reservation) };
	}

	function openReservation(amount: Amount, above: Reservation | undefined): Reservation {
		let open = true;
		function settle(used: Amount): void {
			if (!open) return;
			open = false;
			state = settleAmount(state, amount, used);
			above?.settle(used);
			if (parent === undefined) wakeAll();
		}
		return { amount, settle, release: () => settle(NO_AMOUNT) };
	}

	function wakeAll(): void {
		for (const wake of [...waiting]) wake();
	}

	const budget: RunBudget = {
		reserve,
		async reserveWhenFree(amount, signal, use) {
			for (;;) {
				const result = reserve(amount, use);
				if (result.ok || result.lasting || signal.aborted) return result;
				await waitForChange(waiting, signal);
			}
		},
		share: (shareLimits, use = "child") => createLevel(shareLimits, budget, waiting, use),
		state: () => state,
	};
	return budget;
}

function waitForChange(waiting: Set<() => void>, signal: AbortSignal): Promise<void> {
	return new Promise((resolve) => {
		const wake = () => {
			waiting.delete(wake);
			signal.removeEventListener("abort", wake);
			resolve();
		};
		waiting.add(wake);
		signal.addEventListener("abort", wake, { once: true });
	});
}
