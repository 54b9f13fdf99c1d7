import path from "node:path";
import type { SubagentReport } from "../../domain/child-run.ts";
import {
	OUTBOX_REPORTS,
	OUTBOX_VERSION,
	type OutboxHead,
	type OutboxReports,
	type RawOutbox,
	type ShardedPlan,
} from "../../domain/outbox.ts";
import type { ReviewPlan } from "../../domain/review-plan.ts";
import type { RunContext } from "../../domain/run-context.ts";
import { digestPlan } from "../../plan/plan-digest.ts";
import type { ChildrenOutcome } from "../run-children.ts";
import { hashBytes, parseOutbox } from "./parse-outbox.ts";

export interface OutboxInput {
	readonly context: RunContext;
	readonly plan: ReviewPlan;
	readonly shard: OutboxHead["shard"];
	readonly children: ChildrenOutcome;
	/** Remarks for the summary that only this job can make. */
	readonly notes: readonly string[];
	readonly facts: Pick<OutboxHead, "hooks" | "action" | "provider" | "startedAt" | "endedAt" | "audit" | "agents">;
	/** Takes secrets out of text; they leave no job, in no form (A87). */
	readonly redact: (text: string) => string;
}

/**
 * The two files of an outbox. Paths of this machine are cut to their last part: on another one they mean nothing. Throws
 * when what was made could not be read again, which is a mistake of ours and better seen here than by the publisher.
 */
export function buildOutbox(input: OutboxInput): RawOutbox {
	const { context, plan, shard, children, facts, redact } = input;
	const { pullRequest } = context;
	if (pullRequest === undefined) throw new Error("an outbox is about a pull request");
	const reports: OutboxReports = {
		reports: children.reports.map((report) => stripReport(underPlannedName(report, children))),
		verification: { ...children.verification, reports: children.verification.reports.map(stripReport) },
		...(children.degradation === undefined ? {} : { degradation: children.degradation }),
		totals: children.totals,
		...(children.fatal === undefined ? {} : { fatal: children.fatal }),
		exhaustive: children.exhaustive,
	};
	const body = print(reports, redact);
	const { owner, name } = context.repository;
	const { base, head, mergeBase } = context;
	const described: OutboxHead = {
		version: OUTBOX_VERSION,
		...{ run: context.runId, attempt: context.attempt, repository: `${owner}/${name}`, pullRequest: pullRequest.number },
		...{ headRepository: pullRequest.head.repository, base, head, mergeBase, shard },
		plan: digestPlan(plan, context),
		...facts,
		notes: [...new Set(input.notes)].slice(0, MAX_NOTES).map((note) => note.slice(0, MAX_NOTE_CHARS).toWellFormed()),
		files: { [OUTBOX_REPORTS]: { sha256: hashBytes(body), bytes: body.length } },
	};
	const raw = { source: `shard ${shard.number}`, head: print(described, redact), reports: body };
	parseOutbox(raw);
	return raw;
}

const MAX_NOTES = 50;
const MAX_NOTE_CHARS = 2_000;

/** The planning job's answer to the others, for a line of JSON. */
export function buildShardedPlan(input: {
	readonly context: RunContext;
	readonly plan: ReviewPlan;
	readonly shards: ShardedPlan["shards"];
	readonly hooks: boolean;
}): ShardedPlan {
	const { context, plan, shards, hooks } = input;
	const { base, head, mergeBase } = context;
	const carried = (plan.carriedFiles ?? []).map((file) => file.path);
	return {
		version: OUTBOX_VERSION,
		...{ run: context.runId, pullRequest: context.pullRequest?.number ?? 0, base, head, mergeBase },
		...{ digest: digestPlan(plan, context), hooks, shards },
		...(carried.length > MAX_CARRIED ? {} : { carried }),
	};
}

/** An input is a variable of the environment, whose size is bounded. */
const MAX_CARRIED = 500;

/** A child that took another's place speaks for it: the plan knows only the first one's name. */
function underPlannedName(report: SubagentReport, { replaced = [] }: ChildrenOutcome): SubagentReport {
	const first = replaced.find((each) => each.agent === report.agent && each.files.join("\n") === report.files.join("\n"));
	return first === undefined ? report : { ...report, session: first.session };
}

function stripReport(report: SubagentReport): SubagentReport {
	const { journal: _journal, displayName: _name, worktree, ...rest } = report;
	return worktree === undefined ? rest : { ...rest, worktree: { path: path.basename(worktree.path), kept: worktree.kept } };
}

function print(value: unknown, redact: (text: string) => string): Buffer {
	const clean = (_key: string, part: unknown): unknown => (typeof part === "string" ? redact(part) : part);
	return Buffer.from(`${JSON.stringify(value, clean, "\t")}\n`);
}
