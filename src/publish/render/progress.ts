import type { RunContext } from "../../domain/run-context.ts";
import { formatCost, formatDuration, shortSha } from "./format.ts";
import { code } from "./markdown.ts";

export interface ProgressRow {
	readonly session: string;
	readonly reason: string;
	readonly state: "waiting" | "running" | "ended";
	readonly status?: string;
	readonly elapsedMs: number;
	readonly costUsd: number | null;
}

/** The sticky body while children run: one checkbox a child (DESIGN.md 10). Texts must be cleaned already. */
export function renderProgress(
	rows: readonly ProgressRow[],
	context: Pick<RunContext, "head" | "runId" | "links">,
	marker: string,
): string {
	const lines = rows.map((row) => {
		const box = row.state === "ended" ? "[x]" : "[ ]";
		const state = row.state === "ended" ? (row.status ?? "completed") : row.state;
		const time = row.state === "waiting" ? "" : `, ${formatDuration(row.elapsedMs)}, ${formatCost(row.costUsd)}`;
		return `- ${box} ${code(row.session)} ${state}${time} – ${row.reason}`;
	});
	const run = context.links === undefined ? `run ${context.runId}` : `[run ${context.runId}](${context.links.run})`;
	return [marker, "## Rookery review", `Reviewing ${code(shortSha(context.head))} in ${run}.`, lines.join("\n")]
		.filter((part) => part !== "")
		.join("\n\n");
}
