import { posix } from "node:path";
import { cutText } from "../domain/cut-text.ts";
import { errorText } from "../domain/errors.ts";
import type { Sha } from "../domain/ids.ts";
import type { RepositoryReader } from "../seams.ts";
import { listModes, readTrustedFile } from "./read-trusted-file.ts";

/** Instruction text for the shared part of the prompt, from the trusted ref alone (S-061, A31). */
export interface Instructions {
	/** Organisation first, then project, each under its path; empty when there is none. */
	readonly text: string;
	readonly parts: readonly { readonly source: string; readonly characters: number; readonly shown: number }[];
	/** For the summary: what was cut or could not be read. */
	readonly notes: readonly string[];
}

/** Files of the repository that hold instructions, the most specific reader first. */
const INSTRUCTION_FILES = ["CLAUDE.md", ".claude/CLAUDE.md", "AGENTS.md"] as const;

/** Measured on English and code alike: close enough for a budget, and the same on every machine. */
const CHARACTERS_PER_TOKEN = 4;
const DEFAULT_TOKEN_BUDGET = 6_000;

/**
 * Reads instructions within a token budget. When they do not fit, the project's are kept first and the
 * organisation's get the rest; every cut is said in the text itself and in the notes (S-061). Rejects only when git
 * itself fails.
 */
export async function loadInstructions(options: {
	readonly reader: RepositoryReader;
	readonly trusted: Sha;
	readonly organisation?: readonly { readonly source: string; readonly text: string }[];
	readonly tokenBudget?: number;
}): Promise<Instructions> {
	const notes: string[] = [];
	const project: Part[] = [];
	const modes = await listModes(options.reader, options.trusted, ".");
	for (const path of INSTRUCTION_FILES) {
		const found = await readInstructionFile(options.reader, options.trusted, path, modes);
		if (found.kind === "refused") notes.push(`instructions: ${path} is not used: ${found.reason}`);
		// AGENTS.md is often a link to CLAUDE.md: the same text is not sent twice.
		if (found.kind === "text" && !project.some((part) => part.source === found.path || part.text === found.text)) {
			project.push({ source: found.path, text: found.text });
		}
	}
	const organisation = (options.organisation ?? [])
		.map(({ source, text }) => ({ source, text: text.trim() }))
		.filter((part) => part.text !== "");
	let left = (options.tokenBudget ?? DEFAULT_TOKEN_BUDGET) * CHARACTERS_PER_TOKEN;
	const fit = (part: Part): FittedPart => {
		const fitted = fitPart(part, left);
		left -= fitted.text.length;
		if (fitted.text.length < part.text.length) notes.push(describeCut(part, fitted.text.length));
		return fitted;
	};
	const fittedProject = project.map(fit);
	const ordered = [...organisation.map(fit), ...fittedProject];
	return {
		text: ordered.map(renderPart).join("\n\n"),
		parts: ordered.map((part) => ({ source: part.source, characters: part.full, shown: part.text.length })),
		notes,
	};
}

interface Part {
	readonly source: string;
	readonly text: string;
}

interface FittedPart extends Part {
	readonly full: number;
}

/** Cuts at a line end, so that no sentence is turned into another one. */
function fitPart(part: Part, characters: number): FittedPart {
	const full = part.text.length;
	if (full <= characters) return { ...part, full };
	const cut = cutText(part.text, Math.max(0, characters));
	const end = cut.lastIndexOf("\n");
	return { source: part.source, text: end > 0 ? cut.slice(0, end) : "", full };
}

function renderPart(part: FittedPart): string {
	const notice =
		part.text.length < part.full ? `\n\n[cut: ${part.text.length} of ${part.full} characters of ${part.source} are shown]` : "";
	return `# Instructions from ${part.source}\n\n${part.text}${notice}`;
}

function describeCut(part: Part, shown: number): string {
	return `instructions: ${part.source} is cut to ${shown} of ${part.text.length} characters by the token budget`;
}

type FoundInstructions =
	| { readonly kind: "text"; readonly path: string; readonly text: string }
	| { readonly kind: "refused"; readonly reason: string }
	| { readonly kind: "absent" };

/** One step of a link is followed, inside the same commit and to Markdown only: a common and harmless habit. */
async function readInstructionFile(
	reader: RepositoryReader,
	commit: Sha,
	path: string,
	modes: ReadonlyMap<string, string>,
): Promise<FoundInstructions> {
	const found = await readTrustedFile(reader, commit, path, modes);
	if (found.kind === "absent") return { kind: "absent" };
	if (found.kind === "file") return decode(path, found.bytes);
	const target = posix.normalize(posix.join(posix.dirname(path), found.target));
	if (posix.isAbsolute(found.target) || target.startsWith("..") || !target.toLowerCase().endsWith(".md")) {
		return {
			kind: "refused",
			reason: `it is a symbolic link to ${JSON.stringify(found.target.slice(0, 80))}, which is no Markdown file of the repository`,
		};
	}
	const linked = await readTrustedFile(reader, commit, target, modes);
	if (linked.kind !== "file") return { kind: "refused", reason: `it is a symbolic link to ${target}, which is no plain file` };
	return decode(target, linked.bytes);
}

function decode(path: string, bytes: Uint8Array): FoundInstructions {
	try {
		const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes).trim();
		return text === "" ? { kind: "absent" } : { kind: "text", path, text };
	} catch (error) {
		return { kind: "refused", reason: `it is not UTF-8 text (${errorText(error)})` };
	}
}
