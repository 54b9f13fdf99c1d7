const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const BLANK = 0x20;
const PLUS = 0x2b;
const MINUS = 0x2d;
const ZERO = 0x30;
const NINE = 0x39;
const AT = 0x40;
const BACKSLASH = 0x5c;
const LETTER_D = 0x64;
const LETTER_G = 0x47;
const COMMA = 0x2c;

/** Numbers a hunk takes in `ScannedSection.hunks`: old start, old lines, new start, new lines, offset of its `@@` line. */
export const HUNK_FIELDS = 5;

/**
 * Four bytes at once: a word holds a line feed when, with line feeds turned to zero, subtracting one borrows from
 * some byte's high bit. It makes a large diff twice as fast to walk as one byte at a time.
 */
const FOUR_LINE_FEEDS = 0x0a0a0a0a;
const FOUR_ONES = 0x01010101;
const FOUR_HIGH_BITS = 0x80808080;

const LARGEST_LINE = 0x7fffffff;

/** One section of a diff as bytes, with the place of each hunk. Lines are not looked at again until asked for. */
export interface ScannedSection {
	/** Offset of the section in the whole stream. */
	readonly offset: number;
	/** The section's own bytes, header included. */
	readonly bytes: Buffer;
	/** Bytes before the first hunk. */
	readonly headerLength: number;
	readonly combined: boolean;
	/** `HUNK_FIELDS` numbers a hunk; the offset counts from the section's start. */
	readonly hunks: Int32Array;
	readonly additions: number;
	readonly deletions: number;
	readonly problem: string | undefined;
}

type State = "outside" | "header" | "hunk" | "between" | "skipping";

/**
 * Cuts a stream of unified diff text into sections without making strings.
 *
 * Inside a hunk nothing but the line counts of its `@@` line decides, so content that looks like a header stays
 * content (BR-01), and a no-newline marker changes no count (BR-02). Memory holds one section at a time: chunks
 * are kept as they came and joined only when a section spans several.
 */
export class DiffScanner {
	readonly #done: ScannedSection[] = [];
	#state: State;
	#consumed = 0;
	#carry: Buffer | undefined;
	#insideLine = false;
	/** The chunk at hand, four bytes a number, from its first aligned byte on. */
	#words: Uint32Array = new Uint32Array();
	#oldLeft = 0;
	#newLeft = 0;
	#open = false;
	#offset = 0;
	#parts: Buffer[] = [];
	#partStart = 0;
	#headerLength = -1;
	#combined = false;
	/** Grows and is used again for each section; `#hunkNumbers` of it count. */
	#hunks = new Int32Array(64 * HUNK_FIELDS);
	#hunkNumbers = 0;
	readonly #hunkHeader: [oldStart: number, oldLines: number, newStart: number, newLines: number] = [0, 1, 0, 1];
	#additions = 0;
	#deletions = 0;
	#problem: string | undefined;

	/** `patch: true` for the text of one file that starts with its first hunk, as GitHub's API gives it. */
	constructor(options: { readonly patch?: boolean } = {}) {
		this.#state = options.patch === true ? "between" : "outside";
		this.#open = options.patch === true;
		if (options.patch === true) this.#headerLength = 0;
	}

	/** Takes the next bytes and gives back the sections that ended in them. */
	push(chunk: Buffer): ScannedSection[] {
		this.#partStart = 0;
		const shift = -chunk.byteOffset & 3;
		this.#words = new Uint32Array(chunk.buffer, chunk.byteOffset + shift, Math.max(0, chunk.length - shift) >> 2);
		let position = this.#finishCarriedLine(chunk);
		while (position < chunk.length) {
			if (this.#state === "hunk") {
				position = this.#readHunk(chunk, position);
				continue;
			}
			// A further hunk, header wholly in this chunk: the walk through the hunk also passes the rest of this line.
			if (
				this.#state === "between" &&
				chunk[position] === AT &&
				this.#readHunkHeader(chunk, position, chunk.length, this.#offsetOf(position))
			) {
				this.#state = "hunk";
				this.#insideLine = true;
				continue;
			}
			const end = chunk.indexOf(LINE_FEED, position);
			if (end === -1) {
				this.#carry = chunk.subarray(position);
				break;
			}
			this.#readLine(chunk, position, end, this.#consumed + position);
			position = end + 1;
		}
		if (this.#open) this.#keep(chunk, this.#partStart, position);
		this.#consumed += chunk.length;
		return this.#done.splice(0);
	}

	/** Ends the stream: a last line without line feed counts as a line. */
	end(): ScannedSection[] {
		const carry = this.#carry;
		if (carry !== undefined) {
			this.#carry = undefined;
			this.#partStart = 0;
			this.#readLine(carry, 0, carry.length, this.#consumed - carry.length);
			if (this.#open) this.#keep(carry, this.#partStart, carry.length);
		}
		if (this.#state === "hunk" && (this.#oldLeft > 0 || this.#newLeft > 0)) this.#problem ??= "the last hunk is cut off";
		this.#close();
		return this.#done.splice(0);
	}

	/** A header line that began in an earlier chunk: joined, read, and attributed as one piece. */
	#finishCarriedLine(chunk: Buffer): number {
		const carry = this.#carry;
		if (carry === undefined) return 0;
		const end = chunk.indexOf(LINE_FEED);
		if (end === -1) {
			this.#carry = Buffer.concat([carry, chunk]);
			this.#partStart = chunk.length;
			return chunk.length;
		}
		this.#carry = undefined;
		const line = Buffer.concat([carry, chunk.subarray(0, end + 1)]);
		this.#readLine(line, 0, line.length - 1, this.#consumed - carry.length);
		if (this.#open) this.#keep(line, this.#partStart, line.length);
		this.#partStart = end + 1;
		return end + 1;
	}

	/** Runs through hunk lines; stops when the counts are used up, at the chunk's end, or at a line that fits no hunk. */
	#readHunk(chunk: Buffer, from: number): number {
		const length = chunk.length;
		const shift = -chunk.byteOffset & 3;
		const words = this.#words;
		const wordCount = words.length;
		let position = from;
		let oldLeft = this.#oldLeft;
		let newLeft = this.#newLeft;
		let additions = 0;
		let deletions = 0;
		let inside = this.#insideLine;
		for (;;) {
			if (inside) {
				// Up to where words align, byte by byte; then words; then the bytes of the word that holds it, or of the rest.
				let word = (position - shift + 3) >> 2;
				const aligned = (word << 2) + shift;
				while (position < aligned && position < length && chunk[position] !== LINE_FEED) position++;
				if (position === aligned) {
					while (word < wordCount) {
						const value = (words[word] as number) ^ FOUR_LINE_FEEDS;
						if (((value - FOUR_ONES) & ~value & FOUR_HIGH_BITS) !== 0) break;
						word++;
					}
					position = (word << 2) + shift;
					while (position < length && chunk[position] !== LINE_FEED) position++;
				}
				if (position >= length) break;
				position++;
				inside = false;
			}
			if (oldLeft <= 0 && newLeft <= 0) {
				this.#state = "between";
				break;
			}
			if (position === length) break;
			const first = chunk[position];
			if (first === BLANK || first === LINE_FEED || first === CARRIAGE_RETURN) {
				oldLeft--;
				newLeft--;
			} else if (first === PLUS) {
				newLeft--;
				additions++;
			} else if (first === MINUS) {
				oldLeft--;
				deletions++;
			} else if (first !== BACKSLASH) {
				this.#problem ??= "a hunk has fewer lines than its header says";
				this.#state = "between";
				break;
			}
			if (oldLeft < 0 || newLeft < 0) this.#problem ??= "a hunk has other lines than its header says";
			inside = true;
		}
		this.#oldLeft = oldLeft;
		this.#newLeft = newLeft;
		this.#additions += additions;
		this.#deletions += deletions;
		this.#insideLine = inside;
		return position;
	}

	/** A line outside hunks. `start` and `end` are positions in `bytes`; `absolute` is its place in the stream. */
	#readLine(bytes: Buffer, start: number, end: number, absolute: number): void {
		const first = bytes[start];
		if (first === LETTER_D && isSectionStart(bytes, start, end)) {
			if (this.#open) this.#keep(bytes, this.#partStart, start);
			this.#close();
			this.#open = true;
			this.#offset = absolute;
			this.#partStart = start;
			this.#combined = bytes[start + 7] !== 0x67;
			this.#state = "header";
			return;
		}
		if (this.#state === "outside" || this.#state === "skipping") return;
		if (first === AT) {
			if (this.#headerLength === -1) this.#headerLength = absolute - this.#offset;
			if (!this.#combined && this.#readHunkHeader(bytes, start, end, absolute - this.#offset)) {
				this.#state = "hunk";
				this.#insideLine = false;
				return;
			}
			if (!this.#combined) this.#problem ??= "a hunk header cannot be read";
			this.#state = "skipping";
		} else if (first === LETTER_G && this.#state === "header" && bytes.toString("latin1", start, end) === "GIT binary patch") {
			this.#headerLength = absolute - this.#offset + (end - start);
			this.#state = "skipping";
		}
	}

	/** `@@ -1,2 +3,4 @@`; counts default to 1. Written without closures: a diff without context is mostly such lines. */
	#readHunkHeader(bytes: Buffer, start: number, end: number, offset: number): boolean {
		if (bytes[start + 1] !== AT || bytes[start + 2] !== BLANK || bytes[start + 3] !== MINUS) return false;
		let position = start + 4;
		let numbers = 0;
		const hunk = this.#hunkHeader;
		hunk[1] = 1;
		hunk[3] = 1;
		for (let field = 0; position < end; position++) {
			let value = 0;
			const from = position;
			for (let byte = bytes[position] ?? 0; byte >= ZERO && byte <= NINE; byte = bytes[++position] ?? 0) value = value * 10 + byte - ZERO;
			if (position === from || value > LARGEST_LINE) return false;
			hunk[field] = value;
			numbers++;
			const next = bytes[position];
			if (next === COMMA && field % 2 === 0) field++;
			else if (next === BLANK && field < 2 && bytes[position + 1] === PLUS) {
				field = 2;
				position++;
			} else if (next === BLANK && field >= 2 && numbers >= 2 && bytes[position + 1] === AT && bytes[position + 2] === AT) break;
			else return false;
		}
		if (position + 2 >= end) return false;
		if (this.#hunkNumbers === this.#hunks.length) {
			const larger = new Int32Array(this.#hunks.length * 2);
			larger.set(this.#hunks);
			this.#hunks = larger;
		}
		const table = this.#hunks;
		table[this.#hunkNumbers++] = hunk[0];
		table[this.#hunkNumbers++] = hunk[1];
		table[this.#hunkNumbers++] = hunk[2];
		table[this.#hunkNumbers++] = hunk[3];
		table[this.#hunkNumbers++] = offset;
		this.#oldLeft = hunk[1];
		this.#newLeft = hunk[3];
		return true;
	}

	#offsetOf(position: number): number {
		return this.#consumed + position - this.#offset;
	}

	#keep(bytes: Buffer, start: number, end: number): void {
		if (end > start) this.#parts.push(start === 0 && end === bytes.length ? bytes : bytes.subarray(start, end));
	}

	#close(): void {
		if (this.#open) {
			const only = this.#parts.length === 1 ? this.#parts[0] : undefined;
			const bytes = only ?? Buffer.concat(this.#parts);
			this.#done.push({
				offset: this.#offset,
				bytes,
				headerLength: this.#headerLength === -1 ? bytes.length : this.#headerLength,
				combined: this.#combined,
				hunks: this.#hunks.slice(0, this.#hunkNumbers),
				additions: this.#additions,
				deletions: this.#deletions,
				problem: this.#problem,
			});
		}
		this.#open = false;
		this.#parts = [];
		this.#headerLength = -1;
		this.#combined = false;
		this.#hunkNumbers = 0;
		this.#additions = 0;
		this.#deletions = 0;
		this.#problem = undefined;
		this.#state = "outside";
	}
}

const SECTION_STARTS = ["diff --git ", "diff --cc ", "diff --combined "];

function isSectionStart(bytes: Buffer, start: number, end: number): boolean {
	return SECTION_STARTS.some((text) => start + text.length <= end && bytes.toString("latin1", start, start + text.length) === text);
}
