import type { KnownDefect } from "./score-case.ts";

/** A finding as it is scored. */
export interface ScoredFinding {
	readonly path: string;
	/** 1-based; 0 when it has no line. */
	readonly startLine: number;
	readonly endLine: number;
	readonly side: "LEFT" | "RIGHT";
	readonly title: string;
	readonly body: string;
	/** Sessions that reported it. */
	readonly sources: readonly string[];
}

export interface Matched {
	/** For each finding in order: the defect it names, a further remark on one that is named already, or nothing known. */
	readonly findings: readonly ({ readonly kind: "hit" | "repeat"; readonly defect: number } | { readonly kind: "decoy" | "unknown" })[];
	/** Defects that no finding names. */
	readonly missed: readonly number[];
}

/** Lines by which a remark may lie beside the defect: reviewers comment on the line above as often as on the line itself. */
const SLACK = 2;
/** Share of a defect's words that a finding without a common place must hold. */
const LEAST_WORDS = 0.4;

/**
 * Which finding names which defect: by place, and by words alone where the defect has no place. Each defect is named once;
 * as many as possible are, since a finding that fits two takes the one that is left.
 */
export function matchFindings(
	findings: readonly ScoredFinding[],
	defects: readonly KnownDefect[],
	decoys: readonly KnownDefect[],
): Matched {
	const options = findings.map((finding) =>
		defects
			.map((defect, index) => ({ index, distance: distanceOf(finding, defect) }))
			.filter((each) => each.distance !== undefined)
			.sort((a, b) => (a.distance ?? 0) - (b.distance ?? 0) || a.index - b.index)
			.map((each) => each.index),
	);
	const owner = new Map<number, number>();
	const assign = (finding: number, seen: Set<number>): boolean => {
		for (const defect of options[finding] ?? []) {
			if (seen.has(defect)) continue;
			seen.add(defect);
			const other = owner.get(defect);
			if (other === undefined || assign(other, seen)) {
				owner.set(defect, finding);
				return true;
			}
		}
		return false;
	};
	for (const index of findings.keys()) assign(index, new Set());
	const named = new Map([...owner].map(([defect, finding]) => [finding, defect]));
	return {
		findings: findings.map((finding, index) => {
			const defect = named.get(index);
			if (defect !== undefined) return { kind: "hit", defect };
			const again = options[index]?.[0];
			if (again !== undefined) return { kind: "repeat", defect: again };
			return { kind: decoys.some((decoy) => distanceOf(finding, decoy) !== undefined) ? "decoy" : "unknown" };
		}),
		missed: defects.flatMap((_, index) => (owner.has(index) ? [] : [index])),
	};
}

/** How far a finding lies from a defect; undefined when it is about something else. */
function distanceOf(finding: ScoredFinding, defect: KnownDefect): number | undefined {
	if (defect.startLine === 0) {
		const share = sharedWords(defect.text, `${finding.title} ${finding.body}`);
		return share < LEAST_WORDS ? undefined : 1 - share;
	}
	if (finding.path !== defect.path || finding.side !== defect.side || finding.startLine === 0) return undefined;
	const gap = Math.max(defect.startLine - finding.endLine, finding.startLine - defect.endLine, 0);
	return gap > SLACK ? undefined : gap;
}

function sharedWords(wanted: string, given: string): number {
	const words = wordsOf(wanted);
	const others = wordsOf(given);
	const shared = [...words].filter((word) => others.has(word)).length;
	return words.size < 3 ? 0 : shared / words.size;
}

const COMMON = new Set(
	"this that with from when will would should could into then than have been does which where there their because".split(" "),
);

function wordsOf(text: string): ReadonlySet<string> {
	return new Set((text.toLowerCase().match(/[a-z_][a-z0-9_]{3,}/g) ?? []).filter((word) => !COMMON.has(word)));
}
