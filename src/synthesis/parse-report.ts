import { parse as parseJsonc, type ParseError } from "jsonc-parser";
import * as z from "zod";
import { CATEGORIES, SEVERITIES, type Category, type ChildReport, type ReportedFinding, type Severity } from "../domain/finding.ts";

/** A report that could be read, with remarks on the parts that could not. */
export interface ParsedReport {
	readonly report: ChildReport;
	/** One line for each part that was left out or changed. */
	readonly notes: readonly string[];
}

export interface ParseReportOptions {
	/** When given, only an object that carries it counts, and two of them count as none (BR-67). */
	readonly nonce?: string;
	/** Texts the child was shown (diff, files): an object that stands in one of them word for word is a quotation. */
	readonly quotable?: readonly string[];
}

/** A reply is cut long before this; the bounds keep hostile text from costing time. */
const MAX_TEXT = 200_000;
const MAX_OBJECTS_TRIED = 2_000;
/** Characters that are scanned for ends of objects, all scans together: text with a few stray marks needs two or three scans. */
const MAX_SCANNED = 20 * MAX_TEXT;

const reportShape = z.object({ findings: z.array(z.unknown()), nonce: z.string().optional() }).loose();

/**
 * Finds a report in free text: all objects that satisfy the schema, whatever stands around them (BR-66).
 * Undefined means that there is no report, which is a failed review and never "no findings". Without a nonce the
 * last report counts; with one, exactly one must carry it (BR-67).
 */
export function parseReportText(text: string, options: ParseReportOptions = {}): ParsedReport | undefined {
	const found: ParsedReport[] = [];
	for (const candidate of jsonObjects(text.slice(0, MAX_TEXT))) {
		const shape = reportShape.safeParse(candidate.value);
		if (!shape.success) continue;
		if (options.nonce !== undefined && shape.data.nonce !== options.nonce) continue;
		if (options.quotable?.some((shown) => shown.includes(candidate.source)) === true) continue;
		const parsed = parseReportValue(shape.data);
		if (parsed === undefined) continue;
		found.push(candidate.repaired ? { ...parsed, notes: ["the report was not strict JSON and was repaired", ...parsed.notes] } : parsed);
	}
	if (options.nonce !== undefined && found.length > 1) return undefined;
	return found.at(-1);
}

/**
 * Reads a report that is already an object. Good findings are kept when others are broken; a report in which
 * every finding is broken is no report (undefined), so that it cannot pass for a clean one.
 */
export function parseReportValue(value: unknown): ParsedReport | undefined {
	const shape = reportShape.safeParse(value);
	if (!shape.success) return undefined;
	const findings: ReportedFinding[] = [];
	const notes: string[] = [];
	shape.data.findings.forEach((item, index) => {
		const finding = parseFinding(item);
		if (typeof finding === "string") notes.push(`finding ${index + 1} of the report was left out: ${finding}`);
		else findings.push(finding);
	});
	if (findings.length === 0 && notes.length > 0) return undefined;
	const open = z.array(z.string()).safeParse(shape.data["open"] ?? []);
	if (!open.success) notes.push("the list of open points was not a list of texts and was left out");
	return { report: { summary: text(shape.data["summary"]), findings, open: open.success ? open.data : [] }, notes };
}

interface Candidate {
	readonly source: string;
	readonly value: unknown;
	readonly repaired: boolean;
}

/** Every complete JSON object at any `{`, outermost first, in the order of the text. */
function* jsonObjects(source: string): Generator<Candidate> {
	const ends: Ends = new Map();
	let tried = 0;
	let scanned = 0;
	for (let start = source.indexOf("{"); start !== -1 && tried < MAX_OBJECTS_TRIED; start = source.indexOf("{", start + 1)) {
		tried += 1;
		if (!ends.has(start)) {
			if (scanned > MAX_SCANNED) return;
			scanned += scanObject(source, start, ends);
		}
		const end = ends.get(start);
		if (end === undefined) continue;
		const candidate = parseCandidate(source.slice(start, end));
		if (candidate === undefined) continue;
		yield candidate;
		start = end - 1;
	}
}

function parseCandidate(source: string): Candidate | undefined {
	try {
		return { source, value: JSON.parse(source), repaired: false };
	} catch {
		// Trailing commas and comments are the slips models make; one repair, no more.
		const errors: ParseError[] = [];
		const value: unknown = parseJsonc(source, errors, { allowTrailingComma: true });
		return errors.length === 0 && typeof value === "object" && value !== null ? { source, value, repaired: true } : undefined;
	}
}

/** Index behind the `}` that closes the `{` at an index; undefined when nothing closes it. */
type Ends = Map<number, number | undefined>;

/**
 * Finds the end of the object at `start`, and on the way those of all objects in it, so that none is scanned again.
 * Braces inside strings do not count. Gives the number of characters that were looked at.
 */
function scanObject(source: string, start: number, ends: Ends): number {
	const open: number[] = [];
	let inString = false;
	let index = start;
	for (; index < source.length; index += 1) {
		const character = source[index];
		if (inString) {
			if (character === "\\") index += 1;
			else if (character === '"') inString = false;
		} else if (character === '"') inString = true;
		else if (character === "{") open.push(index);
		else if (character === "}") {
			ends.set(open.pop() ?? start, index + 1);
			if (open.length === 0) break;
		}
	}
	for (const unclosed of open) ends.set(unclosed, undefined);
	return index - start;
}

const looseFinding = z.record(z.string(), z.unknown());

function parseFinding(item: unknown): ReportedFinding | string {
	const record = looseFinding.safeParse(item);
	if (!record.success) return "it is not an object";
	const raw = record.data;
	const path = text(raw["path"] ?? raw["file"]);
	if (path === "") return "it names no file";
	const body = text(raw["body"] ?? raw["description"] ?? raw["message"]);
	const title = text(raw["title"]) || firstSentence(body);
	if (title === "") return "it has neither title nor body";
	const quote = typeof raw["quote"] === "string" && raw["quote"].trim() !== "" ? raw["quote"] : undefined;
	const startLine = lineNumber(raw["startLine"] ?? raw["start_line"] ?? raw["line"]);
	const endLine = lineNumber(raw["endLine"] ?? raw["end_line"] ?? raw["line"]);
	const suggestion = typeof raw["suggestion"] === "string" && raw["suggestion"] !== "" ? raw["suggestion"] : undefined;
	const side = raw["side"] === "LEFT" || raw["side"] === "RIGHT" ? raw["side"] : undefined;
	return {
		path,
		...(quote === undefined ? {} : { quote }),
		...(startLine === undefined ? {} : { startLine }),
		...(endLine === undefined ? {} : { endLine }),
		...(side === undefined ? {} : { side }),
		severity: severityOf(raw["severity"]),
		category: categoryOf(raw["category"]),
		title,
		body: body || title,
		...(suggestion === undefined ? {} : { suggestion }),
		confidence: confidenceOf(raw["confidence"]),
		evidence: evidenceOf(raw["evidence"]),
	};
}

function text(value: unknown): string {
	return typeof value === "string" ? value.trim() : "";
}

function firstSentence(body: string): string {
	const line = body.split("\n", 1)[0] ?? "";
	return line.length > 100 ? `${line.slice(0, 99).trimEnd()}…` : line;
}

/** Numbers are kept as they are claimed, 9999 and 0 included: anchoring decides what they are worth. */
function lineNumber(value: unknown): number | undefined {
	return typeof value === "number" && Number.isFinite(value) ? value : undefined;
}

/** Words other tools use for our four levels; an unknown word is `minor`, so that it neither shouts nor hides. */
const SEVERITY_WORDS: Readonly<Record<string, Severity>> = {
	blocker: "critical",
	error: "important",
	high: "important",
	major: "important",
	warning: "important",
	medium: "minor",
	low: "nit",
	info: "nit",
	style: "nit",
};

function severityOf(value: unknown): Severity {
	const word = text(value).toLowerCase();
	return SEVERITIES.find((severity) => severity === word) ?? SEVERITY_WORDS[word] ?? "minor";
}

function categoryOf(value: unknown): Category {
	const word = text(value).toLowerCase().replaceAll("_", "-");
	return CATEGORIES.find((category) => category === word) ?? "other";
}

function confidenceOf(value: unknown): number {
	if (typeof value !== "number" || !Number.isFinite(value)) return 50;
	const percent = value > 0 && value < 1 ? value * 100 : value;
	return Math.round(Math.min(100, Math.max(0, percent)));
}

const evidenceShape = z.object({ kind: z.enum(["reproduced", "traced", "stated"]), detail: z.string().default("") });

function evidenceOf(value: unknown): ReportedFinding["evidence"] {
	const parsed = evidenceShape.safeParse(value);
	return parsed.success ? parsed.data : { kind: "stated", detail: text(value) };
}
