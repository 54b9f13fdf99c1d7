import { createHash } from "node:crypto";
import type { FilePatch } from "../../../domain/change-set.ts";
import { SEVERITIES } from "../../../domain/finding.ts";
import type { JournalEntry } from "../../../domain/journal-entry.ts";
import type { RunReport } from "../../../domain/run-report.ts";
import type { VerdictState } from "../../../domain/synthesis.ts";
import { totalTokens } from "../../../domain/usage.ts";
import { capitalise, formatCachedShare, formatCost, formatCount, formatDuration, formatTokens, plural, shortSha } from "../format.ts";
import { renderFindings, SEVERITY_SHAPES } from "./findings.ts";
import { createHighlighter } from "./highlight.ts";
import { renderJournals, sessionsOf } from "./journals.ts";
import { html, vouchFor, type Markup } from "./markup.ts";
import { createProseRenderer } from "./prose.ts";
import { renderAudit, renderDismissed, renderNotes, renderRefused, renderTrustDiff, type AuditStatus } from "./remarks.ts";
import { SCRIPT } from "./script.ts";
import { STYLE } from "./style.ts";
import { renderAgents, renderCoverage } from "./tables.ts";
import { buildLanes, renderTimeline } from "./timeline.ts";

export interface HtmlReportInput {
	readonly report: RunReport;
	/** Patches of the files with findings; a finding without one is shown without code. */
	readonly patches: readonly FilePatch[];
	/** Journals of the children, and of the run itself, as `readJournal` gives them. */
	readonly journals: readonly (readonly JournalEntry[])[];
	readonly audit: AuditStatus;
	/** Takes secrets out of the diff and the journals (A87); the report has had its own pass. */
	readonly redact: (text: string) => string;
}

interface Section {
	readonly id: string;
	readonly title: string;
	readonly count?: string;
	readonly body: Markup;
}

/**
 * The whole run as one HTML file that makes no request: its policy allows its own style sheet and script by their
 * hashes and nothing else. Everything can be read without scripts. The same input gives the same bytes.
 */
export function renderHtmlReport(input: HtmlReportInput): string {
	const sections = buildSections(input);
	const { report } = input;
	const title = `Rookery review of ${shortSha(report.run.head)}`;
	const page = html`<body>
<a class="skip" href="#main">Skip to the report</a>
<div class="page">
<header class="top">${BIRD}<strong>Rookery</strong><span class="run">run ${report.run.id}</span><button type="button" data-script data-theme-switch hidden>Dark</button></header>
<nav aria-label="Sections"><ol>${sections.map((section) => html`<li><a href="#${section.id}">${section.title}${section.count === undefined ? undefined : html` <b>${section.count}</b>`}</a></li>`)}</ol></nav>
<main id="main" tabindex="-1">
${renderVerdict(report)}
${sections.map(
	(
		section,
	) => html`<section id="${section.id}" aria-labelledby="${section.id}-title"><h2 id="${section.id}-title">${section.title}${section.count === undefined ? undefined : html` <b>${section.count}</b>`}</h2>
${section.body}</section>
`,
)}
</main>
</div>
</body>`;
	return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy()}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<meta name="robots" content="noindex">
<title>${title}</title>
<link rel="icon" href="data:,">
<style>${vouchFor(STYLE)}</style>
</head>
${page}
<script>${vouchFor(SCRIPT)}</script>
</html>
`.markup;
}

function policy(): string {
	const hash = (text: string): string => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
	return `default-src 'none'; style-src ${hash(STYLE)}; script-src ${hash(SCRIPT)}; img-src data:; base-uri 'none'; form-action 'none'`;
}

function buildSections(input: HtmlReportInput): readonly Section[] {
	const { report, journals, redact } = input;
	const highlighter = createHighlighter();
	const prose = createProseRenderer(highlighter);
	const sessions = sessionsOf(journals);
	const tools = { highlighter, prose, redact, sessions };
	const live = report.findings.filter((finding) => finding.state !== "fixed").length;
	const unread = report.files.filter((file) => file.state !== "reviewed").length;
	return [
		{ id: "findings", title: "Findings", count: formatCount(live), body: renderFindings(report.findings, input.patches, tools) },
		{ id: "timeline", title: "Timeline", body: renderTimeline(report, buildLanes(report, journals)) },
		{ id: "agents", title: "Agents", count: formatCount(report.agents.length), body: renderAgents(report, sessions, prose) },
		{
			id: "coverage",
			title: "Coverage",
			count: `${formatCount(report.files.length - unread)} of ${formatCount(report.files.length)}`,
			body: renderCoverage(report.files),
		},
		...when(report.dismissed, "dismissed", "Dismissed", (rows) => renderDismissed(rows, prose)),
		...when(report.trustDiff, "trust", "Reviewer configuration", (rows) => renderTrustDiff(rows, tools)),
		...when(report.refused, "refused", "Refused", (rows) => renderRefused(rows, prose)),
		...when(report.notes, "notes", "Remarks", (rows) => renderNotes(rows, prose)),
		{ id: "journals", title: "Journals", count: formatCount(journals.length), body: renderJournals(report, journals, tools) },
		{ id: "audit", title: "Audit", body: renderAudit(input.audit, prose) },
	];
}

/** A section that would be empty only makes the page longer. */
function when<T>(rows: readonly T[], id: string, title: string, render: (rows: readonly T[]) => Markup): readonly Section[] {
	return rows.length === 0 ? [] : [{ id, title, count: formatCount(rows.length), body: render(rows) }];
}

const VERDICTS: Readonly<Record<VerdictState, readonly [word: string, tone: string]>> = {
	clean: ["Clean", "reviewed"],
	findings: ["Findings", "partial"],
	partial: ["Reviewed in part", "partial"],
	skipped: ["Not reviewed", "partial"],
	failed: ["Could not review", "skipped"],
};

function renderVerdict(report: RunReport): Markup {
	const { run, verdict, usage, files, agents } = report;
	const [word, tone] = VERDICTS[verdict.state];
	const live = report.findings.filter((finding) => finding.state !== "fixed");
	const read = files.filter((file) => file.state === "reviewed").length;
	const took = Date.parse(run.endedAt) - Date.parse(run.startedAt);
	const figures: readonly (readonly [string, string, string])[] = [
		["Findings", formatCount(live.length), rounds(report)],
		["Files read", `${formatCount(read)} of ${formatCount(files.length)}`, ""],
		[
			"Agents",
			formatCount(agents.length),
			plural(
				agents.reduce((sum, agent) => sum + agent.steps, 0),
				"step",
			),
		],
		["Tokens", formatTokens(totalTokens(usage)), `${formatCachedShare(usage)} of input cached`],
		["Cost", formatCost(usage.costUsd), run.provider],
		["Time", Number.isFinite(took) ? formatDuration(Math.max(0, took)) : "–", ""],
	];
	return html`<div class="verdict"><p class="state-line state ${tone}">${word}</p>
<h1>${verdict.sentence}</h1>
<p class="range">Head <code>${shortSha(run.head)}</code> against <code>${shortSha(run.mergeBase)}</code>, on ${run.trigger}, ${run.startedAt.slice(0, 16).replace("T", " ")} UTC</p>
${renderSeverities(live)}
<dl class="figures">${figures.map(([name, value, note]) => html`<div><dt>${name}</dt><dd>${value}${note === "" ? undefined : html`<small>${note}</small>`}</dd></div>`)}</dl></div>`;
}

function rounds(report: RunReport): string {
	const number = (state: string): number => report.findings.filter((finding) => finding.state === state).length;
	return number("open") + number("fixed") === 0 ? "" : `${number("new")} new, ${number("open")} open, ${number("fixed")} fixed`;
}

/** One bar, split by severity, with its numbers beside it. */
function renderSeverities(live: RunReport["findings"]): Markup | undefined {
	if (live.length === 0) return undefined;
	const counts = SEVERITIES.map((severity) => [severity, live.filter((finding) => finding.severity === severity).length] as const).filter(
		([, number]) => number > 0,
	);
	let x = 0;
	const bars = counts.map(([severity, number]) => {
		const width = (100 * number) / live.length;
		const bar = html`<rect class="${severity}" x="${x.toFixed(2)}%" y="0" width="${width.toFixed(2)}%" height="6"/>`;
		x += width;
		return bar;
	});
	const keys = counts.map(
		([severity, number]) =>
			html`<li class="severity ${severity}"><span aria-hidden="true">${SEVERITY_SHAPES[severity]}</span> ${formatCount(number)} ${capitalise(severity)}</li>`,
	);
	return html`<svg class="severity-bar" width="100%" height="6" aria-hidden="true">${bars}</svg><ul class="severity-key">${keys}</ul>`;
}

/** A rook's head. */
const BIRD = html`<svg class="bird" viewBox="0 0 24 24" aria-hidden="true"><path fill-rule="evenodd" d="M1.500 12.500C4.200 9.800 6.400 8.900 8 8.600 8.900 5.600 11.500 3.500 14.700 3.500c4.200 0 7.300 3.300 7.300 7.400 0 3.300-.7 6.100-2.400 9.600H10c.9-2.300 1-4.300.4-6.300-2.900-.1-6-.6-8.900-1.700ZM14.600 8.900a1.200 1.200 0 1 0 0 2.400 1.200 1.200 0 0 0 0-2.400Z"/></svg>`;
