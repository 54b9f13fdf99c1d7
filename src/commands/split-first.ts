/** The first word and what stands behind it, line ends kept. */
export function splitFirst(text: string): readonly [first: string, rest: string] {
	const match = /^(\S*)\s*([\s\S]*)$/.exec(text.trim());
	return [match?.[1] ?? "", match?.[2] ?? ""];
}
