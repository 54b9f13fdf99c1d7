/** Tokens actually spent, cache reads and writes apart. Counts, never estimates. */
export interface Usage {
	/** Input tokens that were neither read from nor written to the cache. */
	readonly input: number;
	readonly cacheWrite: number;
	readonly cacheRead: number;
	readonly output: number;
}

export const NO_USAGE: Usage = { input: 0, cacheWrite: 0, cacheRead: 0, output: 0 };

export function addUsage(a: Usage, b: Usage): Usage {
	return {
		input: a.input + b.input,
		cacheWrite: a.cacheWrite + b.cacheWrite,
		cacheRead: a.cacheRead + b.cacheRead,
		output: a.output + b.output,
	};
}

/** All tokens of a usage: what a token budget counts (D-10). */
export function totalTokens(usage: Usage): number {
	return usage.input + usage.cacheWrite + usage.cacheRead + usage.output;
}
