import picomatch from "picomatch";
import type { Finding } from "../domain/finding.ts";
import { describeSettled, type SettledFinding } from "../domain/review-state.ts";
import { describeSuppression, isInForce, type Suppression } from "../domain/suppression.ts";

/** A "no" that is on record for a finding. */
export interface Silence {
	/** Who said it and why, for the report. */
	readonly reason: string;
	/** A sign (👎, a resolved conversation) and no words: too little to take something critical off the list. */
	readonly sign: boolean;
}

export interface Memory {
	/** What people closed on this pull request. */
	readonly settled: readonly SettledFinding[];
	/** What the team has closed for every pull request. */
	readonly suppressions: readonly Suppression[];
	/** Milliseconds since the epoch; decides whether an entry is still in force. */
	readonly at: number;
}

export interface SilenceFinder {
	find(finding: Finding): Silence | undefined;
	/** The entry that covered the finding until its day was over; undefined for none. */
	findExpired(finding: Finding): Suppression | undefined;
}

/** Looks findings up in what is remembered: the pull request first, then the team's file. */
export function createSilenceFinder({ settled, suppressions, at }: Memory): SilenceFinder {
	const closed = new Map(settled.map((each) => [each.fingerprint, each]));
	const entries = suppressions.map((entry) => ({ entry, covers: matcherOf(entry), live: isInForce(entry, at) }));
	return {
		find(finding) {
			const said = closed.get(finding.fingerprint);
			if (said !== undefined) return { reason: describeSettled(said), sign: said.how === "disliked" || said.how === "conversation" };
			const found = entries.find(({ live, covers }) => live && covers(finding));
			return found === undefined ? undefined : { reason: describeSuppression(found.entry), sign: false };
		},
		findExpired: (finding) => entries.find(({ live, covers }) => !live && covers(finding))?.entry,
	};
}

/** A plain folder stands for everything below it. */
function matcherOf({ covers }: Suppression): (finding: Finding) => boolean {
	if ("fingerprint" in covers) return (finding) => finding.fingerprint === covers.fingerprint;
	const glob = covers.directory.replace(/^(?:\.?\/)+/, "").replace(/\/+$/, "");
	const matches = glob === "" || glob === "." ? () => true : picomatch([glob, `${glob}/**`], { dot: true, nonegate: true });
	return (finding) => finding.category === covers.rule && matches(finding.path);
}
