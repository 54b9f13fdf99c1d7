import type { Finding } from "../domain/finding.ts";
import type { PreviousFinding } from "../domain/synthesis.ts";
import { fingerprintOf, type FingerprintParts } from "./fingerprint.ts";
import type { LineRange } from "./locate-quote.ts";

/** A finding of this round with what its fingerprint was made of. */
export interface PlacedFinding {
	readonly finding: Finding;
	readonly parts: FingerprintParts;
}

/** An open finding of earlier rounds and where it stands at this head. */
export interface StandingFinding {
	readonly previous: PreviousFinding;
	/** Its file's name at this head. */
	readonly path: string;
	/** Undefined: its code is gone from there. */
	readonly range: LineRange | undefined;
}

/**
 * Gives a finding the identity under which an earlier round has published it (BR-68), where its own fingerprint is
 * another one: the file was renamed without git's telling so (an added file, a rewritten history), the code was moved to
 * another file, or a reviewer quoted more or fewer lines of the same place. Never by wording, and never while the
 * earlier code still stands in its old file: that would be a copy, which is a finding of its own. Each is given once.
 */
export function adoptIdentities(placed: readonly PlacedFinding[], standing: readonly StandingFinding[]): readonly Finding[] {
	const distinct = placed.map((each) => asCopy(each, standing));
	const own = new Set(distinct.map(({ finding }) => finding.fingerprint));
	const free = new Map(
		standing.filter(({ previous }) => !own.has(previous.fingerprint)).map((each) => [each.previous.fingerprint, each] as const),
	);
	const named = new Map(standing.map(({ previous }) => [previous.fingerprint, previous]));
	return distinct.map(({ finding, parts }) => {
		const direct = named.get(finding.fingerprint);
		if (direct !== undefined) return withLineage(finding, direct.from ?? parts.lineage);
		const match = [...free.values()].find((each) => isSameCode(parts, each) || isSamePlace(finding, each));
		if (match === undefined) return withLineage(finding, parts.lineage);
		free.delete(match.previous.fingerprint);
		return withLineage({ ...finding, fingerprint: match.previous.fingerprint }, match.previous.from ?? match.previous.path);
	});
}

/** Code that moved away with its identity and is written anew at the old place: the new one needs another name. */
function asCopy(placed: PlacedFinding, standing: readonly StandingFinding[]): PlacedFinding {
	const { finding } = placed;
	const moved = standing.some(
		({ previous, path, range }) => previous.fingerprint === finding.fingerprint && path !== finding.path && range !== undefined,
	);
	if (!moved) return placed;
	const parts = { ...placed.parts, lineage: `${placed.parts.lineage} (2)` };
	return { finding: { ...finding, fingerprint: fingerprintOf(parts) }, parts };
}

function withLineage(finding: Finding, lineage: string): Finding {
	return lineage === finding.path ? finding : { ...finding, lineage };
}

function isSameCode(parts: FingerprintParts, { previous, range }: StandingFinding): boolean {
	if (range !== undefined || parts.quote === "" || parts.category !== previous.category) return false;
	return fingerprintOf({ ...parts, lineage: previous.from ?? previous.path }) === previous.fingerprint;
}

/** The old code stands inside the new quote, or the other way round. */
function isSamePlace(finding: Finding, { previous, path, range }: StandingFinding): boolean {
	if (range === undefined || finding.side === "LEFT" || finding.path !== path || finding.category !== previous.category) return false;
	const holds = (a: LineRange, b: LineRange): boolean => a.startLine <= b.startLine && b.endLine <= a.endLine;
	const longest = Math.max(finding.endLine - finding.startLine, range.endLine - range.startLine) + 1;
	const shortest = Math.min(finding.endLine - finding.startLine, range.endLine - range.startLine) + 1;
	return longest <= 4 * shortest && (holds(finding, range) || holds(range, finding));
}
