import type { SubagentReport } from "../domain/child-run.ts";
import type { Finding } from "../domain/finding.ts";
import type { RefusedRow, Synthesis } from "../domain/synthesis.ts";
import type { OutgoingCleaner } from "../seams.ts";

/** A synthesis that went through the outgoing filter: nothing else is rendered or posted. */
export interface CleanedSynthesis extends Synthesis {
	readonly cleaned: true;
	/** What the filter took out; the last rows of `refused` say the same. */
	readonly filtered: readonly RefusedRow[];
}

/**
 * The synthesis with every text of a model or of the pull request passed through the outgoing filter, once, before
 * anything is rendered; renderers then only add markup of our own. What the filter took out is told (E_SECRET, E_LINK).
 */
export function cleanSynthesis(synthesis: Synthesis, outgoing: OutgoingCleaner): CleanedSynthesis {
	const cleaner = cleanOnce(outgoing);
	const line = (text: string): string => cleaner.cleanLine(text);
	const before = cleaner.tally();
	const findings = synthesis.findings.map((finding) => cleanFinding(finding, cleaner));
	const cleaned: Synthesis = {
		verdict: { state: synthesis.verdict.state, sentence: line(synthesis.verdict.sentence) },
		...(synthesis.overview === undefined ? {} : { overview: cleaner.clean(synthesis.overview) }),
		findings,
		dismissed: synthesis.dismissed.map((each) => ({ ...each, finding: cleanFinding(each.finding, cleaner), reason: line(each.reason) })),
		coverage: synthesis.coverage.map((row) => ({ ...row, ...(row.reason === undefined ? {} : { reason: line(row.reason) }) })),
		agents: synthesis.agents.map((report) => cleanReport(report, cleaner)),
		usage: synthesis.usage,
		costUsd: synthesis.costUsd,
		refused: synthesis.refused.map((row) => ({ ...row, text: line(row.text) })),
		open: synthesis.open.map((each) => ({ session: each.session, text: line(each.text) })),
		notes: synthesis.notes.map(line),
		trustDiff: synthesis.trustDiff.map((row) => ({ ...row, text: line(row.text) })),
	};
	const after = cleaner.tally();
	const filtered = filterRows(after.secrets - before.secrets, after.links - before.links);
	return { ...cleaned, refused: [...cleaned.refused, ...filtered], cleaned: true, filtered };
}

/** A finding's text stands in its child's report, too: each text is cleaned, and what is taken out of it counted, once. */
function cleanOnce(cleaner: OutgoingCleaner): OutgoingCleaner {
	const remember = (clean: (text: string) => string): ((text: string) => string) => {
		const known = new Map<string, string>();
		return (text) => {
			const before = known.get(text);
			if (before !== undefined) return before;
			const cleaned = clean(text);
			known.set(text, cleaned);
			return cleaned;
		};
	};
	return { ...cleaner, clean: remember(cleaner.clean), cleanLine: remember(cleaner.cleanLine) };
}

function cleanFinding(finding: Finding, cleaner: OutgoingCleaner): Finding {
	return {
		...finding,
		tierReason: cleaner.cleanLine(finding.tierReason),
		title: cleaner.cleanLine(finding.title),
		body: cutRepetition(cleaner.clean(finding.body)),
		evidence: { kind: finding.evidence.kind, detail: cleaner.cleanLine(finding.evidence.detail) },
		quote: cleaner.redact(finding.quote),
		...(finding.suggestion === undefined ? {} : { suggestion: keepSuggestion(finding.suggestion, cleaner) }),
	};
}

/** A suggestion keeps its carriage returns (BR-13), which the filter would take for line ends. */
function keepSuggestion(suggestion: string, cleaner: OutgoingCleaner): string {
	const redacted = cleaner.redact(suggestion);
	return redacted === suggestion.replaceAll("\r\n", "\n") ? suggestion : redacted;
}

function cleanReport(report: SubagentReport, cleaner: OutgoingCleaner): SubagentReport {
	return {
		...report,
		report: {
			summary: cleaner.clean(report.report.summary),
			findings: report.report.findings.map((finding) => ({
				...finding,
				title: cleaner.cleanLine(finding.title),
				body: cleaner.clean(finding.body),
			})),
			open: report.report.open.map((text) => cleaner.cleanLine(text)),
		},
		text: cleaner.clean(report.text),
		reason: cleaner.cleanLine(report.reason),
		...(report.error === undefined ? {} : { error: cleaner.cleanLine(report.error) }),
		refused: report.refused.map(({ code, text }) => ({ code, text: cleaner.cleanLine(text) })),
	};
}

/** A model that fell into repetition says nothing new after the third time. */
function cutRepetition(body: string): string {
	const seen = new Map<string, number>();
	const kept: string[] = [];
	let left = 0;
	for (const line of body.split("\n")) {
		const key = line.trim();
		const times = (seen.get(key) ?? 0) + 1;
		seen.set(key, times);
		if (key.length > 20 && times > 3) left += 1;
		else kept.push(line);
	}
	return left === 0 ? body : `${kept.join("\n")}\n\n_${left} repeated lines left out._`;
}

function filterRows(secrets: number, links: number): readonly RefusedRow[] {
	return [
		...(secrets === 0
			? []
			: [{ code: "E_SECRET", count: secrets, text: "something that looks like a secret was taken out; rotate it if it is real" }]),
		...(links === 0 ? [] : [{ code: "E_LINK", count: links, text: "links or images to other hosts were made inert" }]),
	];
}
