import { isAscii } from "node:buffer";
import { createHash } from "node:crypto";

/** Texts of one tree, read when they are asked for and kept while there is room. */
export interface TextStore {
	/** Undefined for what cannot be read, is binary or too large. */
	text(path: string): string | undefined;
	/** The id that git gives a file of this text; undefined as for `text`. */
	blobId(path: string): string | undefined;
	/** UTF-16 units held now. */
	readonly heldChars: number;
}

export interface TextStoreOptions {
	/** Bytes of a file; undefined when it is absent, no regular file, hidden or too large. Never throws. */
	readonly read: (path: string) => Buffer | undefined;
	/** What is beyond is read again each time. */
	readonly maxHeldChars?: number;
}

/** Where git looks for the NUL that makes a file binary. */
const BINARY_PROBE = 8_000;

export function createTextStore({ read, maxHeldChars = 300_000_000 }: TextStoreOptions): TextStore {
	const held = new Map<string, string | undefined>();
	const ids = new Map<string, string>();
	let heldChars = 0;
	const store: TextStore = {
		get heldChars() {
			return heldChars;
		},
		text(path) {
			if (held.has(path)) return held.get(path);
			const bytes = read(path);
			const text = bytes === undefined || bytes.subarray(0, BINARY_PROBE).includes(0) ? undefined : decode(bytes);
			if (heldChars + (text?.length ?? 0) <= maxHeldChars) {
				held.set(path, text);
				heldChars += text?.length ?? 0;
			}
			return text;
		},
		blobId(path) {
			const known = ids.get(path);
			if (known !== undefined) return known;
			const text = store.text(path);
			if (text === undefined) return undefined;
			const id = blobIdOf(text);
			ids.set(path, id);
			return id;
		},
	};
	return store;
}

/** One byte a character in memory wherever the text allows it. */
function decode(bytes: Buffer): string {
	return isAscii(bytes) ? bytes.toString("latin1") : bytes.toString("utf8");
}

/** Git's id of a blob with this text, as UTF-8. */
export function blobIdOf(text: string): string {
	const bytes = Buffer.from(text, "utf8");
	return createHash("sha1").update(`blob ${bytes.length}\0`).update(bytes).digest("hex");
}
