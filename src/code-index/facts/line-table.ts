/** Turns offsets into places; one table a text. */
export interface LineTable {
	/** 1-based line and 0-based column, both of UTF-16 units. Lines end at a line feed. */
	at(index: number): { readonly line: number; readonly column: number };
	/** Offset of a 1-based line's first character; the text's length behind the last line. */
	startOf(line: number): number;
	readonly count: number;
}

export function createLineTable(text: string): LineTable {
	const starts: number[] = [0];
	for (let end = text.indexOf("\n"); end !== -1; end = text.indexOf("\n", end + 1)) starts.push(end + 1);
	return {
		at(index) {
			let low = 0;
			let high = starts.length - 1;
			while (low < high) {
				const middle = (low + high + 1) >> 1;
				if ((starts[middle] ?? 0) <= index) low = middle;
				else high = middle - 1;
			}
			return { line: low + 1, column: index - (starts[low] ?? 0) };
		},
		startOf: (line) => starts[line - 1] ?? text.length,
		count: starts.length,
	};
}
