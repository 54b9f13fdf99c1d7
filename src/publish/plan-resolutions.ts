import type { Finding } from "../domain/finding.ts";
import type { Publication } from "../domain/publication.ts";
import type { Synthesis } from "../domain/synthesis.ts";
import type { StickyMarker } from "./marker.ts";
import type { ExistingState } from "./read-existing-state.ts";

type Resolution = Extract<Publication, { kind: "resolve" }>;

/** More in one mutation would be slow to answer; what is left stays open. */
const MAX_THREADS = 50;
/** Fingerprints a marker has room for. */
const MAX_CLOSED = 200;

/**
 * The conversations that this run has answered: ours, open, about a finding that is fixed now. One that we resolved
 * before and that is open again was opened by a person, who wants to talk: it is left alone.
 */
export function planResolutions(
	pullRequest: number,
	synthesis: Pick<Synthesis, "findings" | "dismissed">,
	existing: ExistingState,
): readonly Resolution[] {
	const fixed = new Set(
		[...synthesis.findings, ...synthesis.dismissed.map((each) => each.finding)].filter(isFixed).map((finding) => finding.fingerprint),
	);
	const before = new Set(existing.sticky?.marker.closed);
	const threads = (existing.conversations ?? [])
		.filter(({ resolved, fingerprint }) => !resolved && fixed.has(fingerprint) && !before.has(fingerprint))
		.slice(0, MAX_THREADS)
		.map(({ thread, fingerprint }) => ({ thread, fingerprint }));
	return threads.length === 0 ? [] : [{ kind: "resolve", pullRequest, threads }];
}

function isFixed(finding: Finding): boolean {
	return finding.state === "fixed";
}

/** Fingerprints whose conversations were closed by us, this run's included; the newest when there are too many. */
export function rememberClosed(existing: ExistingState, planned: readonly Resolution[]): Pick<StickyMarker, "closed"> {
	const now = planned.flatMap((resolution) => resolution.threads.map((thread) => thread.fingerprint));
	const closed = [...new Set([...(existing.sticky?.marker.closed ?? []), ...now])].slice(-MAX_CLOSED);
	return closed.length === 0 ? {} : { closed };
}

/**
 * Fingerprints that a reader finds a comment about. A comment in a conversation that we resolved is folded away, so a
 * finding that has come back is told in the summary.
 */
export function visibleComments(existing: ExistingState): ReadonlySet<string> {
	const closed = new Set(existing.sticky?.marker.closed);
	const hidden = (existing.conversations ?? []).filter(({ resolved, fingerprint }) => resolved && closed.has(fingerprint));
	const folded = new Set(hidden.map((each) => each.fingerprint));
	return new Set([...existing.postedFingerprints].filter((fingerprint) => !folded.has(fingerprint)));
}
