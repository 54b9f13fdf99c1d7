import { MAX_STEP_SUMMARY_BYTES, packSections, type Section } from "../size-packing.ts";
import { renderGantt } from "./gantt.ts";
import { fence } from "./markdown.ts";
import { summarySections, type SummaryInput } from "./summary.ts";

/** One aligned row of the banner: version, model, sandbox and so on (S-198). */
export interface BannerRow {
	readonly label: string;
	readonly value: string;
}

/** Rows with their values in one column; no colour, so that it reads the same in a log and in a summary (S-198). */
export function renderBanner(rows: readonly BannerRow[]): string {
	const width = Math.max(0, ...rows.map((row) => row.label.length));
	return rows.map((row) => `${row.label.padEnd(width)}  ${row.value.replace(/\s+/g, " ")}`.trimEnd()).join("\n");
}

/** Banner first, then the whole summary with everything the comment had no room for (R24, R25). */
export function renderStepSummary(input: SummaryInput, banner: readonly BannerRow[]): string {
	const head: readonly Section[] = banner.length === 0 ? [] : [{ name: "banner", priority: 0, head: fence(renderBanner(banner), "text") }];
	const gantt = renderGantt(input.synthesis.agents);
	const timeline: readonly Section[] = gantt === "" ? [] : [{ name: "timeline", priority: 8, head: gantt }];
	const sections = summarySections({ ...input, commented: new Set() });
	return packSections([...head, ...sections.slice(0, -1), ...timeline, ...sections.slice(-1)], {
		limit: MAX_STEP_SUMMARY_BYTES,
		unit: "bytes",
		elsewhere: "in the JSON report",
	});
}
