import type { Arguments, Parameters } from "../types.ts";

/** Whether a call with these arguments can be made. True when nobody can say: a spread may hold anything. */
export function argumentsFit(given: Arguments, wanted: Parameters): boolean {
	const most = wanted.required + wanted.optional;
	if (given.count > most && !wanted.variadic) return false;
	const keywords = given.names ?? [];
	const filled = new Set(wanted.names.slice(0, given.count));
	for (const name of keywords) {
		const place = wanted.names.indexOf(name);
		if (place !== -1 && place >= (wanted.positionalOnly ?? 0)) {
			if (place < given.count) return false;
			filled.add(name);
		} else if (wanted.keywordOnly?.some((keyword) => keyword.name === name) !== true && wanted.anyKeyword !== true) return false;
	}
	if (given.spread) return true;
	if (wanted.keywordOnly?.some((keyword) => keyword.required && !keywords.includes(keyword.name)) === true) return false;
	if (keywords.length === 0) return given.count >= wanted.required;
	return wanted.names.slice(0, wanted.required).every((name) => filled.has(name));
}

/** For people: `2 arguments`, `1 to 3 arguments`, `at least 1 argument`. */
export function describeParameters(wanted: Parameters): string {
	const most = wanted.required + wanted.optional;
	const named = (wanted.keywordOnly ?? []).filter((keyword) => keyword.required).map((keyword) => `\`${keyword.name}=\``);
	const count = wanted.variadic
		? `at least ${plural(wanted.required)}`
		: most === wanted.required
			? plural(most)
			: `${wanted.required} to ${plural(most)}`;
	return named.length === 0 ? count : `${count} and ${named.join(", ")}`;
}

/** For people: `2 arguments`, `1 argument and limit=`. */
export function describeArguments(given: Arguments): string {
	const named = (given.names ?? []).map((name) => `\`${name}=\``);
	return `${plural(given.count)}${named.length === 0 ? "" : ` and ${named.join(", ")}`}`;
}

function plural(count: number): string {
	return count === 1 ? "1 argument" : `${count} arguments`;
}
