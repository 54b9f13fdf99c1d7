import type { CallSize } from "../domain/budget.ts";
import { callFits } from "../domain/budget.ts";
import type { ChildStopReason } from "../domain/child-run.ts";

/** The limits that end a child with a partial result (S-080). */
export type Limit = Extract<ChildStopReason, "max_steps" | "token_budget" | "timeout" | "repeated_calls" | "context_overflow">;

/** What is known right before a spend. Tokens are cumulative (D-10), times in milliseconds. */
export interface SpendFacts extends CallSize {
	readonly purpose: "step" | "wrap-up" | "compaction";
	readonly steps: number;
	readonly maxSteps: number;
	readonly elapsedMs: number;
	readonly timeoutMs: number;
	/** Tool calls in order, each as name and input. */
	readonly signatures: readonly string[];
}

/** Equal calls in a row that count as going in circles (S-081). */
const REPEATED_CALLS = 3;

/** Part of the time that is kept for the wrap-up, so that a slow child still gives an answer (S-082). */
export function wrapUpTimeMs(timeoutMs: number): number {
	return Math.min(30_000, Math.floor(timeoutMs / 10));
}

function stepsReached(facts: SpendFacts): boolean {
	return facts.steps >= facts.maxSteps;
}

function callsRepeat(facts: SpendFacts): boolean {
	const last = facts.signatures.slice(-REPEATED_CALLS);
	return last.length >= REPEATED_CALLS && new Set(last).size === 1;
}

function timeReached(facts: SpendFacts): boolean {
	const kept = facts.purpose === "step" ? wrapUpTimeMs(facts.timeoutMs) : 0;
	return facts.elapsedMs >= facts.timeoutMs - kept;
}

const CONDITIONS: readonly { readonly limit: Limit; readonly stepOnly: boolean; readonly reached: (facts: SpendFacts) => boolean }[] = [
	{ limit: "max_steps", stepOnly: true, reached: stepsReached },
	{ limit: "repeated_calls", stepOnly: true, reached: callsRepeat },
	{ limit: "timeout", stepOnly: false, reached: timeReached },
	{ limit: "token_budget", stepOnly: false, reached: (facts) => !callFits(facts) },
];

/** The first limit that stands in the way of a spend; undefined when it may go ahead. */
export function findStop(facts: SpendFacts): Limit | undefined {
	return CONDITIONS.find((condition) => (facts.purpose === "step" || !condition.stepOnly) && condition.reached(facts))?.limit;
}

/** A call as one comparable text: the same tool with the same input, whatever the order of its keys. */
export function callSignature(tool: string, input: unknown): string {
	return `${tool} ${JSON.stringify(sortKeys(input))}`;
}

function sortKeys(value: unknown): unknown {
	if (Array.isArray(value)) return value.map(sortKeys);
	if (typeof value !== "object" || value === null) return value;
	return Object.fromEntries(
		Object.entries(value)
			.sort(([a], [b]) => (a < b ? -1 : 1))
			.map(([key, part]) => [key, sortKeys(part)]),
	);
}
