/** How many tries a call has, and how long it may wait for one. */
export interface RetryLimits {
	readonly maxAttempts: number;
	readonly maxRetryWaitMs: number;
}

const FIRST_WAIT_MS = 1000;
const LONGEST_WAIT_MS = 16_000;

/**
 * Milliseconds to wait before the next try, or undefined when there is to be none. The provider's `retry-after` is kept to
 * the full, with a little on top so that siblings do not return in one moment; one that is longer than the limit ends the
 * call at once, for the time is better spent elsewhere (R02). Without it the wait doubles, between half and the whole of
 * one, two, four … seconds (R03). `random` gives 0 to 1.
 */
export function planRetry(
	attempt: number,
	failed: { readonly retry: boolean; readonly retryAfterMs?: number },
	limits: RetryLimits,
	random: () => number,
): number | undefined {
	if (!failed.retry || attempt >= limits.maxAttempts) return undefined;
	const wanted = failed.retryAfterMs;
	if (wanted !== undefined) return wanted > limits.maxRetryWaitMs ? undefined : wanted * (1 + 0.1 * random());
	const backOff = Math.min(FIRST_WAIT_MS * 2 ** (attempt - 1), LONGEST_WAIT_MS, limits.maxRetryWaitMs);
	return backOff * (0.5 + 0.5 * random());
}
