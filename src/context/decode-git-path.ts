const QUOTE = 0x22;
const BACKSLASH = 0x5c;

const SINGLE_ESCAPES: Readonly<Record<string, number>> = {
	a: 0x07,
	b: 0x08,
	t: 0x09,
	n: 0x0a,
	v: 0x0b,
	f: 0x0c,
	r: 0x0d,
	'"': QUOTE,
	"\\": BACKSLASH,
};

/** A decoded name and the position behind it. */
export interface DecodedPath {
	readonly path: string;
	readonly end: number;
}

/**
 * Decodes git's C-quoted form that starts with `"` at `start`: byte by byte first, then as UTF-8 (BR-03).
 * Undefined when the quote is not closed or an escape is unknown or above `\377`: such a name is not guessed at.
 */
export function decodeQuotedPath(bytes: Buffer, start = 0): DecodedPath | undefined {
	if (bytes[start] !== QUOTE) return undefined;
	const decoded: number[] = [];
	for (let position = start + 1; position < bytes.length; ) {
		const byte = bytes[position] ?? 0;
		if (byte === QUOTE) return { path: Buffer.from(decoded).toString("utf8"), end: position + 1 };
		if (byte !== BACKSLASH) {
			decoded.push(byte);
			position++;
			continue;
		}
		const octal = readOctal(bytes, position + 1);
		const escaped = octal ?? SINGLE_ESCAPES[String.fromCharCode(bytes[position + 1] ?? 0)];
		if (escaped === undefined || escaped > 0xff) return undefined;
		decoded.push(escaped);
		position += octal === undefined ? 2 : 4;
	}
	return undefined;
}

/** Three octal digits, or undefined. */
function readOctal(bytes: Buffer, start: number): number | undefined {
	const digits = bytes.toString("latin1", start, start + 3);
	return /^[0-7]{3}$/.test(digits) ? Number.parseInt(digits, 8) : undefined;
}
