import { isTooRegular, lintCredentials } from "./credential-linter.ts";

/** More text than this is cut: everything that is published in one run is far smaller. */
const MOST_CHARACTERS = 2_000_000;
const PLACEHOLDER = /EXAMPLE|^(?:x{6,}|\*{6,})/;

/**
 * Credentials that nobody named as one, in text that is about to leave: by secretlint's rules, in the text itself and in
 * what it hides (reversed, rot13, base64, hexadecimal, URL-encoded; SECURITY.md 6, LEAK). Gives each value as it stands
 * in the text, so that it can be taken out like a known one. Documented examples such as `AKIA…EXAMPLE` are none.
 * Never rejects for the text's sake; a linter that cannot be loaded rejects.
 */
export async function findCredentials(texts: readonly string[]): Promise<readonly string[]> {
	const text = [...new Set(texts)].join("\n\n").slice(0, MOST_CHARACTERS);
	if (text.trim() === "") return [];
	const found = new Set(await lint(text));
	for (const value of await lint(reverse(text))) found.add(reverse(value));
	for (const value of await lint(rot13(text))) found.add(rot13(value));
	const hidden = listEncoded(text);
	for (const { raw, decoded } of hidden.length === 0 || !(await hasHit(hidden)) ? [] : hidden) {
		if ((await lint(decoded)).length > 0) found.add(raw);
	}
	return [...found];
}

async function lint(text: string): Promise<readonly string[]> {
	const hits = await lintCredentials(text, "text.txt");
	return hits.map(({ range }) => text.slice(range[0], range[1])).filter((value) => !PLACEHOLDER.test(value) && !isTooRegular(value));
}

interface Encoded {
	/** As it stands in the text. */
	readonly raw: string;
	readonly decoded: string;
}

/** One pass over all of them decides whether any has to be looked at by itself. */
async function hasHit(hidden: readonly Encoded[]): Promise<boolean> {
	return (await lint(hidden.map(({ decoded }) => decoded).join("\n\n"))).length > 0;
}

/** Runs of the text that are readable text in another alphabet. */
function listEncoded(text: string): readonly Encoded[] {
	const result: Encoded[] = [];
	const add = (raw: string, decoded: string): void => {
		if (/^[\t\n\r\x20-\x7e]{12,}$/.test(decoded)) result.push({ raw, decoded });
	};
	for (const [run] of text.matchAll(/[A-Za-z0-9+/_-]{20,}={0,2}/g)) add(run, Buffer.from(run, "base64").toString("latin1"));
	for (const [run] of text.matchAll(/(?:[0-9a-f]{2}){16,}/gi)) add(run, Buffer.from(run, "hex").toString("latin1"));
	for (const [run] of text.matchAll(/(?:%[0-9a-f]{2}|[\w.~-]){16,}/gi)) if (run.includes("%")) add(run, decodePercent(run));
	return result;
}

function decodePercent(text: string): string {
	return text.replace(/%([0-9a-f]{2})/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
}

/** By bytes: credentials are ASCII, and what else is in the text need not stay readable. */
function reverse(text: string): string {
	return Buffer.from(text).reverse().toString("latin1");
}

function rot13(text: string): string {
	const bytes = Buffer.from(text);
	for (let index = 0; index < bytes.length; index += 1) {
		const byte = bytes[index] ?? 0;
		const letter = (byte | 0x20) - 97;
		if (letter >= 0 && letter < 26) bytes[index] = byte + (letter < 13 ? 13 : -13);
	}
	return bytes.toString("latin1");
}
