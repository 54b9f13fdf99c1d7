import type { ChangedFile } from "../domain/change-set.ts";
import type { Finding } from "../domain/finding.ts";
import type { CoverageRow, PreviousReview } from "../domain/synthesis.ts";
import type { StandingFinding } from "./adopt-identity.ts";

export interface RoundsInput {
	/** This round's findings, merged, under the identities of earlier rounds where they have one. */
	readonly current: readonly Finding[];
	readonly previous: PreviousReview | undefined;
	/** The open findings of `previous` at this head. */
	readonly standing: readonly StandingFinding[];
	readonly files: readonly ChangedFile[];
	readonly coverage: readonly CoverageRow[];
	/** Paths that nobody was to read again. */
	readonly carried: ReadonlySet<string>;
	/** Reviewers that find the same in the same code every time: what they do not repeat is gone. */
	readonly exhaustive: boolean;
	/** Fingerprints that a verifier has found to be settled by a change elsewhere. */
	readonly refuted: ReadonlySet<string>;
}

/**
 * Tells new, still open and fixed apart. "Fixed" needs more than a reviewer that did not repeat itself: the code
 * is gone and its file was read again, or a verifier has looked and says so (BR-68). Everything else stays open.
 */
export function compareRounds(input: RoundsInput): readonly Finding[] {
	const { current, previous, standing } = input;
	if (previous === undefined) return current;
	const known = new Map(previous.open.map((finding) => [finding.fingerprint, finding]));
	const marked = current.map((finding) => {
		const before = known.get(finding.fingerprint);
		return before === undefined ? finding : { ...finding, id: before.id, state: "open" as const };
	});
	const seen = new Set(current.map((finding) => finding.fingerprint));
	const gone = standing.filter(({ previous: finding }) => !seen.has(finding.fingerprint));
	return [...marked, ...gone.map((each) => remember(each, previous, input))];
}

function remember(each: StandingFinding, previous: PreviousReview, input: RoundsInput): Finding {
	const { previous: finding, path, range } = each;
	const outcome = settle(each, previous, input);
	const lineage = finding.from ?? finding.path;
	return {
		id: finding.id,
		fingerprint: finding.fingerprint,
		path,
		side: "RIGHT",
		startLine: range?.startLine ?? finding.line,
		endLine: range?.endLine ?? finding.end ?? finding.line,
		tier: "body",
		tierReason: outcome.reason,
		severity: finding.severity,
		category: finding.category,
		title: finding.title,
		body: finding.title,
		confidence: 100,
		evidence: { kind: "stated", detail: "reported by an earlier run" },
		quote: "",
		sources: [],
		state: outcome.state,
		...(lineage === path ? {} : { lineage }),
	};
}

function settle(
	{ previous: finding, path, range }: StandingFinding,
	previous: PreviousReview,
	input: RoundsInput,
): { readonly state: "open" | "fixed"; readonly reason: string } {
	const file = input.files.find((candidate) => candidate.path === path);
	const blob = previous.blobs[finding.path] ?? previous.blobs[path];
	if (file !== undefined && (input.carried.has(path) || blob === file.newBlob)) {
		return { state: "open", reason: "unchanged since the last review" };
	}
	if (file === undefined) {
		return range === undefined ? { state: "fixed", reason: "fixed" } : { state: "open", reason: "its code still stands" };
	}
	const readAgain = input.coverage.some((row) => row.path === path && row.state === "reviewed");
	if (!readAgain) return { state: "open", reason: "the file was not read again" };
	const settled = range === undefined || input.exhaustive || input.refuted.has(finding.fingerprint);
	return settled ? { state: "fixed", reason: "fixed" } : { state: "open", reason: "its code still stands" };
}

/** The name at this head of a file that a finding of an earlier round is about. */
export function pathNow(path: string, files: readonly ChangedFile[]): string {
	const file = files.find((each) => each.path === path) ?? files.find((each) => each.previousPath === path);
	return file?.path ?? path;
}
