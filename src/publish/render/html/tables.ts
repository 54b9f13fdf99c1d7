import type { RunReport } from "../../../domain/run-report.ts";
import { totalTokens } from "../../../domain/usage.ts";
import { formatCachedShare, formatCost, formatCount, formatDuration, formatTokens } from "../format.ts";
import { html, slug, type Markup } from "./markup.ts";
import type { ProseRenderer } from "./prose.ts";

/** Rows of the coverage ledger on the page; unread files come first when there are more. */
const MAX_FILES = 1_500;
const MAX_AGENTS = 200;

/** One row an agent with what it used, then what each said about its work. */
export function renderAgents(report: RunReport, sessions: ReadonlySet<string>, prose: ProseRenderer): Markup {
	const { agents } = report;
	if (agents.length === 0) return html`<p class="none">No agent ran.</p>`;
	const most = Math.max(...agents.map((agent) => totalTokens(agent.usage)), 1);
	const shown = agents.slice(0, MAX_AGENTS);
	const rows = shown.map((agent) => {
		const name = sessions.has(agent.session)
			? html`<a href="#journal-${slug(agent.session)}">${agent.session}</a>`
			: html`${agent.session}`;
		const state = agent.status === "completed" ? "completed" : `${agent.status} (${agent.stopReason})`;
		return html`<tr><th scope="row">${name}<small>${agent.kind}, ${agent.model}</small></th><td data-label="Status"><span class="status ${agent.status}">${state}</span></td><td data-label="Steps" class="number">${agent.steps}</td><td data-label="Calls" class="number">${agent.toolUses}</td><td data-label="Tokens" class="number">${renderTokenBar(agent.usage, most)}${formatTokens(totalTokens(agent.usage))}</td><td data-label="Cached" class="number">${formatCachedShare(agent.usage)}</td><td data-label="Cost" class="number">${formatCost(agent.costUsd)}</td><td data-label="Time" class="number">${formatDuration(agent.durationMs)}</td></tr>
`;
	});
	const sum = (pick: (agent: RunReport["agents"][number]) => number): number => agents.reduce((total, agent) => total + pick(agent), 0);
	const { usage } = report;
	const said = shown.map((agent) => renderWords(agent, prose));
	return html`<div class="table" tabindex="0" role="region" aria-label="Agents"><table class="cards"><thead><tr><th scope="col">Agent</th><th scope="col">Status</th><th scope="col" class="number">Steps</th><th scope="col" class="number">Calls</th><th scope="col" class="number">Tokens</th><th scope="col" class="number">Cached</th><th scope="col" class="number">Cost</th><th scope="col" class="number">Time</th></tr></thead><tbody>${rows}</tbody><tfoot><tr><th scope="row">All</th><td></td><td data-label="Steps" class="number">${sum((agent) => agent.steps)}</td><td data-label="Calls" class="number">${sum((agent) => agent.toolUses)}</td><td data-label="Tokens" class="number">${formatTokens(totalTokens(usage))}</td><td data-label="Cached" class="number">${formatCachedShare(usage)}</td><td data-label="Cost" class="number">${formatCost(usage.costUsd)}</td><td></td></tr></tfoot></table></div>
<p class="lead">${formatCount(totalTokens(usage))} tokens: ${formatCount(usage.input)} input, ${formatCount(usage.cacheWrite)} cache write, ${formatCount(usage.cacheRead)} cache read, ${formatCount(usage.output)} output.</p>
${agents.length > shown.length ? html`<p class="more">${formatCount(agents.length - shown.length)} more in the JSON report.</p>` : undefined}
<h3>What they said</h3>${said}`;
}

/** Cached, other input and output side by side; the longest bar is the agent that used most. */
function renderTokenBar(usage: RunReport["agents"][number]["usage"], most: number): Markup {
	const parts = [
		["cached", usage.cacheRead],
		["input", usage.input + usage.cacheWrite],
		["output", usage.output],
	] as const;
	let x = 0;
	const bars = parts.map(([kind, tokens]) => {
		const width = (100 * tokens) / most;
		const bar = html`<rect class="${kind}" x="${x.toFixed(2)}%" y="0" width="${width.toFixed(2)}%" height="6"><title>${kind}: ${formatCount(tokens)} tokens</title></rect>`;
		x += width;
		return bar;
	});
	return html`<svg class="tokens" width="72" height="6" aria-hidden="true">${bars}</svg>`;
}

function renderWords(agent: RunReport["agents"][number], prose: ProseRenderer): Markup {
	const open =
		agent.open.length === 0 ? undefined : html`<p>Left open:</p><ul>${agent.open.map((text) => html`<li>${prose.line(text)}</li>`)}</ul>`;
	const error = agent.error === undefined ? undefined : html`<p class="bad">It ${agent.status}: ${agent.error}</p>`;
	const worktree =
		agent.worktree?.kept === true
			? html`<p>Its worktree was kept${agent.worktree.branch === undefined ? "" : ` on ${agent.worktree.branch}`}: <code>${agent.worktree.path}</code></p>`
			: undefined;
	return html`<details class="words"><summary><span class="title">${agent.session}</span><span class="where">${agent.reason}</span><span class="marks"><span class="tag">${agent.status}</span></span></summary><div class="prose">${prose.blocks(agent.summary)}${open}${error}${worktree}</div></details>
`;
}

/** Each changed file: who read it, how much, or why not. */
export function renderCoverage(files: RunReport["files"]): Markup {
	if (files.length === 0) return html`<p class="none">No file changed.</p>`;
	const unread = files.filter((file) => file.state !== "reviewed");
	// What was not read is what a maintainer looks for, so it is never what the cap takes.
	const shown = files.length <= MAX_FILES ? files : [...unread, ...files.filter((file) => file.state === "reviewed")].slice(0, MAX_FILES);
	const more = files.length - shown.length;
	return html`<div class="tools" data-script hidden role="search" aria-label="Filter files"><label class="find">Search <input type="search" data-find="files" autocomplete="off" spellcheck="false"></label><label>State <select data-state><option value="">all</option><option value="reviewed">read</option><option value="partial">in part</option><option value="skipped">skipped</option></select></label><output data-count="files" aria-live="polite"></output></div>
<div class="table" tabindex="0" role="region" aria-label="Coverage of the changed files"><table class="cards" id="files"><thead><tr><th scope="col">File</th><th scope="col">Change</th><th scope="col" class="number">Lines</th><th scope="col">Agent</th><th scope="col">State</th></tr></thead><tbody>${shown.map(renderFile)}</tbody></table></div>
${more > 0 ? html`<p class="more">${formatCount(more)} more in the JSON report.</p>` : undefined}`;
}

const STATES = { reviewed: "read", partial: "in part", skipped: "skipped" } as const;

function renderFile(file: RunReport["files"][number]): Markup {
	const cut = file.path.lastIndexOf("/") + 1;
	const before = file.previousPath === undefined ? undefined : html`<small>was ${file.previousPath}</small>`;
	const lines = file.binary
		? html`binary`
		: html`<span class="plus">+${file.additions}</span> <span class="minus">−${file.deletions}</span>`;
	const reason = file.reason === undefined ? undefined : html`<small>${file.reason}</small>`;
	return html`<tr data-state="${file.state}"><th scope="row"><code><span class="folder">${file.path.slice(0, cut)}</span>${file.path.slice(cut)}</code>${before}</th><td data-label="Change">${file.status}</td><td data-label="Lines" class="number">${lines}</td><td data-label="Agent">${file.assigned ?? "–"}</td><td data-label="State"><span class="state ${file.state}">${STATES[file.state]}</span>${reason}</td></tr>
`;
}
