import { createHash } from "node:crypto";
import type { Category } from "../domain/finding.ts";

export interface FingerprintParts {
	readonly category: Category;
	/** The oldest name the file is known by, so that a rename keeps its findings. */
	readonly lineage: string;
	/** Enclosing definition; empty at top level. */
	readonly symbol: string;
	/** Code at the anchor, blanks normalised. */
	readonly quote: string;
	/** Only used when there is no code to go by: then the title is all that tells two findings apart. */
	readonly title: string;
}

/** 32 hex digits: the identity of a finding over pushes; no line number and, where there is code, no wording (BR-68). */
export function fingerprintOf(parts: FingerprintParts): string {
	const what =
		parts.quote === ""
			? [
					"title",
					parts.title
						.toLowerCase()
						.replace(/[^\p{L}\p{N}]+/gu, " ")
						.trim(),
				]
			: ["quote", parts.quote];
	return createHash("sha256")
		.update(JSON.stringify([parts.category, parts.lineage, parts.symbol, ...what]))
		.digest("hex")
		.slice(0, 32);
}

/** Without I, L, O, S, U and 0, 1, 5: nothing that is mistaken for another when read aloud or typed. */
const LETTERS = "ABCDEFGHJKMNPQRTVWXYZ";
const DIGITS = "2346789";

/**
 * Short ids such as `R7K2` for the fingerprints of one run: derived from the fingerprint, two more characters where
 * two would clash. Ids that are already public (`taken`) stay with their fingerprint.
 */
export function assignIds(fingerprints: readonly string[], taken: Readonly<Record<string, string>> = {}): ReadonlyMap<string, string> {
	const ids = new Map<string, string>();
	const used = new Set<string>();
	for (const [fingerprint, id] of Object.entries(taken)) {
		if (used.has(id)) continue;
		used.add(id);
		ids.set(fingerprint, id);
	}
	// In the order of the fingerprints, not of the findings: the same set always gets the same ids.
	for (const fingerprint of [...new Set(fingerprints)].sort()) {
		if (ids.has(fingerprint)) continue;
		let id = "";
		for (let length = 4; id === "" || used.has(id); length += 2) id = spell(fingerprint, length);
		used.add(id);
		ids.set(fingerprint, id);
	}
	return ids;
}

/** Letter and digit in turn, so that no id is a word. */
function spell(fingerprint: string, length: number): string {
	const bytes = createHash("sha256").update(fingerprint).digest();
	let id = "";
	for (let index = 0; index < length; index += 1) {
		const alphabet = index % 2 === 0 ? LETTERS : DIGITS;
		id += alphabet[(bytes[index % bytes.length] ?? 0) % alphabet.length] ?? "";
	}
	return id;
}
