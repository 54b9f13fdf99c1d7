import type { Severity } from "./finding.ts";

/** What `diagnose` can establish without a model. */
export const FACT_KINDS = [
	"syntax-error",
	"conflict-marker",
	"secret",
	"focused-test",
	"skipped-test",
	"removed-use",
	"stale-call",
] as const;

export type FactKind = (typeof FACT_KINDS)[number];

/** Something a check showed at a place of the head tree, brought in by the change. Never an opinion. */
export interface Fact {
	readonly kind: FactKind;
	/** Stable name of the check, for example `syntax/go` or `secret/github`. */
	readonly rule: string;
	readonly path: string;
	/** 1-based lines of the head file, inclusive. */
	readonly line: number;
	readonly endLine: number;
	/** The line as it stands in the file, cut at 200 characters; empty for a secret, so that nothing repeats it. */
	readonly quote: string;
	readonly message: string;
	readonly severity: Severity;
	/** Text that replaces `line` to `endLine` and is known to be right; absent when nobody can know. */
	readonly replacement?: string;
	/** How it is known, where more than one place is needed to show it. */
	readonly trace?: string;
}

/** The result of one diagnosis: what was found and, as important, what was looked at. */
export interface Diagnosis {
	readonly facts: readonly Fact[];
	/** Number of files by check, in the order of running. */
	readonly checks: Readonly<Record<string, number>>;
	readonly checked: readonly string[];
	readonly notChecked: readonly { readonly path: string; readonly reason: string }[];
	/** Doubts that were not strong enough for a fact. */
	readonly notes: readonly string[];
}

/** Facts beyond this are counted and not listed. */
const MAX_LISTED = 50;

/**
 * The text form that children get: one sentence, then one JSON object a line. JSON keeps text of the head tree inside
 * string literals. `parseDiagnosis` reads it back; both stand here because they are one format.
 */
export function renderDiagnosis(diagnosis: Diagnosis): string {
	const { facts, notChecked, notes } = diagnosis;
	const ran = Object.entries(diagnosis.checks).map(([name, count]) => `${name} (${count})`);
	const lines = [
		`${facts.length === 1 ? "1 fact" : `${facts.length} facts`} in ${diagnosis.checked.length} checked files. Checks and the files they fit: ${ran.join(", ") || "none"}.`,
		...facts.slice(0, MAX_LISTED).map((fact) => JSON.stringify(fact)),
	];
	if (facts.length > MAX_LISTED) lines.push(`${facts.length - MAX_LISTED} more facts are not listed.`);
	lines.push(...notChecked.slice(0, MAX_LISTED).map((row) => JSON.stringify({ notChecked: row.path, reason: row.reason })));
	if (notChecked.length > MAX_LISTED) lines.push(`${notChecked.length - MAX_LISTED} more files were not checked.`);
	lines.push(...notes.slice(0, MAX_LISTED).map((note) => JSON.stringify({ note })));
	lines.push(JSON.stringify({ checks: diagnosis.checks, checked: diagnosis.checked.length }));
	return lines.join("\n");
}

export interface ParsedDiagnosis {
	readonly facts: readonly Fact[];
	/** Undefined when the text was cut before its end. */
	readonly checks: Readonly<Record<string, number>> | undefined;
	readonly checked: number;
	readonly notChecked: readonly { readonly path: string; readonly reason: string }[];
	readonly notes: readonly string[];
	/** True when rows were left out for length. */
	readonly shortened: boolean;
}

/** Reads the text of `renderDiagnosis`; lines that are something else are passed over. */
export function parseDiagnosis(text: string): ParsedDiagnosis {
	const facts: Fact[] = [];
	const notChecked: { path: string; reason: string }[] = [];
	const notes: string[] = [];
	let checks: Record<string, number> | undefined;
	let checked = 0;
	for (const line of text.split("\n")) {
		const row = parseRow(line);
		if (row === undefined) continue;
		if (isFact(row)) facts.push(row);
		else if (typeof row["notChecked"] === "string") notChecked.push({ path: row["notChecked"], reason: String(row["reason"]) });
		else if (typeof row["note"] === "string") notes.push(row["note"]);
		else if (typeof row["checks"] === "object" && row["checks"] !== null) {
			checks = row["checks"] as Record<string, number>;
			checked = Number(row["checked"]);
		}
	}
	return { facts, checks, checked, notChecked, notes, shortened: checks === undefined || /^\d+ more f/m.test(text) };
}

function parseRow(line: string): Record<string, unknown> | undefined {
	if (!line.startsWith("{")) return undefined;
	try {
		return JSON.parse(line) as Record<string, unknown>;
	} catch {
		return undefined;
	}
}

function isFact(row: object): row is Fact {
	const fact = row as Partial<Fact>;
	return FACT_KINDS.includes(fact.kind as FactKind) && typeof fact.path === "string" && typeof fact.line === "number";
}
