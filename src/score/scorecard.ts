import type { RunReport } from "../domain/run-report.ts";
import { totalTokens } from "../domain/usage.ts";
import { matchFindings, type Matched, type ScoredFinding } from "./match-findings.ts";
import type { ScoreCase } from "./score-case.ts";

/** Counts with what follows from them; shares are 0 to 1, null where there is nothing to divide by. */
export interface Score {
	readonly defects: number;
	/** Defects that were named. */
	readonly found: number;
	readonly findings: number;
	/** Findings that name no known defect; in sets that are known to be incomplete some of them may be right. */
	readonly false: number;
	readonly precision: number | null;
	readonly recall: number | null;
	readonly f1: number | null;
}

export interface CaseResult extends Score {
	readonly id: string;
	readonly language: string;
	readonly state: string;
	readonly costUsd: number | null;
	readonly durationMs: number;
	readonly missed: readonly { readonly path: string; readonly line: number; readonly text: string }[];
	readonly wrong: readonly { readonly path: string; readonly line: number; readonly title: string }[];
}

export interface AgentScore {
	readonly agent: string;
	readonly kind: string;
	readonly runs: number;
	/** Defects it named, alone or with others, and findings of its that name none. */
	readonly found: number;
	readonly false: number;
	readonly precision: number | null;
	readonly tokens: number;
	readonly costUsd: number | null;
	readonly durationMs: number;
}

export interface Scorecard {
	readonly version: 1;
	readonly dataset: string;
	readonly provider: string;
	/** False: the lists of defects are incomplete, so that the precision is a lower bound. */
	readonly complete: boolean;
	readonly total: Score & { readonly costUsd: number | null; readonly durationMs: number };
	readonly languages: Readonly<Record<string, Score>>;
	readonly agents: readonly AgentScore[];
	readonly cases: readonly CaseResult[];
	/** Cases that could not be run, with the reason. */
	readonly failed: readonly { readonly id: string; readonly reason: string }[];
}

/** One reviewed case. */
export interface ReviewedCase {
	readonly given: ScoreCase;
	readonly report: RunReport;
	readonly durationMs: number;
}

/** The card of a data set's reviews; equal reviews give an equal card but for times. Pure. */
export function buildScorecard(reviewed: readonly ReviewedCase[], about: Pick<Scorecard, "dataset" | "provider" | "failed">): Scorecard {
	const judged = reviewed.map((each) => ({ ...each, ...judge(each) }));
	const cases = judged.map(({ given, report, durationMs, matched, findings }) =>
		describeCase(given, report, durationMs, matched, findings),
	);
	const languages = [...new Set(cases.map((each) => each.language))].sort();
	return {
		version: 1,
		dataset: about.dataset,
		provider: about.provider,
		complete: reviewed.every((each) => each.given.complete),
		total: {
			...sumScores(cases),
			costUsd: sumCosts(cases.map((each) => each.costUsd)),
			durationMs: cases.reduce((sum, each) => sum + each.durationMs, 0),
		},
		languages: Object.fromEntries(languages.map((language) => [language, sumScores(cases.filter((each) => each.language === language))])),
		agents: scoreAgents(judged),
		cases,
		failed: about.failed,
	};
}

type Judged = ReviewedCase & { readonly matched: Matched; readonly findings: readonly ScoredFinding[] };

function judge({ given, report }: ReviewedCase): Pick<Judged, "matched" | "findings"> {
	const findings = report.findings.filter((finding) => finding.state !== "fixed");
	return { findings, matched: matchFindings(findings, given.defects, given.decoys) };
}

function describeCase(
	given: ScoreCase,
	report: RunReport,
	durationMs: number,
	matched: Matched,
	findings: readonly ScoredFinding[],
): CaseResult {
	const wrong = findings.filter((_, index) => isFalse(matched.findings[index]?.kind));
	return {
		id: given.id,
		language: given.language,
		state: report.verdict.state,
		...score(given.defects.length, given.defects.length - matched.missed.length, findings.length, wrong.length),
		costUsd: report.usage.costUsd,
		durationMs,
		missed: matched.missed.flatMap((index) => {
			const defect = given.defects[index];
			return defect === undefined ? [] : [{ path: defect.path, line: defect.startLine, text: defect.text }];
		}),
		wrong: wrong.map(({ path, startLine, title }) => ({ path, line: startLine, title })),
	};
}

/** A further remark on a defect that is named already is noise of another kind, and not wrong. */
function isFalse(kind: Matched["findings"][number]["kind"] | undefined): boolean {
	return kind === "unknown" || kind === "decoy";
}

function score(defects: number, found: number, findings: number, wrong: number): Score {
	const precision = found + wrong === 0 ? null : found / (found + wrong);
	const recall = defects === 0 ? null : found / defects;
	const f1 = precision === null || recall === null || precision + recall === 0 ? null : (2 * precision * recall) / (precision + recall);
	return { defects, found, findings, false: wrong, precision, recall, f1 };
}

function sumScores(scores: readonly Score[]): Score {
	const sum = (key: "defects" | "found" | "findings" | "false"): number => scores.reduce((total, each) => total + each[key], 0);
	return score(sum("defects"), sum("found"), sum("findings"), sum("false"));
}

function sumCosts(costs: readonly (number | null)[]): number | null {
	return costs.reduce<number | null>((sum, cost) => (sum === null || cost === null ? null : sum + cost), 0);
}

/** What each agent found, by the sessions that its findings name. */
function scoreAgents(judged: readonly Judged[]): readonly AgentScore[] {
	const rows = new Map<string, AgentScore>();
	for (const { report, matched, findings } of judged) {
		for (const agent of report.agents) {
			const own = findings.flatMap((finding, index) => (finding.sources.includes(agent.session) ? [matched.findings[index]] : []));
			const found = new Set(own.flatMap((each) => (each !== undefined && "defect" in each ? [each.defect] : []))).size;
			const wrong = own.filter((each) => isFalse(each?.kind)).length;
			const before = rows.get(agent.name);
			const sums = { found: (before?.found ?? 0) + found, false: (before?.false ?? 0) + wrong };
			rows.set(agent.name, {
				agent: agent.name,
				kind: agent.kind,
				runs: (before?.runs ?? 0) + 1,
				...sums,
				precision: sums.found + sums.false === 0 ? null : sums.found / (sums.found + sums.false),
				tokens: (before?.tokens ?? 0) + totalTokens(agent.usage),
				costUsd: sumCosts([before?.costUsd ?? 0, agent.costUsd]),
				durationMs: (before?.durationMs ?? 0) + agent.durationMs,
			});
		}
	}
	return [...rows.values()].sort((a, b) => (a.agent < b.agent ? -1 : 1));
}
