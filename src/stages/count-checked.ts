import type { SubagentReport } from "../domain/child-run.ts";

/** As many open items as a report of the offline analyst holds at most; behind them there may be more. */
const MAX_OPEN = 100;

/**
 * What the offline analyst's fixed checks have covered: a file is read when the checks ran over it, whether or not its
 * text was shown to anybody. Its report names each file that was not checked (DESIGN.md 9.6).
 */
export function countChecked(report: SubagentReport): SubagentReport {
	const { open } = report.report;
	if (report.status !== "completed" || open.length >= MAX_OPEN || open.some((text) => text.startsWith("The checks did not run")))
		return report;
	const checked = report.files.filter((path) => !open.some((text) => text.startsWith(`${path} was not checked: `)));
	return { ...report, filesRead: [...new Set([...report.filesRead, ...checked])].sort() };
}
