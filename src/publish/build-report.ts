import type { SubagentReport } from "../domain/child-run.ts";
import type { Finding } from "../domain/finding.ts";
import type { RunContext } from "../domain/run-context.ts";
import { RUN_REPORT_VERSION, type ReportFinding, type RunReport } from "../domain/run-report.ts";
import type { Synthesis } from "../domain/synthesis.ts";

export interface ReportInput {
	readonly synthesis: Synthesis;
	readonly context: Pick<RunContext, "runId" | "event" | "base" | "head" | "mergeBase" | "notes">;
	readonly provider: string;
	/** Milliseconds since the epoch. */
	readonly startedAt: number;
	readonly endedAt: number;
	readonly audit: { readonly entries: number; readonly head: string | null };
	/** Secrets leave no run, in no form (A87). */
	readonly redact: (text: string) => string;
}

/** The JSON report: the contract of DESIGN.md 14, checked against `schemas/report.schema.json` by a test. */
export function buildReport(input: ReportInput): RunReport {
	const { synthesis, context } = input;
	const report: RunReport = {
		version: RUN_REPORT_VERSION,
		run: {
			id: context.runId,
			trigger: context.event,
			base: context.base,
			head: context.head,
			mergeBase: context.mergeBase,
			provider: input.provider,
			startedAt: new Date(input.startedAt).toISOString(),
			endedAt: new Date(input.endedAt).toISOString(),
		},
		verdict: synthesis.verdict,
		files: synthesis.coverage.map((row) => ({ ...row })),
		findings: synthesis.findings.map(toReportFinding),
		dismissed: synthesis.dismissed.map(({ finding, reason }) => ({ finding: toReportFinding(finding), reason })),
		agents: synthesis.agents.map(toReportAgent),
		usage: { ...synthesis.usage, costUsd: synthesis.costUsd },
		refused: synthesis.refused,
		trustDiff: synthesis.trustDiff,
		notes: [...new Set([...context.notes, ...synthesis.notes])],
		audit: input.audit,
	};
	return redactStrings(report, input.redact);
}

function toReportFinding(finding: Finding): ReportFinding {
	const { tierReason: _tierReason, quote: _quote, lineage: _lineage, ...rest } = finding;
	return rest;
}

function toReportAgent(report: SubagentReport): RunReport["agents"][number] {
	return {
		name: report.agent,
		kind: report.kind,
		session: report.session,
		model: report.model,
		status: report.status,
		stopReason: report.stopReason,
		steps: report.steps,
		toolUses: report.toolUses,
		usage: report.usage,
		costUsd: report.costUsd,
		durationMs: report.durationMs,
		...(report.worktree === undefined ? {} : { worktree: report.worktree }),
		reason: report.reason,
		summary: report.report.summary === "" ? report.text : report.report.summary,
		open: report.report.open,
		...(report.error === undefined ? {} : { error: report.error }),
		...(report.journal === undefined ? {} : { journal: report.journal }),
	};
}

/** Redacts every text of a JSON value; keys and shape stay. */
function redactStrings<T>(value: T, redact: (text: string) => string): T {
	if (typeof value === "string") return redact(value) as T;
	if (typeof value !== "object" || value === null) return value;
	// Most parts of a large report hold nothing to take out; those are not copied.
	let copy: Record<string, unknown> | undefined;
	for (const [key, item] of Object.entries(value) as [string, unknown][]) {
		const redacted = redactStrings(item, redact);
		if (redacted === item) continue;
		copy ??= (Array.isArray(value) ? [...value] : { ...value }) as unknown as Record<string, unknown>;
		copy[key] = redacted;
	}
	return (copy ?? value) as T;
}
