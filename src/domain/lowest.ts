/**
 * The strictest of several upper bounds: the least of those that are given (S-045). Undefined when nobody gives one.
 */
export function lowest(...bounds: readonly (number | undefined)[]): number | undefined {
	const given = bounds.filter((bound) => bound !== undefined);
	return given.length === 0 ? undefined : Math.min(...given);
}
