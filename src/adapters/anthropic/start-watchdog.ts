/** Ends a request on which nothing has come for a while, or whose caller has given up. */
export interface Watchdog {
	/** Handed to the request. */
	readonly signal: AbortSignal;
	/** True when it was the silence that ended it. */
	readonly stalled: boolean;
	/** Something has come. */
	touch(): void;
	stop(): void;
}

/**
 * Starts to watch. It uses the machine's timer and not the run's clock, for it watches a real connection: the SDK's own
 * time-out covers only the time until the headers (SECURITY.md 5.1).
 */
export function startWatchdog(idleMs: number, caller: AbortSignal): Watchdog {
	const controller = new AbortController();
	let stalled = false;
	const timer = setTimeout(() => {
		stalled = true;
		controller.abort();
	}, idleMs);
	const giveUp = (): void => controller.abort();
	if (caller.aborted) giveUp();
	else caller.addEventListener("abort", giveUp, { once: true });
	return {
		signal: controller.signal,
		get stalled() {
			return stalled;
		},
		touch: () => {
			if (!stalled) timer.refresh();
		},
		stop: () => {
			clearTimeout(timer);
			caller.removeEventListener("abort", giveUp);
		},
	};
}
