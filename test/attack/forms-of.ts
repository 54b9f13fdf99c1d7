/** All forms in which somebody may try to carry a value past a filter: SECURITY.md 6, LEAK. */
export function formsOf(value: string): readonly string[] {
	const bytes = Buffer.from(value);
	// What does not depend on the neighbours, at each of the three offsets.
	const inner = [0, 1, 2].map((offset) =>
		Buffer.concat([Buffer.alloc(offset), bytes])
			.toString("base64")
			.slice(4, -4),
	);
	const rot13 = value.replace(/[a-z]/gi, (c) => String.fromCharCode(c.charCodeAt(0) + (/[a-m]/i.test(c) ? 13 : -13)));
	return [
		...[value, bytes.toString("hex"), bytes.toString("hex").toUpperCase(), [...value].reverse().join(""), rot13],
		...[value.replaceAll(/[-_]/g, ""), [...bytes].map((byte) => `%${byte.toString(16)}`).join("")],
		...inner,
	];
}
