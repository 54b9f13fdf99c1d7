import { stripVTControlCharacters } from "node:util";

/** Keeps the beginning and the end of an output of any length, with a note for what lies between (R43). */
export interface OutputBuffer {
	add(chunk: Buffer): void;
	/** Bytes seen so far. */
	size(): number;
	/** Text without escape sequences. */
	render(): string;
	/** What came since the last call of this. */
	takeNew(): string;
}

const HEAD_BYTES = 8 * 1024;
const TAIL_BYTES = 24 * 1024;

export function createOutputBuffer(): OutputBuffer {
	let head = Buffer.alloc(0);
	let tail: Buffer[] = [];
	let tailBytes = 0;
	let total = 0;
	let taken = 0;

	const shrink = (): void => {
		if (tailBytes <= TAIL_BYTES * 2) return;
		tail = [Buffer.from(Buffer.concat(tail).subarray(-TAIL_BYTES))];
		tailBytes = TAIL_BYTES;
	};
	/** Everything from an offset on that is still there, with a note for what is not. */
	const from = (offset: number): string => {
		const end = Buffer.concat(tail);
		const endStart = total - end.length;
		const first = head.subarray(Math.min(offset, head.length));
		const last = end.subarray(Math.max(0, Math.max(offset, head.length) - endStart));
		const shownEnd = last.length > TAIL_BYTES ? last.subarray(-TAIL_BYTES) : last;
		const missing = total - Math.max(offset, 0) - first.length - shownEnd.length;
		const parts = [first.toString("utf8"), missing > 0 ? `\n[… ${missing} bytes left out …]\n` : "", shownEnd.toString("utf8")];
		return stripVTControlCharacters(parts.join("")).toWellFormed();
	};
	return {
		add(chunk) {
			total += chunk.length;
			const room = HEAD_BYTES - head.length;
			if (room > 0) head = Buffer.concat([head, chunk.subarray(0, room)]);
			const rest = chunk.subarray(Math.max(0, room));
			if (rest.length === 0) return;
			tail.push(rest);
			tailBytes += rest.length;
			shrink();
		},
		size: () => total,
		render: () => from(0),
		takeNew() {
			const text = from(taken);
			taken = total;
			return text;
		},
	};
}
