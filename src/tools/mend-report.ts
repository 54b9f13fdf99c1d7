import { CATEGORIES } from "../domain/finding.ts";

/** Words that models use for our four severities. */
const SEVERITY_WORDS: Readonly<Record<string, string>> = {
	blocker: "critical",
	fatal: "critical",
	error: "important",
	high: "important",
	major: "important",
	warning: "minor",
	warn: "minor",
	medium: "minor",
	moderate: "minor",
	low: "nit",
	info: "nit",
	note: "nit",
	trivial: "nit",
	style: "nit",
};

const EVIDENCE_WORDS: Readonly<Record<string, string>> = {
	tested: "reproduced",
	verified: "reproduced",
	confirmed: "reproduced",
	read: "traced",
	trace: "traced",
	inferred: "stated",
	reasoned: "stated",
};

/**
 * Puts a report that means the right thing into the schema's form: numbers and lists written as strings, nulls,
 * severities and categories in other words, evidence as plain text. What cannot be understood is left as it is, so
 * that the schema says what is wrong. Every string becomes well-formed Unicode (BR-75).
 */
export function mendReport(input: unknown): unknown {
	const report = asObject(readJsonText(input));
	if (report === undefined) return input;
	const findings = readJsonText(report["findings"] ?? []);
	const open = readJsonText(report["open"] ?? []);
	return {
		...report,
		findings: Array.isArray(findings) ? findings.map(mendFinding) : findings,
		open: typeof open === "string" ? (open.trim() === "" ? [] : [open]) : open,
	};
}

function mendFinding(input: unknown): unknown {
	const finding = asObject(readJsonText(input));
	if (finding === undefined) return input;
	const { line, file, rule, ...rest } = finding;
	return {
		...rest,
		path: mendPath(rest["path"] ?? file),
		...numberField("startLine", rest["startLine"] ?? line),
		...numberField("endLine", rest["endLine"]),
		...(typeof rest["side"] === "string" ? { side: rest["side"].toUpperCase() } : {}),
		severity: mendWord(rest["severity"], SEVERITY_WORDS),
		category: mendCategory(rest["category"] ?? rule),
		confidence: mendConfidence(rest["confidence"]),
		evidence: mendEvidence(rest["evidence"]),
	};
}

/** A copy without null values and with well-formed strings; undefined when it is no object. */
function asObject(input: unknown): Record<string, unknown> | undefined {
	if (typeof input !== "object" || input === null || Array.isArray(input)) return undefined;
	return Object.fromEntries(
		Object.entries(input)
			.filter(([, value]) => value !== null)
			.map(([key, value]) => [key, typeof value === "string" ? value.toWellFormed() : value]),
	);
}

/** Lists and objects sometimes arrive as JSON inside a string. */
function readJsonText(input: unknown): unknown {
	if (typeof input !== "string" || !/^\s*[[{]/.test(input)) return input;
	try {
		return JSON.parse(input);
	} catch {
		return input;
	}
}

function mendPath(path: unknown): unknown {
	return typeof path === "string" ? path.replace(/^(\.\/)+/, "") : path;
}

function numberField(name: string, value: unknown): Record<string, unknown> {
	if (value === undefined || value === 0) return {};
	return { [name]: typeof value === "string" && /^\d+$/.test(value.trim()) ? Number(value) : value };
}

function mendWord(value: unknown, words: Readonly<Record<string, string>>): unknown {
	if (typeof value !== "string") return value;
	const word = value.trim().toLowerCase();
	return words[word] ?? word;
}

/** The list of categories is ours; a word that is not on it does not make a finding worthless. */
function mendCategory(value: unknown): unknown {
	if (typeof value !== "string") return "other";
	const word = value
		.trim()
		.toLowerCase()
		.replace(/[\s_]+/g, "-");
	return CATEGORIES.some((category) => category === word) ? word : "other";
}

/** `85`, `"85"`, `"85%"` and the fraction `0.85` are the same. A whole 1 is one of a hundred. */
function mendConfidence(value: unknown): unknown {
	const number = typeof value === "string" ? Number(value.trim().replace(/%$/, "")) : value;
	if (typeof number !== "number" || Number.isNaN(number)) return value;
	return Math.round(number > 0 && number < 1 ? number * 100 : number);
}

function mendEvidence(value: unknown): unknown {
	const read = readJsonText(value);
	if (read === undefined || read === null) return { kind: "stated", detail: "" };
	if (typeof read === "string") return { kind: "stated", detail: read.toWellFormed() };
	const evidence = asObject(read);
	if (evidence === undefined) return value;
	return { detail: "", ...evidence, kind: mendWord(evidence["kind"] ?? "stated", EVIDENCE_WORDS) };
}
