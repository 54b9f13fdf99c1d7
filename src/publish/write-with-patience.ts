import type { Clock, WriteResult } from "../seams.ts";

/** Wait when GitHub says "too fast" without saying for how long; doubles up to the cap (BR-44). */
const FIRST_WAIT_MS = 60_000;
const MAX_WAIT_MS = 240_000;

/** Time that all waits of one run may take together; behind it the weaker form is used. */
export interface WaitBudget {
	/** Milliseconds left; reduced by every wait. */
	left: number;
}

/**
 * Repeats a write that was refused for its rate, and nothing else: such a write did not happen, so repeating it is
 * safe (R20). A wait that does not fit the budget is not begun (R21).
 */
export async function writeWithPatience<T>(
	write: () => Promise<WriteResult<T>>,
	options: { readonly clock: Clock; readonly budget: WaitBudget; readonly signal?: AbortSignal },
): Promise<WriteResult<T>> {
	let fallback = FIRST_WAIT_MS;
	for (;;) {
		const result = await write();
		if (result.ok || result.reason !== "limited") return result;
		const wait = Math.max(result.retryAfterMs ?? fallback, 1_000);
		if (wait > options.budget.left || options.signal?.aborted === true) return result;
		options.budget.left -= wait;
		fallback = Math.min(fallback * 2, MAX_WAIT_MS);
		await options.clock.sleep(wait, options.signal);
	}
}
