import type { DiffFile, HunkRange } from "./read-diff.ts";

type Side = "LEFT" | "RIGHT";

/** Where a review comment wants to stand, as the request says it. */
export interface AnchorRequest {
	readonly path: string;
	readonly subjectType: "line" | "file";
	readonly line: number | undefined;
	readonly side: Side | undefined;
	readonly startLine: number | undefined;
	readonly startSide: Side | undefined;
	/** The old form: the number of lines below the file's first `@@` line. */
	readonly position: number | undefined;
}

export interface Anchor {
	readonly path: string;
	readonly subjectType: "line" | "file";
	readonly line: number | null;
	readonly side: Side | null;
	readonly startLine: number | null;
	readonly startSide: Side | null;
	readonly diffHunk: string;
}

/** `field` is the thread's field in GitHub's error objects; `problem` the rest of the sentence. */
export interface AnchorProblem {
	readonly field: "path" | "line" | "start_line" | "position" | "diff_hunk";
	readonly problem: string;
}

export type AnchorResult =
	| { readonly ok: true; readonly anchor: Anchor }
	| { readonly ok: false; readonly problems: readonly AnchorProblem[] };

const NO_HUNK: AnchorProblem = { field: "diff_hunk", problem: "can't be blank" };

interface PlacedLine {
	readonly hunk: HunkRange;
	/** Index in `hunk.lines`; the header is 0. */
	readonly index: number;
}

/** Walks a hunk and gives the line that carries a number on a side. */
function findInHunk(hunk: HunkRange, side: Side, line: number): number | undefined {
	let oldLine = hunk.oldStart - 1;
	let newLine = hunk.newStart - 1;
	for (let index = 1; index < hunk.lines.length; index += 1) {
		const prefix = (hunk.lines[index] ?? "").charAt(0);
		if (prefix === "\\") continue;
		if (prefix !== "+") oldLine += 1;
		if (prefix !== "-") newLine += 1;
		if (side === "RIGHT" && prefix !== "-" && newLine === line) return index;
		if (side === "LEFT" && prefix !== "+" && oldLine === line) return index;
	}
	return undefined;
}

function findLine(file: DiffFile, side: Side, line: number): PlacedLine | undefined {
	for (const hunk of file.hunks) {
		const index = findInHunk(hunk, side, line);
		if (index !== undefined) return { hunk, index };
	}
	return undefined;
}

function fromPosition(file: DiffFile, position: number): { readonly side: Side; readonly line: number } | undefined {
	let seen = 0;
	for (const [number, hunk] of file.hunks.entries()) {
		let oldLine = hunk.oldStart - 1;
		let newLine = hunk.newStart - 1;
		for (const [index, text] of hunk.lines.entries()) {
			// The first header is position 0; later headers count as lines.
			if (index === 0 && number === 0) continue;
			seen += 1;
			const prefix = text.charAt(0);
			if (index > 0 && prefix !== "+" && prefix !== "\\") oldLine += 1;
			if (index > 0 && prefix !== "-" && prefix !== "\\") newLine += 1;
			if (seen !== position) continue;
			if (index === 0 || prefix === "\\") return undefined;
			return prefix === "-" ? { side: "LEFT", line: oldLine } : { side: "RIGHT", line: newLine };
		}
	}
	return undefined;
}

function checkRange(file: DiffFile, request: AnchorRequest, line: number, side: Side): AnchorResult {
	const end = findLine(file, side, line);
	const problems: AnchorProblem[] = [];
	if (end === undefined) problems.push({ field: "line", problem: "must be part of the diff" });
	const startLine = request.startLine;
	const startSide = request.startSide ?? side;
	if (startLine !== undefined) {
		const start = findLine(file, startSide, startLine);
		if (start === undefined || start.hunk !== end?.hunk) {
			problems.push({ field: "start_line", problem: "must be part of the same hunk as the line." });
		} else if (start.index >= end.index) problems.push({ field: "start_line", problem: "must precede the end line." });
	}
	if (end === undefined) return { ok: false, problems: [...problems, NO_HUNK] };
	if (problems.length > 0) return { ok: false, problems };
	return {
		ok: true,
		anchor: {
			path: file.path,
			subjectType: "line",
			line,
			side,
			startLine: startLine ?? null,
			startSide: startLine === undefined ? null : startSide,
			diffHunk: end.hunk.lines.slice(0, end.index + 1).join("\n"),
		},
	};
}

/**
 * GitHub's rules for the place of a review comment, against the real diff: the path is a head-side name of the diff,
 * both ends lie in one hunk (context lines count, on either side), the start lies above the end (BR-14 to BR-19).
 */
export function checkAnchor(files: readonly DiffFile[], request: AnchorRequest): AnchorResult {
	const file = files.find((candidate) => candidate.path === request.path);
	if (file === undefined) return { ok: false, problems: [{ field: "path", problem: "is invalid" }, NO_HUNK] };
	if (request.subjectType === "file") {
		const anchor = {
			path: file.path,
			subjectType: "file" as const,
			line: null,
			side: null,
			startLine: null,
			startSide: null,
			diffHunk: "",
		};
		return { ok: true, anchor };
	}
	if (request.line !== undefined) return checkRange(file, request, request.line, request.side ?? "RIGHT");
	if (request.position !== undefined) {
		const place = fromPosition(file, request.position);
		if (place !== undefined) return checkRange(file, { ...request, startLine: undefined }, place.line, place.side);
		return { ok: false, problems: [{ field: "position", problem: "is invalid" }, NO_HUNK] };
	}
	return { ok: false, problems: [{ field: "line", problem: "must be part of the diff" }, NO_HUNK] };
}

/** The sentence of a refused review: GitHub joins all problems of an anchor into one string. */
export function reviewErrorText(problems: readonly AnchorProblem[]): string {
	const parts = problems.map(({ field, problem }) => `Pull request review thread ${field.replace("_", " ")} ${problem}`);
	if (parts.length < 3) return parts.join(" and ");
	return `${parts.slice(0, -1).join(", ")}, and ${parts.at(-1) ?? ""}`;
}

/** The error objects of a refused single comment. */
export function commentErrors(problems: readonly AnchorProblem[]): readonly object[] {
	return problems.map(({ field, problem }) => {
		const name = `pull_request_review_thread.${field}`;
		if (field === "diff_hunk") return { resource: "PullRequestReviewComment", code: "missing_field", field: name };
		return { resource: "PullRequestReviewComment", code: "custom", field: name, message: `${name} ${problem}` };
	});
}
