import type { ChangedFile, FilePatch, Hunk, Side } from "../domain/change-set.ts";
import type { FindingTier, ReportedFinding } from "../domain/finding.ts";
import { checkSuggestion } from "./check-suggestion.ts";
import { findChangedFile, type ChangedPaths } from "./changed-paths.ts";
import { locateQuote, normaliseCode, splitLines, type LineRange, type NumberedLine } from "./locate-quote.ts";

/** Where a reported finding really stands. Marked with its reason, never dropped (principle 9). */
export interface Anchor {
	readonly path: string;
	readonly side: Side;
	/** 1-based, inclusive; 0 when no line is known. */
	readonly startLine: number;
	readonly endLine: number;
	readonly tier: FindingTier;
	/** Why the tier is not `inline`; empty otherwise. */
	readonly tierReason: string;
	/** The code at the anchor as it stands in the file. */
	readonly quote: string;
	readonly suggestion?: string;
	/** A suggestion that cannot be applied: its text and why; shown as plain code. */
	readonly proposal?: { readonly text: string; readonly reason: string };
	/** Text behind the `@@` of the hunk, when the anchor is in one. */
	readonly section: string;
	/** True when the report named a file, a line or code that does not exist. */
	readonly hallucinated: boolean;
}

export interface AnchorContext {
	readonly paths: ChangedPaths;
	/** The very patches that were fetched; what is not in them cannot be a line comment (BR-14). */
	readonly patches: ReadonlyMap<string, FilePatch>;
	/** Text of the head file; undefined when it does not exist there. */
	readonly headText: (path: string) => string | undefined;
}

/** Places one finding: in a hunk, on a changed file, or only in the body (DESIGN.md 9.1). Pure. */
export function anchorFinding(finding: ReportedFinding, context: AnchorContext): Anchor {
	const known = findChangedFile(finding.path, context.paths);
	if (known.file === undefined) return anchorOutsideChange(finding, known.path, context);
	const file = known.file;
	const unreadable = whyNoAnchors(file, context.patches.get(file.path));
	if (unreadable !== undefined) return withProposal(finding, { ...noLine(file.path), ...unreadable });
	const hunks = context.patches.get(file.path)?.hunks ?? [];
	const lines = splitLines(context.headText(file.path) ?? "");
	const place = placeInFile(finding, file, hunks, lines);
	if (!place.ok) {
		return withProposal(finding, {
			...noLine(file.path),
			side: place.side,
			tier: "file",
			tierReason: place.reason,
			hallucinated: place.hallucinated,
		});
	}
	return anchorAt(finding, file, place, hunks, lines);
}

function noLine(path: string): Omit<Anchor, "tier" | "tierReason"> {
	return { path, side: "RIGHT", startLine: 0, endLine: 0, quote: "", section: "", hallucinated: false };
}

/** The file is not part of the change: the place may still be real, so the body names it. */
function anchorOutsideChange(finding: ReportedFinding, path: string, context: AnchorContext): Anchor {
	const text = context.headText(path);
	if (text === undefined) {
		return withProposal(finding, { ...noLine(path), tier: "body", tierReason: "no such file at the head", hallucinated: true });
	}
	const lines = splitLines(text);
	const range = rangeOnSide(finding, numbered(lines));
	const tierReason = "the file is not changed by this pull request";
	if (range === undefined) return withProposal(finding, { ...noLine(path), tier: "body", tierReason, hallucinated: claimsPlace(finding) });
	return withProposal(finding, { ...noLine(path), ...range, quote: quoteOf(lines, range), tier: "body", tierReason });
}

/** BR-04 to BR-08: sections that have no lines to comment on. */
function whyNoAnchors(file: ChangedFile, patch: FilePatch | undefined): Pick<Anchor, "tier" | "tierReason"> | undefined {
	if (file.submodule !== undefined) return { tier: "body", tierReason: "submodule pointer" };
	if (file.binary || patch?.binary === true) return { tier: "file", tierReason: "binary file" };
	if (patch?.combined === true) return { tier: "body", tierReason: "merge section" };
	if (patch !== undefined && patch.hunks.length > 0) return undefined;
	if (file.status === "renamed" || file.status === "copied") return { tier: "file", tierReason: "moved, no content change" };
	if (file.status === "mode-changed") return { tier: "body", tierReason: "only the file's mode changed" };
	return { tier: "file", tierReason: "the diff has no lines of this file" };
}

type Place =
	| ({ readonly ok: true; readonly side: Side } & LineRange)
	| { readonly ok: false; readonly side: Side; readonly reason: string; readonly hallucinated: boolean };

function placeInFile(finding: ReportedFinding, file: ChangedFile, hunks: readonly Hunk[], lines: readonly string[]): Place {
	const left = hunks.flatMap((hunk) => sideLines(hunk, "LEFT"));
	const deleted = hunks.flatMap((hunk) => hunk.lines.flatMap((line) => (line.kind === "deleted" ? numberedOld(line) : [])));
	const wantsLeft = finding.side === "LEFT" || file.status === "deleted";
	const orders: readonly (readonly [Side, readonly NumberedLine[]])[] = wantsLeft
		? [
				["LEFT", left],
				["RIGHT", numbered(lines)],
			]
		: [
				["RIGHT", numbered(lines)],
				["LEFT", deleted],
			];
	const added = new Set(hunks.flatMap((hunk) => hunk.lines.flatMap((line) => (line.kind === "added" ? [line.newLine] : []))));
	if (finding.quote !== undefined) {
		const near = claimedRange(finding)?.startLine;
		for (const [side, sideText] of orders) {
			const prefers = (range: LineRange): boolean => side === "LEFT" || added.has(range.startLine);
			const range = locateQuote(finding.quote, sideText, { prefers, ...(near === undefined ? {} : { near }) });
			if (range !== undefined) return { ok: true, side, ...range };
		}
		return { ok: false, side: wantsLeft ? "LEFT" : "RIGHT", reason: "the quoted code is not in the file", hallucinated: true };
	}
	return placeByNumber(finding, wantsLeft, left, lines);
}

function placeByNumber(finding: ReportedFinding, wantsLeft: boolean, left: readonly NumberedLine[], lines: readonly string[]): Place {
	const side: Side = wantsLeft ? "LEFT" : "RIGHT";
	const range = claimedRange(finding);
	if (range === undefined) {
		const claimed = finding.startLine ?? finding.endLine;
		const reason = claimed === undefined ? "the finding names no line" : `line ${claimed} is not a line number`;
		return { ok: false, side, reason, hallucinated: claimed !== undefined };
	}
	if (side === "LEFT") {
		const inPatch = left.some((line) => line.number === range.endLine);
		if (inPatch) return { ok: true, side, ...range };
		return { ok: false, side, reason: `line ${range.endLine} of the old file is not in the diff`, hallucinated: true };
	}
	if (range.endLine <= lines.length) return { ok: true, side, ...range };
	const reason = `line ${range.endLine} does not exist, the file has ${lines.length} ${lines.length === 1 ? "line" : "lines"}`;
	return { ok: false, side, reason, hallucinated: true };
}

/** The place is known; now whether GitHub takes it as a line comment. */
function anchorAt(
	finding: ReportedFinding,
	file: ChangedFile,
	place: { readonly side: Side } & LineRange,
	hunks: readonly Hunk[],
	lines: readonly string[],
): Anchor {
	const { side } = place;
	const whole = { startLine: place.startLine, endLine: place.endLine };
	const quoteIn = (range: LineRange): string => (side === "RIGHT" ? quoteOf(lines, range) : oldQuoteOf(hunks, range));
	const hunk = hunks.find((each) => holds(each, side, whole.endLine)) ?? hunks.find((each) => holds(each, side, whole.startLine));
	const base = { path: file.path, side, hallucinated: false };
	if (hunk === undefined) {
		const tierReason = "outside the changed lines";
		return withProposal(finding, { ...base, ...whole, tier: "file", tierReason, quote: quoteIn(whole), section: "" });
	}
	const bounds = sideRange(hunk, side);
	const range = {
		startLine: Math.max(whole.startLine, bounds.startLine),
		endLine: Math.min(whole.endLine, bounds.endLine),
	};
	const inline = { ...base, ...range, tier: "inline", tierReason: "", quote: quoteIn(range), section: hunk.section } as const;
	if (finding.suggestion === undefined) return inline;
	if (side === "LEFT") return withProposal(finding, inline, "deleted lines cannot be replaced");
	if (range.startLine !== whole.startLine || range.endLine !== whole.endLine) {
		return withProposal(finding, inline, "its range spans more than one hunk");
	}
	const checked = checkSuggestion({ ...range, suggestion: finding.suggestion, lines, hunk: bounds });
	if (!checked.ok) return withProposal(finding, inline, checked.reason);
	const widened = { startLine: checked.startLine, endLine: checked.endLine };
	return { ...inline, ...widened, quote: quoteIn(widened), suggestion: checked.suggestion };
}

function withProposal(finding: ReportedFinding, anchor: Anchor, reason = anchor.tierReason): Anchor {
	if (finding.suggestion === undefined || reason === "it equals the present code") return anchor;
	return { ...anchor, proposal: { text: finding.suggestion, reason } };
}

/** Whole numbers from 1, in order; undefined when the claim is no range of lines. */
function claimedRange(finding: ReportedFinding): LineRange | undefined {
	const start = finding.startLine ?? finding.endLine;
	const end = finding.endLine ?? finding.startLine;
	if (start === undefined || end === undefined) return undefined;
	if (!Number.isSafeInteger(start) || !Number.isSafeInteger(end) || start < 1 || end < 1) return undefined;
	return { startLine: Math.min(start, end), endLine: Math.max(start, end) };
}

function rangeOnSide(finding: ReportedFinding, lines: readonly NumberedLine[]): LineRange | undefined {
	const claimed = claimedRange(finding);
	if (finding.quote !== undefined) {
		return locateQuote(finding.quote, lines, claimed === undefined ? {} : { near: claimed.startLine });
	}
	return claimed !== undefined && claimed.endLine <= lines.length ? claimed : undefined;
}

function claimsPlace(finding: ReportedFinding): boolean {
	return finding.quote !== undefined || finding.startLine !== undefined || finding.endLine !== undefined;
}

function numbered(lines: readonly string[]): readonly NumberedLine[] {
	return lines.map((text, index) => ({ number: index + 1, text }));
}

function numberedOld(line: Hunk["lines"][number]): readonly NumberedLine[] {
	return line.oldLine === undefined ? [] : [{ number: line.oldLine, text: line.text }];
}

function sideLines(hunk: Hunk, side: Side): readonly NumberedLine[] {
	return hunk.lines.flatMap((line) => {
		const number = side === "LEFT" ? line.oldLine : line.newLine;
		return number === undefined ? [] : [{ number, text: line.text }];
	});
}

function holds(hunk: Hunk, side: Side, line: number): boolean {
	const range = sideRange(hunk, side);
	return line >= range.startLine && line <= range.endLine;
}

/** The lines of a hunk on one side; empty (end before start) when the side has none. */
function sideRange(hunk: Hunk, side: Side): LineRange {
	const [start, count] = side === "LEFT" ? [hunk.oldStart, hunk.oldLines] : [hunk.newStart, hunk.newLines];
	return count === 0 ? { startLine: 1, endLine: 0 } : { startLine: start, endLine: start + count - 1 };
}

function quoteOf(lines: readonly string[], range: LineRange): string {
	return lines.slice(range.startLine - 1, range.endLine).join("\n");
}

function oldQuoteOf(hunks: readonly Hunk[], range: LineRange): string {
	return hunks
		.flatMap((hunk) => sideLines(hunk, "LEFT"))
		.filter((line) => line.number >= range.startLine && line.number <= range.endLine)
		.map((line) => line.text)
		.join("\n");
}

/** The code of an anchor as fingerprints see it. */
export function normalisedQuote(anchor: Pick<Anchor, "quote">): string {
	return anchor.quote
		.split("\n")
		.map(normaliseCode)
		.filter((line) => line !== "")
		.join("\n");
}
