/** COST.md 4.1, read once more by hand: input, output, cache read, write 5 minutes, write 1 hour, $ per million tokens. */
export const LIST_PRICES: Readonly<Record<string, readonly [number, number, number, number, number]>> = {
	"claude-fable-5-2": [8, 40, 0.2, 10, 16],
	"claude-mythos-5-2": [8, 40, 0.2, 10, 16],
	"claude-fable-5-1": [10, 50, 0.25, 12.5, 20],
	"claude-fable-5": [10, 50, 1, 12.5, 20],
	"claude-opus-5-5": [4, 20, 0.2, 5, 8],
	"claude-opus-5": [5, 25, 0.5, 6.25, 10],
	"claude-opus-4-8": [5, 25, 0.5, 6.25, 10],
	"claude-opus-4-7": [5, 25, 0.5, 6.25, 10],
	"claude-opus-4-6": [5, 25, 0.5, 6.25, 10],
	"claude-opus-4-5": [5, 25, 0.5, 6.25, 10],
	"claude-sonnet-5-5": [2, 10, 0.1, 2.5, 4],
	"claude-sonnet-5": [2, 10, 0.2, 2.5, 4],
	"claude-sonnet-4-6": [3, 15, 0.3, 3.75, 6],
	"claude-sonnet-4-5": [3, 15, 0.3, 3.75, 6],
	"claude-haiku-5-5": [0.1, 0.5, 0.01, 0.125, 0.2],
	"claude-haiku-4-5": [1, 5, 0.1, 1.25, 2],
};

/** Whole prompts on both sides of Haiku's step, with their price: [input, cache read, $]. */
export const HAIKU_STEP: readonly (readonly [number, number, number])[] = [
	[100_000, 0, 0.01],
	[100_001, 0, 0.0500005],
	[10_000, 95_000, 0.00975],
];
