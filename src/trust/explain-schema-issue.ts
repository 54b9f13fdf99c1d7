import { closest, distance } from "fastest-levenshtein";
import type * as z from "zod";

/**
 * One line about the first thing wrong with a file: file, key, what was found, what is wanted, and the nearest
 * right key for an unknown one.
 * @param knownKeys right keys by the path of their object, `""` for the root
 */
export function explainSchemaIssue(
	file: string,
	error: z.ZodError,
	value: unknown,
	knownKeys: Readonly<Record<string, readonly string[]>>,
): string {
	const issue = error.issues[0];
	if (issue === undefined) return `${file}: it does not fit its schema`;
	const path = issue.path.map(String);
	if (issue.code === "unrecognized_keys") {
		const key = issue.keys[0] ?? "";
		const known = knownKeys[path.join(".")] ?? [];
		const nearest = known.length > 0 ? closest(key, [...known]) : "";
		const hint = nearest !== "" && distance(key, nearest) <= 3 ? `, did you mean ${nearest}?` : "";
		return `${file}: unknown key ${[...path, key].join(".")}${hint || `; known: ${known.join(", ")}`}`;
	}
	const found = show(valueAt(value, issue.path));
	return `${file}: ${path.join(".") || "the file"}: found ${found}, wanted ${describeWanted(issue)}`;
}

function describeWanted(issue: z.core.$ZodIssue): string {
	switch (issue.code) {
		case "invalid_type":
			return issue.expected === "array" ? "a list" : issue.expected;
		case "invalid_value":
			return issue.values.map(String).join(" or ");
		case "invalid_key":
			return issue.issues[0]?.message ?? "another key";
		default:
			return issue.message.charAt(0).toLowerCase() + issue.message.slice(1);
	}
}

function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
	return path.reduce<unknown>((inner, key) => (typeof inner === "object" && inner !== null ? Reflect.get(inner, key) : undefined), value);
}

function show(value: unknown): string {
	return value === undefined ? "nothing" : JSON.stringify(value).slice(0, 80);
}
