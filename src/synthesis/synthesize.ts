import type { ChangedFile, ChangeSet, FilePatch, Hunk } from "../domain/change-set.ts";
import type { SubagentReport } from "../domain/child-run.ts";
import type { Finding, ReportedFinding } from "../domain/finding.ts";
import type { ReviewPlan } from "../domain/review-plan.ts";
import type { SettledFinding } from "../domain/review-state.ts";
import type { Settings } from "../domain/settings.ts";
import type { OtherComment } from "../domain/other-comment.ts";
import type { Suppression } from "../domain/suppression.ts";
import type { Degradation, PreviousReview, RefusedRow, Synthesis, TrustDiffRow } from "../domain/synthesis.ts";
import { NO_VERIFICATION, type Verification } from "../domain/verification.ts";
import { addUsage, NO_USAGE, totalTokens } from "../domain/usage.ts";
import { applyVerdicts } from "./apply-verdicts.ts";
import { adoptIdentities, type PlacedFinding, type StandingFinding } from "./adopt-identity.ts";
import { anchorFinding, normalisedQuote, type Anchor, type AnchorContext } from "./anchor.ts";
import { findChangedFile, indexChangedPaths } from "./changed-paths.ts";
import { compareRounds, pathNow } from "./compare-rounds.ts";
import { buildCoverage } from "./coverage.ts";
import { enclosingSymbol } from "./enclosing-symbol.ts";
import { filterFindings, type FilterLimits } from "./filter.ts";
import { assignIds, fingerprintOf, type FingerprintParts } from "./fingerprint.ts";
import { splitLines } from "./locate-quote.ts";
import { mergeFindings } from "./merge.ts";
import { compareText, rankFindings } from "./rank.ts";
import { findStandingCode } from "./standing-code.ts";
import { decideVerdict } from "./verdict.ts";

export interface SynthesisInput {
	readonly changeSet: ChangeSet;
	readonly plan: ReviewPlan;
	readonly reports: readonly SubagentReport[];
	/** The very patches the children were shown. */
	readonly patches: readonly FilePatch[];
	/** Text of a file at the head; undefined when it does not exist there or is not text. */
	readonly readHead: (path: string) => Promise<string | undefined>;
	readonly settings: {
		readonly review: Pick<Settings["review"], "minConfidence" | "maxInline" | "maxInlinePerPullRequest" | "suggestions">;
	};
	readonly previous?: PreviousReview;
	/** What verifiers said of the findings. */
	readonly verification?: Verification;
	/** Children whose place others have taken, and how far the run went down. */
	readonly replaced?: readonly SubagentReport[];
	readonly degradation?: Degradation;
	/** True when the reviewers find the same in the same code every time (fixed checks): what they do not repeat is gone. */
	readonly exhaustive?: boolean;
	/** Findings that a person closed; they go to the dismissed list. */
	readonly settled?: readonly SettledFinding[];
	/** Findings that the team closed for every pull request, and when it is now. */
	readonly suppressions?: readonly Suppression[];
	/** Milliseconds since the epoch. */
	readonly at?: number;
	/** Where other bots have commented already (1c-17). */
	readonly otherComments?: readonly OtherComment[];
	/** Somebody asked for everything: a later round then comments like a first one. */
	readonly everythingAnew?: boolean;
	/** Name of the definition around a head line, from the code index; without it indentation decides. */
	readonly symbolAt?: (path: string, line: number) => string | undefined;
	readonly notes?: readonly string[];
	readonly trustDiff?: readonly TrustDiffRow[];
}

/**
 * From children's reports to everything that is published: anchors, merges, ranks and filters findings, keeps the
 * coverage ledger and decides the verdict. No model is asked, so it also works when the budget is gone (S-026);
 * equal inputs give equal results. Rejects only when `readHead` does.
 */
export async function synthesize(input: SynthesisInput): Promise<Synthesis> {
	const { changeSet, plan, patches, settings, previous } = input;
	const verification = input.verification ?? NO_VERIFICATION;
	const reports = inPlanOrder(input.reports, plan);
	const children = [...reports, ...(input.replaced ?? []), ...verification.reports];
	const paths = indexChangedPaths(changeSet.files);
	const headTexts = await readHeadTexts(reports, previous, paths, input.readHead);
	const context: AnchorContext = {
		paths,
		patches: new Map(patches.map((patch) => [patch.path, patch])),
		headText: (path) => headTexts.get(path),
	};
	const placed = reports.flatMap((report) =>
		report.report.findings.map((finding) =>
			toFinding(settings.review.suggestions ? finding : withoutSuggestion(finding), report.session, context, input.symbolAt),
		),
	);
	const standing = findStanding(input, context);
	const merged = mergeFindings(adoptIdentities(placed, standing));
	const coverage = buildCoverage(changeSet, plan, reports);
	const rounds = compareRounds({
		current: merged,
		previous,
		standing,
		files: changeSet.files,
		coverage,
		carried: new Set(plan.carriedFiles?.map((file) => file.path)),
		exhaustive: input.exhaustive === true,
		refuted: new Set(verification.verdicts.flatMap((verdict) => (verdict.word === "refuted" ? [verdict.fingerprint] : []))),
	});
	const judged = applyVerdicts(rounds, verification);
	const filtered = filterFindings(rankFindings(judged.findings), limitsOf(input));
	const taken = Object.fromEntries((previous?.open ?? []).map((finding) => [finding.fingerprint, finding.id]));
	const ids = assignIds(
		rounds.map((finding) => finding.fingerprint),
		taken,
	);
	const withId = (finding: Finding): Finding => ({ ...finding, id: ids.get(finding.fingerprint) ?? finding.id });
	const findings = filtered.findings.map(withId);
	const hallucinated = placed.filter((each) => each.hallucinated).length;
	return {
		verdict: decideVerdict({ findings, coverage, plan, reports, degradation: input.degradation }),
		findings,
		dismissed: [...judged.dismissed, ...filtered.dismissed].map((each) => ({ ...each, finding: withId(each.finding) })),
		coverage,
		agents: children,
		usage: children.reduce((sum, report) => addUsage(sum, report.usage), NO_USAGE),
		costUsd: totalCost(children),
		refused: countRefused(children),
		open: reports.flatMap((report) => report.report.open.map((text) => ({ session: report.session, text }))),
		notes: [
			...(input.notes ?? []),
			...plan.notes,
			...describeDegradation(input.degradation),
			...judged.notes,
			...filtered.notes,
			...(hallucinated === 0
				? []
				: [`${hallucinated} ${hallucinated === 1 ? "finding names" : "findings name"} a place that does not exist; shown without a line.`]),
		],
		trustDiff: input.trustDiff ?? [],
	};
}

function describeDegradation(degradation: Degradation | undefined): readonly string[] {
	if (degradation === undefined) return [];
	const { away, reviewers, weaker, models, checks, lost, cause } = degradation;
	const parts = [
		...(weaker === 0 ? [] : [`${weaker} answered with ${models.join(", ")}`]),
		...(checks === 0 ? [] : [`${checks} ran fixed checks only`]),
		...(lost === 0 ? [] : [`${lost} did not review`]),
	];
	return [`The model provider was not available to ${away} of ${reviewers} reviewers (${cause}): ${parts.join(", ")}.`];
}

function limitsOf({ settings, previous, settled, suppressions, at, otherComments, everythingAnew }: SynthesisInput): FilterLimits {
	return {
		...settings.review,
		inlinePosted: previous?.inlinePosted ?? 0,
		settled: settled ?? [],
		suppressions: suppressions ?? [],
		at: at ?? 0,
		otherComments: otherComments ?? [],
		laterRound: previous !== undefined && everythingAnew !== true,
	};
}

/** Reports in the order of the plan, whatever the order in which the children ended (S-008). */
function inPlanOrder(reports: readonly SubagentReport[], plan: ReviewPlan): readonly SubagentReport[] {
	const position = (report: SubagentReport): number => {
		const index = plan.assignments.findIndex((assignment) => assignment.agent.name === report.agent);
		return index === -1 ? plan.assignments.length : index;
	};
	const number = (report: SubagentReport): number => Number(/-(\d+)$/.exec(report.session)?.[1] ?? 0);
	return [...reports].sort((a, b) => position(a) - position(b) || number(a) - number(b) || compareText(a.session, b.session));
}

/** The open findings of earlier rounds at this head: under which name their file goes, and where their code stands. */
function findStanding({ previous, changeSet, symbolAt }: SynthesisInput, context: AnchorContext): readonly StandingFinding[] {
	return (previous?.open ?? []).map((finding) => {
		const path = pathNow(finding.path, changeSet.files);
		const text = context.headText(path);
		const indexed = symbolAt === undefined ? undefined : (line: number) => symbolAt(path, line);
		return { previous: finding, path, range: text === undefined ? undefined : findStandingCode(finding, splitLines(text), indexed) };
	});
}

async function readHeadTexts(
	reports: readonly SubagentReport[],
	previous: PreviousReview | undefined,
	paths: AnchorContext["paths"],
	readHead: SynthesisInput["readHead"],
): Promise<ReadonlyMap<string, string>> {
	const reported = [
		...reports.flatMap((report) => report.report.findings.map((finding) => finding.path)),
		...(previous?.open ?? []).map((finding) => finding.path),
	];
	const wanted = new Set(reported.map((path) => findChangedFile(path, paths).path));
	const texts = new Map<string, string>();
	for (const path of [...wanted].sort()) {
		if (paths.byPath.get(path)?.binary === true) continue;
		const text = await readHead(path);
		if (text !== undefined) texts.set(path, text);
	}
	return texts;
}

function withoutSuggestion(finding: ReportedFinding): ReportedFinding {
	const { suggestion: _suggestion, ...rest } = finding;
	return rest;
}

function toFinding(
	reported: ReportedFinding,
	session: string,
	context: AnchorContext,
	symbolAt: SynthesisInput["symbolAt"],
): PlacedFinding & { readonly hallucinated: boolean } {
	const anchor = anchorFinding(reported, context);
	const file = context.paths.byPath.get(anchor.path);
	const parts: FingerprintParts = {
		category: reported.category,
		lineage: file?.previousPath ?? anchor.path,
		symbol: symbolOf(anchor, file, context, symbolAt),
		quote: normalisedQuote(anchor),
		title: reported.title,
	};
	const finding: Finding = {
		id: "",
		fingerprint: fingerprintOf(parts),
		path: anchor.path,
		side: anchor.side,
		startLine: anchor.startLine,
		endLine: anchor.endLine,
		tier: anchor.tier,
		tierReason: anchor.tierReason,
		severity: reported.severity,
		category: reported.category,
		title: reported.title,
		body: reported.body + proposalText(anchor),
		...(anchor.suggestion === undefined ? {} : { suggestion: anchor.suggestion }),
		confidence: reported.confidence,
		evidence: reported.evidence,
		quote: anchor.quote,
		sources: [session],
		state: "new",
	};
	return { finding, parts, hallucinated: anchor.hallucinated };
}

/** Code that cannot be applied with one click is still worth reading; the fence is longer than any in it (BR-17). */
function proposalText(anchor: Anchor): string {
	if (anchor.proposal === undefined) return "";
	const longest = Math.max(0, ...[...anchor.proposal.text.matchAll(/`+/g)].map((run) => run[0].length));
	const fence = "`".repeat(Math.max(3, longest + 1));
	return `\n\nProposed code (not offered as a suggestion: ${anchor.proposal.reason}):\n\n${fence}\n${anchor.proposal.text}\n${fence}`;
}

function symbolOf(anchor: Anchor, file: ChangedFile | undefined, context: AnchorContext, symbolAt: SynthesisInput["symbolAt"]): string {
	if (anchor.startLine === 0) return "";
	if (anchor.side === "RIGHT") {
		const indexed = symbolAt?.(anchor.path, anchor.startLine);
		if (indexed !== undefined) return indexed;
		return enclosingSymbol(splitLines(context.headText(anchor.path) ?? ""), anchor.startLine);
	}
	const hunks = file === undefined ? [] : (context.patches.get(file.path)?.hunks ?? []);
	return oldSymbol(hunks, anchor);
}

/** The old file's text is not at hand: the hunk's lines above, then git's section text. */
function oldSymbol(hunks: readonly Hunk[], anchor: Anchor): string {
	for (const hunk of hunks) {
		const old = hunk.lines.filter((line) => line.oldLine !== undefined);
		const index = old.findIndex((line) => line.oldLine === anchor.startLine);
		if (index === -1) continue;
		const above = enclosingSymbol(
			old.map((line) => line.text),
			index + 1,
		);
		return above === "" ? enclosingSymbol([hunk.section], 1) : above;
	}
	return "";
}

/** Null when tokens were spent at an unknown price: then no sum is true (S-106). */
function totalCost(reports: readonly SubagentReport[]): number | null {
	let sum = 0;
	for (const report of reports) {
		if (report.costUsd === null && totalTokens(report.usage) > 0) return null;
		sum += report.costUsd ?? 0;
	}
	return sum;
}

function countRefused(reports: readonly SubagentReport[]): readonly RefusedRow[] {
	const rows = new Map<string, RefusedRow>();
	for (const { code, text } of reports.flatMap((report) => report.refused)) {
		const key = `${code}\n${text}`;
		rows.set(key, { code, text, count: (rows.get(key)?.count ?? 0) + 1 });
	}
	return [...rows.values()].sort((a, b) => compareText(a.code, b.code) || b.count - a.count || compareText(a.text, b.text));
}
