import type { RunReport } from "../../../domain/run-report.ts";
import type { AgentDiff, TrustDiffRow } from "../../../domain/synthesis.ts";
import { formatCount } from "../format.ts";
import { lineText } from "../permalink.ts";
import { renderPatchText, type CodeTools } from "./excerpt.ts";
import { html, type Markup } from "./markup.ts";
import type { ProseRenderer } from "./prose.ts";

/** What the check of the audit file's hash chain gave (SECURITY.md 6). */
export type AuditStatus =
	| { readonly state: "verified"; readonly entries: number; readonly head: string; readonly notes?: readonly string[] }
	| { readonly state: "broken"; readonly line: number; readonly reason: string; readonly entries: number }
	| { readonly state: "absent" };

const MAX_ROWS = 500;

/** Findings that were not posted, each with its reason (X-10). */
export function renderDismissed(dismissed: RunReport["dismissed"], prose: ProseRenderer): Markup {
	const items = dismissed.slice(0, MAX_ROWS).map(({ finding, reason }) => {
		const lines = lineText(finding);
		return html`<details class="words"><summary><span class="title">${prose.line(finding.title)}</span><span class="where"><code>${finding.path}${lines === "" ? "" : `:${lines}`}</code></span><span class="marks"><span class="tag">${finding.severity}</span><span class="id">${finding.id}</span></span><span class="reason">${prose.line(reason)}</span></summary><div class="prose">${prose.blocks(finding.body)}</div></details>
`;
	});
	return html`<p class="lead">Seen by an agent, then taken back. None of these was posted.</p>${items}${moreOf(dismissed.length)}`;
}

/** What the change does to the files that reviewers obey. Its text is the head's: shown, never followed (X-06). */
export function renderTrustDiff(rows: readonly TrustDiffRow[], tools: CodeTools & { readonly prose: ProseRenderer }): Markup {
	const items = rows.slice(0, MAX_ROWS).map((row) => {
		const attention = row.attention === true ? html`<span class="tag alert">needs a look</span> ` : undefined;
		const patch =
			row.patch === undefined
				? undefined
				: html`<details class="item"><summary>Show the diff</summary>${renderPatchText(`Diff of ${row.path}`, row.patch, tools)}</details>`;
		return html`<li><p><code>${row.path}</code> ${attention}<span class="tag">${row.kind}, ${row.change}</span></p><p>${tools.prose.line(row.text)}</p>${row.agent === undefined ? undefined : renderAgentDiff(row.agent)}${patch}</li>
`;
	});
	return html`<p class="lead">This review followed the version on the trusted commit. The change would bring these into force once it is merged.</p><ul class="rows">${items}</ul>${moreOf(rows.length)}`;
}

function renderAgentDiff(agent: AgentDiff): Markup {
	const facts: readonly (readonly [string, string])[] = [
		["Agent", agent.name],
		["Would not load", agent.refused ?? ""],
		["Gains", agent.gains.join(", ")],
		["Tools added", agent.toolsAdded.join(", ")],
		["Tools removed", agent.toolsRemoved.join(", ")],
		["Instructions", agent.promptChanged ? "changed" : ""],
		...agent.fields.map((field) => [field.field, `${field.from ?? "not set"} → ${field.to ?? "not set"}`] as const),
	];
	const rows = facts.filter(([, value]) => value !== "").map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`);
	return html`<dl class="facts">${rows}</dl>`;
}

/** What was asked for and refused, by reason code. */
export function renderRefused(rows: RunReport["refused"], prose: ProseRenderer): Markup {
	const body = rows
		.slice(0, MAX_ROWS)
		.map(
			(row) =>
				html`<tr><th scope="row"><code>${row.code}</code></th><td data-label="Times" class="number">${formatCount(row.count)}</td><td data-label="What">${prose.line(row.text)}</td></tr>`,
		);
	return html`<div class="table" tabindex="0" role="region" aria-label="Refused"><table class="cards"><thead><tr><th scope="col">Code</th><th scope="col" class="number">Times</th><th scope="col">What</th></tr></thead><tbody>${body}</tbody></table></div>${moreOf(rows.length)}`;
}

export function renderNotes(notes: readonly string[], prose: ProseRenderer): Markup {
	return html`<ul class="plain">${notes.slice(0, MAX_ROWS).map((note) => html`<li>${prose.line(note)}</li>`)}</ul>${moreOf(notes.length)}`;
}

/** Says plainly whether the record of decisions can be believed. */
export function renderAudit(audit: AuditStatus, prose: ProseRenderer): Markup {
	switch (audit.state) {
		case "verified":
			return html`<p><span class="state reviewed">verified</span> The chain of ${countEntries(audit.entries)} is whole and ends in <code class="hash">${audit.head}</code>.</p>${renderNotes(audit.notes ?? [], prose)}`;
		case "broken":
			return html`<p class="bad"><span class="state skipped">broken</span> The chain breaks at line ${audit.line}: ${audit.reason}. ${countEntries(audit.entries)} before it can be believed.</p>`;
		case "absent":
			return html`<p class="none">This run kept no audit file.</p>`;
	}
}

function countEntries(entries: number): string {
	return `${formatCount(entries)} ${entries === 1 ? "entry" : "entries"}`;
}

function moreOf(total: number): Markup | undefined {
	return total > MAX_ROWS ? html`<p class="more">${formatCount(total - MAX_ROWS)} more in the JSON report.</p>` : undefined;
}
