import { createHash } from "node:crypto";
import { readSync } from "node:fs";
import { setImmediate } from "node:timers/promises";
import { cutText } from "../domain/cut-text.ts";

export interface LineWindow {
	/** 1-based, inclusive. */
	readonly startLine: number;
	readonly endLine: number;
	/** Characters of all lines together. */
	readonly maxChars: number;
	/** Characters of one line; the rest is counted out. */
	readonly maxLineChars: number;
}

export interface ReadLines {
	readonly lines: readonly { readonly number: number; readonly text: string; readonly cut: boolean }[];
	/** Known when the end of the file was reached. */
	readonly totalLines: number | undefined;
	/** True when `maxChars` ended the window early. */
	readonly full: boolean;
	readonly binary: boolean;
	readonly invalidUtf8: boolean;
	readonly crlf: boolean;
	/** SHA-256 of the whole content; only for files that were read to their end. */
	readonly sha256: string | undefined;
	/** True when reading stopped because the file is too large to look at as a whole. */
	readonly stopped: boolean;
}

const CHUNK = 256 * 1024;
/** Files up to here are read to their end, for the count of lines and the hash. */
const WHOLE_BYTES = 8 * 1024 * 1024;
/** Nothing behind this is looked at. */
export const MAX_SCAN_BYTES = 64 * 1024 * 1024;
/** Where git looks for the NUL that makes a file binary. */
const BINARY_PROBE = 8_000;
const LINE_FEED = 10;
const CARRIAGE_RETURN = 13;
const REPLACEMENT = Buffer.from("\ufffd");

/**
 * Reads a window of lines without holding the file. A line ends at a line feed alone; the CR before it is not shown
 * (BR-13). Memory stays at one chunk plus the window, whatever the file's size (A65).
 */
export async function readLines(descriptor: number, size: number, window: LineWindow, signal: AbortSignal): Promise<ReadLines> {
	const chunk = Buffer.allocUnsafe(CHUNK);
	const hash = size <= WHOLE_BYTES ? createHash("sha256") : undefined;
	const collector = createCollector(window);
	let offset = 0;
	let ended = false;
	let binary = false;
	while (!ended && !binary && offset < MAX_SCAN_BYTES && !signal.aborted) {
		const length = readSync(descriptor, chunk, 0, CHUNK, offset);
		if (length === 0) ended = true;
		const piece = chunk.subarray(0, length);
		if (offset === 0) binary = piece.subarray(0, BINARY_PROBE).includes(0);
		hash?.update(piece);
		if (!binary) collector.take(piece);
		offset += length;
		if (hash === undefined && collector.done()) break;
		if (offset % (CHUNK * 16) === 0) await setImmediate();
	}
	if (ended && !binary) collector.finish();
	return {
		...collector.result(),
		totalLines: ended && !binary ? collector.count() : undefined,
		binary,
		sha256: ended ? hash?.digest("hex") : undefined,
		stopped: !ended && !binary && !collector.done(),
	};
}

function createCollector(window: LineWindow) {
	const lines: { number: number; text: string; cut: boolean }[] = [];
	const maxLineBytes = window.maxLineChars * 4 + 4;
	let number = 1;
	let pending: Buffer[] = [];
	let pendingBytes = 0;
	let sawBytes = false;
	let chars = 0;
	let full = false;
	let invalidUtf8 = false;
	let crlf = false;

	const wanted = () => number >= window.startLine && number <= window.endLine && !full;
	const keep = (piece: Buffer) => {
		if (piece.length > 0) sawBytes = true;
		if (!wanted()) return;
		const room = maxLineBytes - Math.min(pendingBytes, maxLineBytes);
		if (room > 0) pending.push(Buffer.from(piece.subarray(0, room)));
		pendingBytes += piece.length;
	};
	const endLine = () => {
		if (wanted()) {
			const bytes = Buffer.concat(pending);
			const whole = pendingBytes === bytes.length;
			const carriage = whole && bytes.at(-1) === CARRIAGE_RETURN;
			const text = new TextDecoder("utf-8", { ignoreBOM: number !== 1 }).decode(carriage ? bytes.subarray(0, -1) : bytes);
			const shown = cutText(text, window.maxLineChars);
			if (shown.includes("\ufffd") && !bytes.includes(REPLACEMENT)) invalidUtf8 = true;
			crlf ||= carriage;
			chars += shown.length + 8;
			// The first line is always shown, or a single long one could never be seen at all.
			if (chars > window.maxChars && lines.length > 0) full = true;
			else lines.push({ number, text: shown, cut: !whole || shown.length < text.length });
		}
		pending = [];
		pendingBytes = 0;
		sawBytes = false;
		number++;
	};
	return {
		take(bytes: Buffer) {
			let start = 0;
			for (let end = bytes.indexOf(LINE_FEED); end !== -1; end = bytes.indexOf(LINE_FEED, start)) {
				keep(bytes.subarray(start, end));
				endLine();
				start = end + 1;
			}
			keep(bytes.subarray(start));
		},
		/** The last line may lack its line feed. */
		finish() {
			if (sawBytes) endLine();
		},
		done: () => full || number > window.endLine,
		count: () => number - 1,
		result: () => ({ lines, full, invalidUtf8, crlf }),
	};
}
