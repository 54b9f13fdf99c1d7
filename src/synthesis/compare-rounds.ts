import type { ChangedFile } from "../domain/change-set.ts";
import type { Finding } from "../domain/finding.ts";
import type { CoverageRow, PreviousFinding, PreviousReview } from "../domain/synthesis.ts";

/**
 * Tells new, still open and fixed apart. "Fixed" needs changed code that was read again: a finding that a
 * child merely did not repeat stays open, or the next run would post it as new (BR-68).
 */
export function compareRounds(
	current: readonly Finding[],
	previous: PreviousReview | undefined,
	files: readonly ChangedFile[],
	coverage: readonly CoverageRow[],
): readonly Finding[] {
	if (previous === undefined) return current;
	const known = new Map(previous.open.map((finding) => [finding.fingerprint, finding]));
	const marked = current.map((finding) => {
		const before = known.get(finding.fingerprint);
		return before === undefined ? finding : { ...finding, id: before.id, state: "open" as const };
	});
	const seen = new Set(current.map((finding) => finding.fingerprint));
	const gone = previous.open.filter((finding) => !seen.has(finding.fingerprint));
	return [...marked, ...gone.map((finding) => remember(finding, previous, files, coverage))];
}

function remember(
	finding: PreviousFinding,
	previous: PreviousReview,
	files: readonly ChangedFile[],
	coverage: readonly CoverageRow[],
): Finding {
	const file = files.find((each) => each.path === finding.path || each.previousPath === finding.path);
	const changed = file === undefined || previous.blobs[finding.path] !== file.newBlob;
	const readAgain = file === undefined || coverage.some((row) => row.path === file.path && row.state === "reviewed");
	const fixed = changed && readAgain;
	const reason = !changed ? "unchanged since the last review" : readAgain ? "" : "the file was not read again";
	return {
		id: finding.id,
		fingerprint: finding.fingerprint,
		path: file?.path ?? finding.path,
		side: "RIGHT",
		startLine: finding.line,
		endLine: finding.line,
		tier: "body",
		tierReason: fixed ? "fixed" : reason,
		severity: finding.severity,
		category: finding.category,
		title: finding.title,
		body: finding.title,
		confidence: 100,
		evidence: { kind: "stated", detail: "reported by an earlier run" },
		quote: "",
		sources: [],
		state: fixed ? "fixed" : "open",
	};
}
