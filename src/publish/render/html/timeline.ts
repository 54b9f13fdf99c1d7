import type { JournalEntry } from "../../../domain/journal-entry.ts";
import type { RunReport } from "../../../domain/run-report.ts";
import { formatDuration, plural } from "../format.ts";
import { html, slug, type Markup } from "./markup.ts";

/** What one child did when; all times are milliseconds since the epoch. */
export interface Lane {
	readonly session: string;
	readonly agent: string;
	readonly status: string;
	readonly start: number;
	readonly end: number;
	readonly segments: readonly Segment[];
}

interface Segment {
	readonly kind: "model" | "tool" | "failed";
	readonly start: number;
	readonly end: number;
	readonly text: string;
}

const MAX_LANES = 80;
/** A lane with more segments than it has pixels says nothing more. */
const MAX_SEGMENTS = 300;

/** One lane a child with a journal, in order of start. Journals are the only clock; what has none gets no bar. */
export function buildLanes(report: RunReport, journals: readonly (readonly JournalEntry[])[]): readonly Lane[] {
	const agents = new Map(report.agents.map((agent) => [agent.session, agent]));
	const lanes = journals.flatMap((entries): readonly Lane[] => {
		const first = entries[0];
		const last = entries.at(-1);
		if (first?.type !== "session.started" || last === undefined) return [];
		const agent = agents.get(first.session);
		const start = Date.parse(first.at);
		const end = Date.parse(last.at);
		// The run's own journal is the axis, not a child.
		if (agent === undefined || !Number.isFinite(start) || !Number.isFinite(end)) return [];
		return [
			{ session: first.session, agent: agent.name, status: agent.status, start, end: Math.max(start, end), segments: segmentsOf(entries) },
		];
	});
	return [...lanes].sort((a, b) => a.start - b.start || (a.session < b.session ? -1 : 1));
}

function segmentsOf(entries: readonly JournalEntry[]): readonly Segment[] {
	const segments = entries.flatMap((entry): readonly Segment[] => {
		const end = Date.parse(entry.at);
		if (!Number.isFinite(end)) return [];
		if (entry.type === "model.call") {
			const text = `${entry.purpose === "step" ? `step ${entry.step}` : entry.purpose}: ${entry.model}, ${formatDuration(entry.durationMs)}, ${entry.stop}`;
			return [{ kind: entry.failure === undefined ? "model" : "failed", start: end - entry.durationMs, end, text }];
		}
		if (entry.type !== "tool.result") return [];
		return [
			{
				kind: entry.isError ? "failed" : "tool",
				start: end - entry.durationMs,
				end,
				text: `${entry.tool}, ${formatDuration(entry.durationMs)}`,
			},
		];
	});
	return segments.slice(0, MAX_SEGMENTS);
}

/** Drawn with per cent on a full-width SVG a lane: it fits any width and needs no script. */
export function renderTimeline(report: RunReport, lanes: readonly Lane[]): Markup {
	const unseen = report.agents.filter((agent) => !lanes.some((lane) => lane.session === agent.session));
	const left =
		unseen.length === 0
			? undefined
			: html`<p class="lead">No journal here, so no bar: ${unseen.map((agent) => agent.session).join(", ")}.</p>`;
	if (lanes.length === 0) return html`<p class="none">No journals were given to this report, so there is no timeline.</p>`;
	const from = Math.min(...lanes.flatMap((lane) => [lane.start, ...lane.segments.map((segment) => segment.start)]));
	const to = Math.max(...lanes.map((lane) => lane.end), from + 1);
	const scale: Scale = (time) => `${Math.min(100, Math.max(0, (100 * (time - from)) / (to - from))).toFixed(3)}%`;
	const width: Scale = (time) => `${Math.max(0.1, (100 * time) / (to - from)).toFixed(3)}%`;
	const shown = lanes.slice(0, MAX_LANES);
	return html`<p class="lead">${plural(lanes.length, "agent")} over ${formatDuration(to - from)}; each bar runs from an agent's first record to its last.</p>
<div class="legend" aria-hidden="true"><span class="key model"></span>model call <span class="key tool"></span>tool call <span class="key failed"></span>failed <span class="key idle"></span>between</div>
<ol class="gantt">${shown.map((lane) => renderLane(lane, { from, scale, width }))}</ol>
${renderAxis(from, to, scale)}
${lanes.length > shown.length ? html`<p class="more">${lanes.length - shown.length} more in the JSON report.</p>` : undefined}${left}`;
}

type Scale = (time: number) => string;

function renderLane(lane: Lane, axis: { readonly from: number; readonly scale: Scale; readonly width: Scale }): Markup {
	const took = formatDuration(lane.end - lane.start);
	const about = `${lane.session}, ${lane.status}: from ${formatDuration(lane.start - axis.from)}, took ${took}, ${plural(lane.segments.length, "call")}`;
	const bars = lane.segments.map(
		(segment) =>
			html`<rect class="${segment.kind}" x="${axis.scale(segment.start)}" y="4" width="${axis.width(segment.end - segment.start)}" height="12"><title>${segment.text}</title></rect>`,
	);
	return html`<li><a href="#journal-${slug(lane.session)}" title="${about}"><span class="lane-name">${lane.session}</span><svg class="lane" width="100%" height="20" role="img" aria-label="${about}"><rect class="idle" x="${axis.scale(lane.start)}" y="7" width="${axis.width(lane.end - lane.start)}" height="6" rx="3"><title>${about}</title></rect>${bars}</svg><span class="lane-time">${took}</span></a></li>
`;
}

/** Four marks are enough at any width. */
function renderAxis(from: number, to: number, scale: Scale): Markup {
	const marks = [0, 0.25, 0.5, 0.75, 1].map((part) => {
		const time = from + part * (to - from);
		const anchor = part === 0 ? "start" : part === 1 ? "end" : "middle";
		return html`<line x1="${scale(time)}" x2="${scale(time)}" y1="0" y2="5"/><text x="${scale(time)}" y="18" text-anchor="${anchor}">${part === 0 ? "0" : formatDuration(part * (to - from))}</text>`;
	});
	return html`<div class="axis" aria-hidden="true"><svg width="100%" height="22"><line x1="0" x2="100%" y1="0.5" y2="0.5"/>${marks}</svg></div>`;
}
