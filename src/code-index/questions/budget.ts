import { setImmediate } from "node:timers/promises";

/** How long one question may take, and how often it lets others have their turn. */
export interface Budget {
	/** True when the question has to end with what it has. Lets other work run now and then. */
	spent(): Promise<boolean>;
}

const TURN_MS = 20;

export function createBudget(signal: AbortSignal, maxMs: number): Budget {
	const deadline = performance.now() + maxMs;
	let turn = performance.now();
	return {
		async spent() {
			if (performance.now() - turn > TURN_MS) {
				await setImmediate();
				turn = performance.now();
			}
			return signal.aborted || performance.now() > deadline;
		},
	};
}
