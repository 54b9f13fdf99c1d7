import type { ReasonCode } from "../domain/errors.ts";
import { foldProseLines, type HeaderRepair, quotePlainValues } from "./front-matter-repair.ts";
import { splitFrontMatter } from "./front-matter-split.ts";
import { type HeaderData, parseHeaderYaml } from "./front-matter-yaml.ts";

/** A Markdown file with a header, read. */
export type FrontMatter =
	| {
			readonly kind: "read";
			readonly data: Readonly<Record<string, unknown>>;
			readonly body: string;
			/** What had to be mended, each with the line and what to write there. Empty for a sound header. */
			readonly repairs: readonly string[];
	  }
	| { readonly kind: "none"; readonly body: string; readonly hint?: string }
	| { readonly kind: "refused"; readonly code: ReasonCode; readonly reason: string };

const MAX_REPAIRS = 10;

/** Real agent files have at most 67 KB (BUGS.md 2.2). */
export const MAX_FILE_BYTES = 1_048_576;

/**
 * Reads a file's bytes as UTF-8 text; a value when they are too many or no text. Shared by agents and skills.
 */
export function decodeText(bytes: Uint8Array): { readonly text: string } | { readonly code: ReasonCode; readonly reason: string } {
	if (bytes.byteLength > MAX_FILE_BYTES) {
		return { code: "E_LIMIT", reason: `the file is too large: at most ${MAX_FILE_BYTES} bytes are read` };
	}
	let text: string;
	try {
		text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
	} catch {
		return { code: "E_FRONTMATTER", reason: "the file is not UTF-8 text; save it as UTF-8" };
	}
	if (text.includes("\u0000")) return { code: "E_FRONTMATTER", reason: "the file holds zero bytes, so it is no text" };
	return { text };
}

/**
 * Header and body of a Markdown text: strict YAML first, then the two measured repairs (BUGS.md 2.3), each only
 * when the step before failed. Pure and without a cache: the same text gives the same answer every time (BR-61).
 */
export function readFrontMatter(text: string): FrontMatter {
	const split = splitFrontMatter(text);
	if (split.kind === "none") return split;
	if (split.kind === "broken") return { kind: "refused", code: "E_FRONTMATTER", reason: split.reason };
	const { header, headerLine, body } = split;

	const strict = parseHeaderYaml(header);
	if (strict.ok) return { kind: "read", data: strict.data, body, repairs: [] };
	if (strict.kind === "limit") return refuse(strict, headerLine);

	const quoted = quotePlainValues(header, headerLine);
	const afterQuoting = quoted.repairs.length > 0 ? parseHeaderYaml(quoted.header) : strict;
	if (afterQuoting.ok) return acceptRepaired(afterQuoting.data, header, body, quoted.repairs);

	const folded = foldProseLines(header, headerLine);
	if (folded.repairs.length > 0) {
		const both = quotePlainValues(folded.header, headerLine);
		const afterFolding = parseHeaderYaml(both.header);
		// Folding moves lines together, so the places of the other repairs come from the first pass.
		const elsewhere = quoted.repairs.filter(({ from }) => !folded.repairs.some((fold) => fold.from <= from && from <= fold.to));
		if (afterFolding.ok) return acceptRepaired(afterFolding.data, header, body, [...folded.repairs, ...elsewhere]);
	}
	return refuse(strict, headerLine);
}

function refuse(problem: Extract<HeaderData, { ok: false }>, headerLine: number): FrontMatter {
	const place = problem.line === undefined ? "" : `line ${headerLine + problem.line - 1}: `;
	return {
		kind: "refused",
		code: problem.kind === "limit" ? "E_LIMIT" : "E_FRONTMATTER",
		reason: `${place}the header does not parse: ${problem.reason}`,
	};
}

/** A repair must never lose a restriction: a tools line that did not become a key refuses the file (BR-55). */
function acceptRepaired(
	data: Readonly<Record<string, unknown>>,
	header: string,
	body: string,
	repairs: readonly HeaderRepair[],
): FrontMatter {
	for (const key of ["tools", "disallowedTools"]) {
		const line = header.split("\n").find((candidate) => new RegExp(`^\\s*${key}\\s*:`).test(candidate));
		if (line !== undefined && !(key in data)) {
			return {
				kind: "refused",
				code: "E_FRONTMATTER",
				reason: `the header does not parse, and its line ${JSON.stringify(line.trim().slice(0, 60))} could not be read as the key ${key}`,
			};
		}
	}
	const texts = repairs.slice(0, MAX_REPAIRS).map((repair) => repair.text);
	const rest = repairs.length - texts.length;
	return { kind: "read", data, body, repairs: rest > 0 ? [...texts, `${rest} more lines have to be mended in the same way`] : texts };
}
