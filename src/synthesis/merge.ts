import type { Finding } from "../domain/finding.ts";
import { compareFindings, evidenceRank, severityRank, tierRank } from "./rank.ts";

/**
 * One finding for each site and class, with everybody who saw it as its sources (S-026, BR-68). The best placed
 * statement gives the place, the worst severity and the highest confidence win, the longest text stays, and titles
 * that go are named in it: nothing that was said is lost.
 */
export function mergeFindings(findings: readonly Finding[]): readonly Finding[] {
	const groups: Finding[][] = [];
	// Only findings of one file or one fingerprint can be the same: thousands of others are not looked at.
	const byKey = new Map<string, Set<number>>();
	for (const finding of [...findings].sort(compareFindings)) {
		const keys = [`path ${finding.path}`, `fingerprint ${finding.fingerprint}`];
		const near = [...new Set(keys.flatMap((key) => [...(byKey.get(key) ?? [])]))].sort((a, b) => a - b);
		const found = near.find((index) => groups[index]?.some((member) => isSameFinding(member, finding)));
		const index = found ?? groups.push([]) - 1;
		groups[index]?.push(finding);
		for (const key of keys) byKey.set(key, (byKey.get(key) ?? new Set()).add(index));
	}
	return groups.map(mergeGroup);
}

function isSameFinding(a: Finding, b: Finding): boolean {
	if (a.fingerprint === b.fingerprint) return true;
	if (a.path !== b.path || a.side !== b.side || a.category !== b.category || a.startLine === 0 || b.startLine === 0) return false;
	return overlaps(a, b);
}

/** Ranges that share lines and are of like size: a remark on a whole file does not swallow those on its lines. */
function overlaps(a: Finding, b: Finding): boolean {
	if (a.startLine > b.endLine || b.startLine > a.endLine) return false;
	const [shorter = 1, longer = 1] = [a.endLine - a.startLine + 1, b.endLine - b.startLine + 1].sort((x, y) => x - y);
	return longer <= 4 * shorter;
}

function mergeGroup(group: readonly Finding[]): Finding {
	const [best, ...others] = [...group].sort((a, b) => tierRank(a.tier) - tierRank(b.tier) || compareFindings(a, b));
	if (best === undefined) throw new TypeError("a group of findings cannot be empty");
	if (others.length === 0) return best;
	const worst = group.reduce((a, b) => (severityRank(b.severity) < severityRank(a.severity) ? b : a));
	const strongest = group.reduce((a, b) => (evidenceRank(b.evidence) < evidenceRank(a.evidence) ? b : a));
	const longest = group.reduce((a, b) => (b.body.length > a.body.length ? b : a));
	const suggestion = group.find(
		(each) => each.suggestion !== undefined && each.startLine === best.startLine && each.endLine === best.endLine,
	)?.suggestion;
	const { suggestion: _own, ...rest } = best;
	return {
		...rest,
		severity: worst.severity,
		confidence: Math.max(...group.map((each) => each.confidence)),
		evidence: strongest.evidence,
		body: longest.body + remarks(best, others),
		...(suggestion === undefined ? {} : { suggestion }),
		sources: [...new Set(group.flatMap((each) => each.sources))].sort(),
	};
}

function remarks(best: Finding, others: readonly Finding[]): string {
	const titles = [...new Set(others.map((each) => each.title))].filter((title) => title !== best.title);
	const lines = [...new Set(others.map((each) => each.startLine))].filter(
		(line) => line !== 0 && (line < best.startLine || line > best.endLine),
	);
	const parts = [
		...titles.map((title) => `Also reported as: ${title}`),
		...(lines.length === 0 ? [] : [`Also at line ${lines.sort((a, b) => a - b).join(", ")}.`]),
	];
	return parts.length === 0 ? "" : `\n\n${parts.join("\n")}`;
}
