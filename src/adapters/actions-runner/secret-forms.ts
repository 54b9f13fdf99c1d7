/**
 * Finds known values in text whatever somebody has done to hide them (SECURITY.md 6, LEAK): hexadecimal, base64 and
 * base64url at any offset, URL-encoded, reversed, rot13, with anything between their characters, or only a long part of
 * one, as when its first characters were cut to get past a scanner.
 */
export interface SecretFinder {
	/** @param value the secret itself, trimmed */
	add(value: string): void;
	/** Places in `text` that must not be shown, ascending, not overlapping; `[start, end)` in UTF-16 units. */
	find(text: string): readonly (readonly [number, number])[];
}

/** A part of this many letters and digits gives a value away; less than that is found in ordinary text. */
const LEAST_PART = 15;
/** Any run of `LEAST_PART` characters of a text holds one whole chunk of this size that begins at a multiple of it. */
const CHUNK = 8;

interface Form {
	readonly text: string;
	/** Length of a run that counts. */
	readonly least: number;
}

type Places = readonly (readonly [form: Form, at: number])[];

/** The time to find is that of one walk in steps of `CHUNK`, however many values there are. */
export function createSecretFinder(): SecretFinder {
	const chunks = new Map<string, Places>();
	const short = new Set<string>();
	return {
		add(value) {
			for (const form of listForms(value)) {
				if (form.text.length < LEAST_PART) short.add(form.text);
				else
					for (let at = 0; at + CHUNK <= form.text.length; at += 1) {
						const chunk = form.text.slice(at, at + CHUNK);
						chunks.set(chunk, [...(chunks.get(chunk) ?? []), [form, at]]);
					}
			}
		},
		find(text) {
			const stripped = strip(text);
			const found = [...findParts(stripped, chunks), ...findWhole(stripped, short)];
			return found.length === 0 ? [] : mapBack(text, merge(found));
		},
	};
}

/** All forms with nothing but letters and digits left: what stands between them in the text does not matter then. */
function listForms(value: string): readonly Form[] {
	const bytes = Buffer.from(value, "utf8");
	const plain = strip(value);
	const hex = bytes.toString("hex");
	const turned = plain.replace(/[A-Za-z]/g, (letter) => {
		const first = letter <= "Z" ? 65 : 97;
		return String.fromCharCode(((letter.charCodeAt(0) - first + 13) % 26) + first);
	});
	const texts = [plain, [...plain].reverse().join(""), turned, hex, hex.toUpperCase(), strip(encodeURIComponent(value))];
	texts.push(strip(bytes.toString("base64")));
	for (const offset of [0, 1, 2]) texts.push(strip(innerBase64(bytes, offset)));
	return [...new Set(texts)]
		.filter((text) => text.length >= CHUNK)
		.map((text) => ({ text, least: Math.min(text.length, isEncoded(text, plain) ? LEAST_PART * 2 - 1 : LEAST_PART) }));
}

/** Two hexadecimal digits a character: a part of the same worth is longer. */
function isEncoded(text: string, plain: string): boolean {
	return text.length > plain.length * 1.2;
}

/** The characters of the base64 text that depend on the value alone, when `offset` bytes stand before it. */
function innerBase64(bytes: Buffer, offset: number): string {
	const text = Buffer.concat([Buffer.alloc(offset), bytes])
		.toString("base64")
		.replace(/=+$/, "");
	const start = Math.ceil((offset * 8) / 6);
	const end = Math.floor(((offset + bytes.length) * 8) / 6);
	return text.slice(start, end);
}

/** Letters and digits alone. */
function strip(text: string): string {
	return text.replace(/[^A-Za-z0-9]+/g, "");
}

function findParts(stripped: string, chunks: ReadonlyMap<string, Places>): readonly (readonly [number, number])[] {
	const found: (readonly [number, number])[] = [];
	for (let at = 0; at + CHUNK <= stripped.length; at += CHUNK) {
		for (const [form, offset] of chunks.get(stripped.slice(at, at + CHUNK)) ?? []) {
			const run = extend(stripped, at, form.text, offset);
			if (run[1] - run[0] >= form.least) found.push(run);
		}
	}
	return found;
}

function findWhole(stripped: string, forms: ReadonlySet<string>): readonly (readonly [number, number])[] {
	const found: (readonly [number, number])[] = [];
	for (const form of forms) {
		for (let at = stripped.indexOf(form); at !== -1; at = stripped.indexOf(form, at + 1)) found.push([at, at + form.length]);
	}
	return found;
}

/** The longest run around a chunk in which text and form agree. */
function extend(text: string, at: number, form: string, offset: number): readonly [number, number] {
	let before = 0;
	while (before < Math.min(at, offset) && text[at - before - 1] === form[offset - before - 1]) before += 1;
	let after = CHUNK;
	while (at + after < text.length && offset + after < form.length && text[at + after] === form[offset + after]) after += 1;
	return [at - before, at + after];
}

function merge(ranges: readonly (readonly [number, number])[]): readonly (readonly [number, number])[] {
	const merged: [number, number][] = [];
	for (const [start, end] of [...ranges].sort((a, b) => a[0] - b[0])) {
		const last = merged.at(-1);
		if (last !== undefined && start <= last[1]) last[1] = Math.max(last[1], end);
		else merged.push([start, end]);
	}
	return merged;
}

/** From places among the letters and digits to places in the text. */
function mapBack(text: string, ranges: readonly (readonly [number, number])[]): readonly (readonly [number, number])[] {
	const places: number[] = [];
	for (const match of text.matchAll(/[A-Za-z0-9]/g)) places.push(match.index);
	return ranges.map(([start, end]) => [places[start] ?? 0, (places[end - 1] ?? 0) + 1] as const);
}
