import { createHash } from "node:crypto";
import type { RunReport } from "../domain/run-report.ts";
import { buildReport } from "../publish/build-report.ts";
import type { Change } from "./load-change.ts";
import type { PipelineSeams, RunFacts } from "./pipeline-seams.ts";
import { synthesizeRun, type SynthesisStage } from "./synthesize-run.ts";

/*
 * What the run's own journal keeps so that a finished run's report can be built again without a model, a network or
 * the repository: the input of the last stages as data, and what the repository answered while they ran.
 */

/** Answers of the functions of a change, by name and arguments. */
type RecordedAnswers = Readonly<Record<string, readonly { readonly args: unknown; readonly answer?: unknown }[]>>;

/** Names of the `run.data` records; the last of each in a journal counts. */
export const RUN_RECORDS = { stage: "run.stage", answers: "run.answers", report: "run.report" } as const;

export interface RecordedStage extends Omit<SynthesisStage, "change"> {
	readonly change: Omit<Change, "readPatches" | "readHead">;
	readonly provider: string;
	/** Milliseconds since the epoch. */
	readonly startedAt: number;
	readonly endedAt: number;
	readonly audit: RunReport["audit"];
}

/** How the report's text can be checked, and what the rebuilt one lacks: nothing, as long as no later stage adds to it. */
export interface RecordedReport {
	readonly sha256: string;
	readonly changes: Partial<RunReport>;
}

/** A change whose answers are remembered as they are given. */
export interface ChangeRecorder {
	readonly change: Change;
	answers(): RecordedAnswers;
}

export function recordChange(change: Change): ChangeRecorder {
	const answers: Record<string, { args: unknown; answer?: unknown }[]> = { readHead: [], readPatches: [] };
	return {
		change: {
			...change,
			async readHead(path) {
				const answer = await change.readHead(path);
				answers["readHead"]?.push({ args: path, answer });
				return answer;
			},
			async readPatches(paths) {
				const answer = await change.readPatches(paths);
				answers["readPatches"]?.push({ args: paths, answer });
				return answer;
			},
		},
		answers: () => answers,
	};
}

/** The other direction: a change that only knows what was recorded. Rejects for everything else. */
export function replayChange(change: RecordedStage["change"], answers: RecordedAnswers): Change {
	function find(name: string, args: unknown): unknown {
		const wanted = JSON.stringify(args);
		const found = answers[name]?.find((each) => JSON.stringify(each.args) === wanted);
		if (found === undefined) throw new Error(`${name}(${wanted.slice(0, 200)}) was not recorded`);
		return found.answer;
	}
	return {
		...change,
		readHead: async (path) => find("readHead", path) as string | undefined,
		readPatches: async (paths) => find("readPatches", paths) as Awaited<ReturnType<Change["readPatches"]>>,
	};
}

/** The report's text, as it stands in `report.json` (DESIGN.md 14). */
export function printReport(report: RunReport): string {
	return `${JSON.stringify(report, undefined, "\t")}\n`;
}

/**
 * Builds a report from records. The same functions do it as in the run itself; only what comes from outside is data.
 * Rejects when something is asked that was not recorded.
 */
export async function rebuildReport(stage: RecordedStage, answers: RecordedAnswers, changes: Partial<RunReport>): Promise<RunReport> {
	const synthesis = await synthesizeRun({ ...stage, change: replayChange(stage.change, answers) });
	// What is on disk went through the redactor already (S-134).
	const report = buildReport({ ...stage, synthesis, redact: (text) => text });
	return { ...report, ...changes };
}

export interface RunRecord {
	readonly stage: SynthesisStage;
	readonly recorder: ChangeRecorder;
	readonly report: RunReport;
}

/**
 * Appends the records to the run's journal, once, after everything else. Rejects only when the journal cannot be
 * written. What the records alone would not give back exactly, such as a fingerprint of text with a secret in it, is
 * kept as the part of the report it changes.
 */
export async function recordRun(
	record: RunRecord,
	seams: Pick<PipelineSeams, "journals" | "model" | "redact">,
	facts: RunFacts,
): Promise<void> {
	const { stage, report } = record;
	const { readPatches: _patches, readHead: _head, ...change } = stage.change;
	const recorded: RecordedStage = toStored(
		{
			...stage,
			change,
			provider: seams.model.provider,
			startedAt: facts.startedAt,
			endedAt: Date.parse(report.run.endedAt),
			audit: report.audit,
		},
		seams.redact,
	);
	const answers = toStored(record.recorder.answers(), seams.redact);
	const changes = await findChanges(recorded, answers, report);
	const sha256 = createHash("sha256").update(printReport(report)).digest("hex");
	const journal = seams.journals.openRun();
	try {
		await journal.append({ type: "run.data", name: RUN_RECORDS.stage, data: recorded });
		await journal.append({ type: "run.data", name: RUN_RECORDS.answers, data: answers });
		await journal.append({ type: "run.data", name: RUN_RECORDS.report, data: { sha256, changes } satisfies RecordedReport });
	} finally {
		await journal.close();
	}
}

async function findChanges(stage: RecordedStage, answers: RecordedAnswers, report: RunReport): Promise<Partial<RunReport>> {
	try {
		const rebuilt: Readonly<Record<string, unknown>> = { ...(await rebuildReport(stage, answers, {})) };
		return Object.fromEntries(
			Object.entries(report).filter(([key, value]) => JSON.stringify(rebuilt[key]) !== JSON.stringify(value)),
		) as Partial<RunReport>;
	} catch {
		// A stage that asks something new at a second run: the report itself is the record then.
		return report;
	}
}

/** A value as it comes back from the journal: JSON, every text redacted. */
function toStored<T>(value: T, redact: (text: string) => string): T {
	return JSON.parse(JSON.stringify(value), (_key, part: unknown) => (typeof part === "string" ? redact(part) : part)) as T;
}
