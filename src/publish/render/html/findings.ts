import type { FilePatch } from "../../../domain/change-set.ts";
import { SEVERITIES, type Severity } from "../../../domain/finding.ts";
import type { ReportFinding } from "../../../domain/run-report.ts";
import { capitalise, formatCount, plural } from "../format.ts";
import { lineText } from "../permalink.ts";
import { renderExcerpt, renderSuggestion, type CodeTools } from "./excerpt.ts";
import { html, slug, type Markup } from "./markup.ts";
import type { ProseRenderer } from "./prose.ts";

/** Beyond this a page is no longer read; the JSON report has all. */
export const MAX_FINDINGS = 500;
/** Findings that stand open when the page is opened. */
const OPEN_AT_FIRST = 8;
/** Colouring is most of the time of a big page; behind these the diff stands without it. */
const MAX_WITH_CODE = 300;

export interface FindingTools extends CodeTools {
	readonly prose: ProseRenderer;
	/** Sessions that have a journal on this page. */
	readonly sessions: ReadonlySet<string>;
}

const EVIDENCE_WORDS = { reproduced: "Reproduced", traced: "Traced in the code", stated: "Not checked further" } as const;
/** Shapes beside the words, for those who do not see the colours. */
export const SEVERITY_SHAPES: Readonly<Record<Severity, string>> = { critical: "■", important: "▲", minor: "●", nit: "○" };

/** The findings in their ranked order with a filter above; each opens to its reason, its diff and its evidence. */
export function renderFindings(findings: readonly ReportFinding[], patches: readonly FilePatch[], tools: FindingTools): Markup {
	const live = findings.filter((finding) => finding.state !== "fixed");
	const fixed = findings.filter((finding) => finding.state === "fixed");
	if (live.length === 0) return html`<p class="none">Nothing to report.</p>${renderFixed(fixed, tools)}`;
	const byPath = new Map(patches.map((patch) => [patch.path, patch]));
	const shown = live.slice(0, MAX_FINDINGS);
	const items = shown.map((finding, index) =>
		renderFinding(finding, index, index < MAX_WITH_CODE ? byPath.get(finding.path) : undefined, tools),
	);
	const more = live.length - shown.length;
	return html`${renderFilter(shown)}
<ol class="findings" data-roving>${items}</ol>
${more === 0 ? undefined : html`<p class="more">${formatCount(more)} more in the JSON report.</p>`}
${renderFixed(fixed, tools)}`;
}

function renderFilter(findings: readonly ReportFinding[]): Markup {
	const boxes = SEVERITIES.flatMap((severity) => {
		const number = findings.filter((finding) => finding.severity === severity).length;
		if (number === 0) return [];
		return [
			html`<label class="box ${severity}"><input type="checkbox" data-severity="${severity}" checked> ${capitalise(severity)} <b>${number}</b></label>`,
		];
	});
	return html`<div class="tools" data-script hidden role="search" aria-label="Filter findings">${boxes}<label class="find">Search <input type="search" data-find="findings" autocomplete="off" spellcheck="false"></label><button type="button" data-all="open">Open all</button><button type="button" data-all="close">Close all</button><output data-count="findings" aria-live="polite"></output></div>`;
}

function renderFinding(finding: ReportFinding, index: number, patch: FilePatch | undefined, tools: FindingTools): Markup {
	const open = index < OPEN_AT_FIRST && (finding.severity === "critical" || finding.severity === "important");
	const lines = lineText(finding);
	const place = `${finding.path}${lines === "" ? "" : `:${lines}`}`;
	const state = finding.state === "open" ? html`<span class="tag">still open</span>` : undefined;
	const excerpt = renderExcerpt(finding, patch, tools);
	const body = finding.body === finding.title || finding.body.trim() === "" ? undefined : tools.prose.blocks(finding.body);
	return html`<li data-severity="${finding.severity}"><details class="finding" id="finding-${slug(finding.id)}"${open ? html` open` : undefined}>
<summary><span class="severity ${finding.severity}"><span aria-hidden="true">${SEVERITY_SHAPES[finding.severity]}</span> ${capitalise(finding.severity)}</span><span class="title">${tools.prose.line(finding.title)}</span><span class="where"><code>${place}</code>${finding.side === "LEFT" ? " before the change" : undefined}</span><span class="marks">${state}<span class="tag">${finding.category}</span><span class="id">${finding.id}</span></span></summary>
<div class="finding-body">${body === undefined ? undefined : html`<div class="prose">${body}</div>`}
${excerpt ?? html`<p class="none">${noCode(finding)}</p>`}
${finding.suggestion === undefined ? undefined : html`<h3 class="small">Proposed change</h3>${renderSuggestion(finding, finding.suggestion, tools)}`}
${renderFacts(finding, tools)}</div></details></li>
`;
}

function noCode(finding: ReportFinding): string {
	if (finding.startLine === 0) return "It speaks of the whole file, so no code is shown.";
	return "Its lines are not among the changed ones shown here.";
}

function renderFacts(finding: ReportFinding, tools: FindingTools): Markup {
	const sources = finding.sources.map((session, index) => {
		const name = tools.sessions.has(session) ? html`<a href="#journal-${slug(session)}">${session}</a>` : html`${session}`;
		return html`${index === 0 ? "" : ", "}${name}`;
	});
	const { kind, detail } = finding.evidence;
	return html`<dl class="facts"><div><dt>Evidence</dt><dd>${EVIDENCE_WORDS[kind]}${detail === "" ? undefined : html`: ${tools.prose.line(detail)}`}</dd></div><div><dt>Confidence</dt><dd>${finding.confidence} of 100</dd></div><div><dt>Seen by</dt><dd>${sources.length === 0 ? "–" : sources}</dd></div></dl>`;
}

function renderFixed(fixed: readonly ReportFinding[], tools: FindingTools): Markup | undefined {
	if (fixed.length === 0) return undefined;
	const items = fixed
		.slice(0, MAX_FINDINGS)
		.map((finding) => html`<li>${tools.prose.line(finding.title)} <span class="id">${finding.id}</span> <code>${finding.path}</code></li>`);
	return html`<h3>Fixed since the last review</h3><p class="lead">${plural(fixed.length, "finding")} of earlier rounds that the new code no longer shows.</p><ul class="plain">${items}</ul>`;
}
