import { cutText } from "../../../domain/cut-text.ts";
import type { JournalEntry } from "../../../domain/journal-entry.ts";
import type { RunReport } from "../../../domain/run-report.ts";
import { formatCount, plural } from "../format.ts";
import { groupSteps, type JournalItem, type JournalStep, type JournalTool } from "./journal-steps.ts";
import { html, slug, type Markup } from "./markup.ts";
import type { ProseRenderer } from "./prose.ts";

/** Characters of all journals together; the page must stay a file that opens at once. */
const MAX_PAGE_CHARS = 3_000_000;
/** Characters of one prompt, answer, input or result. */
const MAX_TEXT_CHARS = 4_000;
const MAX_ITEMS = 250;
const MAX_JOURNALS = 100;

export interface JournalTools {
	readonly prose: ProseRenderer;
	readonly redact: (text: string) => string;
}

/** Gives each text its room and counts what is left of the page's. */
type Take = (text: string, limit?: number) => { readonly text: string; readonly left: number };

/** The journals, collapsed: a child, its steps, their tool calls. Big ones are cut, and say so. */
export function renderJournals(report: RunReport, journals: readonly (readonly JournalEntry[])[], tools: JournalTools): Markup {
	if (journals.length === 0) return html`<p class="none">No journals were given to this report.</p>`;
	const take = createTake(tools.redact);
	const shown = journals.slice(0, MAX_JOURNALS).map((entries) => renderJournal(entries, report, take, tools));
	const more = journals.length - shown.length;
	return html`<p class="lead">Everything that was sent and answered, as the journals hold it. Long texts are cut here; the journal files have them whole.</p>
<div class="journals" data-roving>${shown}</div>
${more > 0 ? html`<p class="more">${formatCount(more)} more journals in the run's files.</p>` : undefined}`;
}

/** Sessions whose journal can be linked to. */
export function sessionsOf(journals: readonly (readonly JournalEntry[])[]): ReadonlySet<string> {
	return new Set(
		journals.slice(0, MAX_JOURNALS).flatMap((entries) => (entries[0]?.type === "session.started" ? [entries[0].session] : [])),
	);
}

function createTake(redact: (text: string) => string): Take {
	let room = MAX_PAGE_CHARS;
	return (text, limit = MAX_TEXT_CHARS) => {
		const allowed = Math.max(0, Math.min(limit, room));
		// Twice the room, so that a secret on the border is taken out whole before the cut.
		const front = cutText(text, 2 * allowed);
		const redacted = redact(front);
		const kept = cutText(redacted, allowed);
		room -= kept.length;
		const isWhole = kept.length === redacted.length && front.length === text.length;
		return { text: kept, left: isWhole ? 0 : Math.max(1, text.length - kept.length) };
	};
}

function renderJournal(entries: readonly JournalEntry[], report: RunReport, take: Take, tools: JournalTools): Markup {
	const first = entries[0];
	const session = first?.type === "session.started" ? first.session : "journal";
	const agent = report.agents.find((each) => each.session === session);
	const items = groupSteps(entries);
	const steps = items.filter((item) => item.kind === "step").length;
	const about =
		agent === undefined ? "the run itself" : agent.stopReason === "done" ? agent.status : `${agent.status}, ${agent.stopReason}`;
	const shown = items.slice(0, MAX_ITEMS).map((item) => renderItem(item, take, tools));
	const more = items.length - shown.length;
	return html`<details class="journal" id="journal-${slug(session)}"><summary><span class="title">${session}</span><span class="marks"><span class="tag">${about}</span><span class="id">${plural(steps, "model call")}, ${plural(entries.length, "record")}</span></span></summary>
<div class="journal-body">${shown}${more > 0 ? html`<p class="more">${formatCount(more)} more in the journal file.</p>` : undefined}</div></details>
`;
}

function renderItem(item: JournalItem, take: Take, tools: JournalTools): Markup {
	switch (item.kind) {
		case "sent":
			return html`<details class="item sent"><summary>Sent, ${formatCount(item.text.length)} characters</summary>${renderText(item.text, take)}</details>`;
		case "note": {
			const { text, left } = take(item.text, 1_000);
			return html`<p class="item note${item.bad ? " bad" : ""}">${text}${left > 0 ? " …" : ""}</p>`;
		}
		case "step":
			return renderStep(item, take, tools);
	}
}

function renderStep(step: JournalStep, take: Take, tools: JournalTools): Markup {
	const texts = step.texts.map((text) => {
		const { text: kept, left } = take(text);
		return html`<div class="prose">${tools.prose.blocks(kept)}</div>${leftNote(left)}`;
	});
	return html`<section class="item step${step.failed ? " bad" : ""}"><h3 class="small">${step.title} <small>${step.about}</small></h3>${texts}${step.tools.map((tool) => renderTool(tool, take))}</section>`;
}

function renderTool(tool: JournalTool, take: Take): Markup {
	const first = tool.input.replace(/\s+/g, " ");
	const peek = cutText(take(first, 140).text, 140);
	return html`<details class="tool${tool.failed ? " bad" : ""}"><summary><code class="tool-name">${tool.name}</code> <code class="peek">${peek}</code> <small>${take(tool.about, 300).text}</small></summary><h4>Input</h4>${renderText(tool.input, take)}${tool.result === undefined ? undefined : html`<h4>Result</h4>${renderText(tool.result, take)}`}</details>`;
}

function renderText(text: string, take: Take): Markup {
	const { text: kept, left } = take(text);
	return html`<pre class="raw" tabindex="0">${kept.replaceAll("\r\n", "\n")}</pre>${leftNote(left)}`;
}

function leftNote(left: number): Markup | undefined {
	return left === 0 ? undefined : html`<p class="more">${formatCount(left)} more characters in the journal file.</p>`;
}
