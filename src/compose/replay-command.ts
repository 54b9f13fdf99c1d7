import { createHash } from "node:crypto";
import * as z from "zod";
import { readRunJournals, type RunJournals } from "../adapters/replay/read-run-journals.ts";
import { UserError } from "../domain/errors.ts";
import type { JournalEntry } from "../domain/journal-entry.ts";
import type { RunReport } from "../domain/run-report.ts";
import { printReport, rebuildReport, type RecordedStage, RUN_RECORDS } from "../stages/record-run.ts";

export interface ReplayedRun {
	readonly report: RunReport;
	/** The same bytes as the run's `report.json`. */
	readonly text: string;
}

const object = z.looseObject({});
/** Enough to know that a record is one of ours; its content was written by the same version's types. */
const recordedStage = z.looseObject({
	context: z.looseObject({ head: z.string(), base: z.string() }),
	plan: z.looseObject({ assignments: z.array(object) }),
	children: z.looseObject({ reports: z.array(z.looseObject({ session: z.string() })) }),
	change: z.looseObject({ changeSet: object }),
	patches: z.array(object),
	provider: z.string(),
	startedAt: z.number(),
	endedAt: z.number(),
});
const recordedAnswers = z.record(z.string(), z.array(z.looseObject({ args: z.unknown() })));
const recordedReport = z.looseObject({ sha256: z.string().regex(/^[0-9a-f]{64}$/), changes: object });

/**
 * `rookery replay JOURNALS`: a finished run's JSON report, built again from its journals alone: no model, no network,
 * no repository. Throws a UserError for journals that are missing, broken, of a run that did not finish, or
 * that no longer fit together; what comes back has the digest that the run wrote down.
 */
export async function replayRun(location: string): Promise<ReplayedRun> {
	const journals = await readRunJournals(location);
	checkSessions(journals);
	const stage = readRecord(journals, RUN_RECORDS.stage, recordedStage);
	const answers = readRecord(journals, RUN_RECORDS.answers, recordedAnswers);
	const recorded = readRecord(journals, RUN_RECORDS.report, recordedReport);
	const report = await rebuildReport(stage as unknown as RecordedStage, answers, recorded.changes as Partial<RunReport>);
	const text = printReport(report);
	const sha256 = createHash("sha256").update(text).digest("hex");
	if (sha256 !== recorded.sha256) {
		throw new UserError(
			`journal ${journals.run.file}: the rebuilt report has the digest ${sha256.slice(0, 12)}, the run wrote ${recorded.sha256.slice(0, 12)}`,
		);
	}
	return { report, text };
}

function readRecord<Schema extends z.ZodType>(journals: RunJournals, name: string, schema: Schema): z.output<Schema> {
	const entry = journals.run.entries.findLast((each) => each.type === "run.data" && each.name === name);
	if (entry?.type !== "run.data")
		throw new UserError(`journal ${journals.run.file}: found no record ${name}; wanted the journal of a finished review`);
	const parsed = schema.safeParse(entry.data);
	if (parsed.success) return parsed.data;
	const [issue] = parsed.error.issues;
	throw new UserError(
		`journal ${journals.run.file}: ${name}.${issue?.path.join(".") ?? ""}: ${issue?.message ?? "not as a run writes it"}`,
	);
}

/** Each child that the run says has ended must have left a journal that says the same (S-126, S-091). */
function checkSessions(journals: RunJournals): void {
	const finished = new Map<string, Extract<JournalEntry, { type: "agent.finished" }>>();
	for (const entry of journals.run.entries) if (entry.type === "agent.finished") finished.set(entry.session, entry);
	for (const [session, entry] of finished) {
		const journal = journals.sessions.get(session);
		if (journal === undefined)
			throw new UserError(`journals of ${journals.run.file}: ${session}.jsonl is missing; wanted one journal a child`);
		const end = journal.entries.findLast((each) => each.type === "end");
		const report = z.looseObject({ steps: z.number(), usage: z.unknown() }).safeParse(entry.report);
		if (end === undefined || !report.success) throw new UserError(`journal ${journal.file}: found no end record; wanted one a run`);
		if (end.steps !== report.data.steps || JSON.stringify(end.usage) !== JSON.stringify(report.data.usage)) {
			throw new UserError(`journal ${journal.file}: its end does not fit what the run says of ${session}`);
		}
	}
}
