import type { DiffLine, FilePatch, Hunk } from "../../../domain/change-set.ts";
import { cutText } from "../../../domain/cut-text.ts";
import type { ReportFinding } from "../../../domain/run-report.ts";
import { lineText } from "../permalink.ts";
import { languageOf, type Highlighter } from "./highlight.ts";
import { html, vouchFor, type Markup } from "./markup.ts";

/** Lines of diff shown before and after the finding's own. */
const CONTEXT = 6;
const MAX_LINES = 60;
const MAX_LINE_CHARS = 300;

export interface CodeTools {
	readonly highlighter: Highlighter;
	/** Takes secrets out of what the diff holds (A87). */
	readonly redact: (text: string) => string;
}

interface ShownLine {
	readonly kind: "context" | "added" | "deleted";
	readonly oldLine?: number;
	readonly newLine?: number;
	/** Escaped and coloured. */
	readonly code: string;
	/** True for the lines that the finding speaks of. */
	readonly marked: boolean;
}

/** The diff around a finding, its own lines marked; undefined when its lines are in no hunk. */
export function renderExcerpt(finding: ReportFinding, patch: FilePatch | undefined, tools: CodeTools): Markup | undefined {
	const place = patch === undefined ? undefined : findLines(finding, patch.hunks);
	if (place === undefined) return undefined;
	const from = Math.max(0, place.first - CONTEXT);
	const to = Math.min(place.hunk.lines.length, place.last + 1 + CONTEXT);
	const lines = place.hunk.lines.slice(from, Math.min(to, from + MAX_LINES));
	const shown = colour(lines, languageOf(finding.path), tools).map(
		(code, index): ShownLine => ({
			...(lines[index] as DiffLine),
			code,
			marked: isOn(finding, lines[index] as DiffLine),
		}),
	);
	const label = `Diff of ${finding.path} around line ${lineText(finding)}`;
	return renderCode(label, shown, { head: tools.redact(place.hunk.section), left: to - from - lines.length });
}

/** What the lines become, as added lines. */
export function renderSuggestion(finding: ReportFinding, suggestion: string, tools: CodeTools): Markup {
	const texts = suggestion.replace(/\r?\n$/, "").split(/\r?\n/);
	const lines = texts.slice(0, MAX_LINES).map((text): DiffLine => ({ kind: "added", text }));
	const shown = colour(lines, languageOf(finding.path), tools).map((code): ShownLine => ({ kind: "added", code, marked: false }));
	return renderCode("Proposed code", shown, { head: "", left: texts.length - lines.length });
}

/** A unified diff as text, coloured by the first character of each line. */
export function renderPatchText(label: string, patch: string, tools: CodeTools): Markup {
	const texts = tools.redact(patch).split("\n");
	const lines = texts.slice(0, 400).map((text): Markup => {
		const kind = /^(?:\+\+\+|---|@@|diff |index )/.test(text) ? "h" : text.startsWith("+") ? "a" : text.startsWith("-") ? "d" : "c";
		return html`<span class="l ${kind}"><span class="t">${cutLine(text)}
</span></span>`;
	});
	const more = texts.length > 400 ? html`<p class="more">${texts.length - 400} more lines</p>` : undefined;
	return html`<div class="code" tabindex="0" role="region" aria-label="${label}"><pre>${lines}</pre></div>${more}`;
}

function isOn(finding: ReportFinding, line: DiffLine): boolean {
	const number = finding.side === "LEFT" ? line.oldLine : line.newLine;
	const isSide = finding.side === "LEFT" ? line.kind !== "added" : line.kind !== "deleted";
	return isSide && number !== undefined && number >= finding.startLine && number <= Math.max(finding.startLine, finding.endLine);
}

function findLines(
	finding: ReportFinding,
	hunks: readonly Hunk[],
): { readonly hunk: Hunk; readonly first: number; readonly last: number } | undefined {
	if (finding.startLine === 0) return undefined;
	for (const hunk of hunks) {
		const [start, count] = finding.side === "LEFT" ? [hunk.oldStart, hunk.oldLines] : [hunk.newStart, hunk.newLines];
		if (finding.startLine >= start + count || Math.max(finding.startLine, finding.endLine) < start) continue;
		const first = hunk.lines.findIndex((line) => isOn(finding, line));
		const last = hunk.lines.findLastIndex((line) => isOn(finding, line));
		if (first !== -1) return { hunk, first, last };
	}
	return undefined;
}

/**
 * Each side is coloured as one text, so that a string over several lines looks right on both. Deleted lines are
 * coloured in the old text, all others in the new one.
 */
function colour(lines: readonly DiffLine[], language: string | undefined, tools: CodeTools): readonly string[] {
	const texts = redactLines(lines, tools.redact).map((text) => cutLine(text.replace(/\r$/, "")));
	const sideOf = (skip: DiffLine["kind"]): readonly string[] => {
		const indexes = lines.flatMap((line, index) => (line.kind === skip ? [] : [index]));
		if (indexes.length === 0) return [];
		const coloured = tools.highlighter.lines(indexes.map((index) => texts[index] ?? "").join("\n"), language);
		const result: string[] = [];
		for (const [position, index] of indexes.entries()) result[index] = coloured[position] ?? "";
		return result;
	};
	const current = sideOf("deleted");
	const old = lines.some((line) => line.kind === "deleted") ? sideOf("added") : [];
	return lines.map((line, index) => (line.kind === "deleted" ? old : current)[index] ?? "");
}

/** A secret may go over several lines; when its lines are gone, the others can no longer be told apart. */
function redactLines(lines: readonly DiffLine[], redact: (text: string) => string): readonly string[] {
	const redacted = redact(lines.map((line) => line.text).join("\n")).split("\n");
	return redacted.length === lines.length ? redacted : lines.map(() => "[left out: a secret stands in these lines]");
}

function cutLine(text: string): string {
	return text.length > MAX_LINE_CHARS ? `${cutText(text, MAX_LINE_CHARS)} …` : text;
}

const SIGNS = { context: " ", added: "+", deleted: "−" } as const;
const CLASSES = { context: "c", added: "a", deleted: "d" } as const;

/** Line numbers and signs are drawn by the style sheet, so that copied code is code. */
function renderCode(label: string, lines: readonly ShownLine[], frame: { readonly head: string; readonly left: number }): Markup {
	const rows = lines.map(
		(line) =>
			html`<span class="l ${CLASSES[line.kind]}${line.marked ? " m" : ""}"><span class="n" data-n="${line.oldLine ?? ""}"></span><span class="n" data-n="${line.newLine ?? ""}"></span><span class="s" data-s="${SIGNS[line.kind]}"></span><span class="t">${vouchFor(line.code)}
</span></span>`,
	);
	const head = frame.head === "" ? undefined : html`<p class="code-head">${cutLine(frame.head)}</p>`;
	const note = frame.left <= 0 ? undefined : html`<p class="more">${frame.left} more lines</p>`;
	return html`<div class="code" tabindex="0" role="region" aria-label="${label}">${head}<pre>${rows}</pre></div>${note}`;
}
