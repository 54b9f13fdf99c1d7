import type { ChangedFile, ChangeSet } from "../domain/change-set.ts";
import type { SubagentReport } from "../domain/child-run.ts";
import type { ReviewPlan } from "../domain/review-plan.ts";
import type { CoverageRow } from "../domain/synthesis.ts";

/** One row for each changed file, in the order of the change set: who read it, how much, or why not (DESIGN.md 9.6). */
export function buildCoverage(changeSet: ChangeSet, plan: ReviewPlan, reports: readonly SubagentReport[]): readonly CoverageRow[] {
	const skipped = new Map(plan.skippedFiles.map((file) => [file.path, file.reason]));
	const carried = new Map(plan.carriedFiles?.map((file) => [file.path, file.reason]));
	const assigned = new Map<string, string>();
	for (const assignment of plan.assignments) {
		for (const file of assignment.files) if (!assigned.has(file.path)) assigned.set(file.path, assignment.agent.name);
	}
	const readers = new Map<string, Reader[]>();
	for (const report of reports) {
		const reader = { report, read: new Set(report.filesRead) };
		for (const file of report.files) {
			const known = readers.get(file);
			if (known === undefined) readers.set(file, [reader]);
			else known.push(reader);
		}
	}
	return changeSet.files.map((file) => {
		const agent = assigned.get(file.path) ?? null;
		const language = plan.languages[file.path];
		return {
			path: file.path,
			...(file.previousPath === undefined ? {} : { previousPath: file.previousPath }),
			status: file.status,
			additions: file.additions,
			deletions: file.deletions,
			binary: file.binary,
			...(language === undefined ? {} : { language }),
			assigned: agent,
			...(stateOfCarried(carried.get(file.path)) ?? stateOf(file, agent, skipped.get(file.path), readers.get(file.path) ?? [])),
		};
	});
}

/** A child that was given a file, and what it has opened. */
interface Reader {
	readonly report: SubagentReport;
	readonly read: ReadonlySet<string>;
}

type RowState = Pick<CoverageRow, "state"> & { readonly reason?: string };

/** What an earlier round has read whole counts as read, and the row says since when. */
function stateOfCarried(reason: string | undefined): RowState | undefined {
	return reason === undefined ? undefined : { state: "reviewed", reason };
}

function stateOf(file: ChangedFile, agent: string | null, skipReason: string | undefined, readers: readonly Reader[]): RowState {
	const best = readers.map((reader) => stateByReader(file, reader)).sort((a, b) => ORDER.indexOf(a.state) - ORDER.indexOf(b.state))[0];
	if (best !== undefined) return best;
	if (skipReason !== undefined) return { state: "skipped", reason: skipReason };
	if (agent !== null) return { state: "skipped", reason: `${agent} did not run` };
	if (file.submodule !== undefined) return { state: "skipped", reason: "submodule pointer" };
	return { state: "skipped", reason: file.binary ? "binary" : "no reviewer for this file" };
}

const ORDER: readonly CoverageRow["state"][] = ["reviewed", "partial", "skipped"];

function stateByReader(file: ChangedFile, { report, read: opened }: Reader): RowState {
	const read = opened.has(file.path) || hasNothingToRead(file);
	if (report.status === "completed") {
		return read ? { state: "reviewed" } : { state: "skipped", reason: `${report.agent} finished without reading it` };
	}
	if (report.status === "partial") {
		const why =
			report.error === undefined ? `${report.agent} stopped early (${report.stopReason})` : firstLine(`${report.agent}: ${report.error}`);
		return read ? { state: "partial", reason: why } : { state: "skipped", reason: why };
	}
	const cause = report.error === undefined ? report.stopReason : firstLine(report.error);
	return { state: "skipped", reason: `${report.agent} ${report.status}: ${cause}` };
}

/** A move or a mode change without edits is wholly told by its line in the change overview. */
function hasNothingToRead(file: ChangedFile): boolean {
	return !file.binary && file.additions === 0 && file.deletions === 0;
}

function firstLine(text: string): string {
	const line = text.split("\n", 1)[0] ?? "";
	return line.length > 120 ? `${line.slice(0, 119)}…` : line;
}
