/** True for an object that is neither null nor an array. */
export function isRecord(value: unknown): value is Record<string, unknown> {
	return typeof value === "object" && value !== null && !Array.isArray(value);
}

/**
 * The value with every lone surrogate in its strings and keys replaced. It has to be done on values: the escaped body is
 * pure ASCII and looks fine, but the API refuses it (BR-75).
 */
export function toWellFormed<Value>(value: Value): Value {
	return clean(value) as Value;
}

function clean(value: unknown): unknown {
	if (typeof value === "string") return value.toWellFormed();
	if (Array.isArray(value)) return value.map(clean);
	if (!isRecord(value)) return value;
	return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key.toWellFormed(), clean(inner)]));
}
