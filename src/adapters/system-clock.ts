import type { Clock } from "../seams.ts";

/** The machine's clock. */
export function createSystemClock(): Clock {
	return {
		now: () => Date.now(),
		sleep: (ms, signal) =>
			new Promise((resolve) => {
				if (signal?.aborted === true) return resolve();
				const end = () => {
					clearTimeout(timer);
					signal?.removeEventListener("abort", end);
					resolve();
				};
				const timer = setTimeout(end, ms);
				signal?.addEventListener("abort", end, { once: true });
			}),
	};
}
