import type { SubagentReport } from "../../domain/child-run.ts";
import { UserError } from "../../domain/errors.ts";
import type { Outbox, Shard } from "../../domain/outbox.ts";
import type { ReviewPlan } from "../../domain/review-plan.ts";
import { addUsage, NO_USAGE } from "../../domain/usage.ts";
import type { ChildIdentity } from "../../engine/child-environment.ts";
import { addCost } from "../../engine/ledger.ts";
import { notStartedReport } from "../../engine/not-started-report.ts";
import type { ChildrenOutcome } from "../run-children.ts";
import { nameChildren } from "./name-children.ts";
import { refuse } from "./parse-outbox.ts";

/** How far a job may overdraw its share: one call that was under way. */
const OVERDRAFT = 2;

/**
 * Puts the shards' reports together in the order of the plan. A shard without an outbox is told as not run, child by child,
 * so that the review is a partial one. One whose reports are not those of its children refuses the whole: throws a
 * UserError (`E_OUTBOX`, or `E_LIMIT` for costs beyond its share).
 */
export function joinOutboxes(plan: ReviewPlan, shards: readonly Shard[], outboxes: readonly Outbox[]): ChildrenOutcome {
	const byNumber = new Map(outboxes.map((outbox) => [outbox.head.shard.number, outbox]));
	const identities = nameChildren(plan.assignments);
	const reports: (SubagentReport | undefined)[] = plan.assignments.map(() => undefined);
	const missing = shards.some((shard) => shard.assignments.length > 0 && !byNumber.has(shard.number));
	for (const shard of shards) {
		const outbox = byNumber.get(shard.number);
		if (outbox === undefined) {
			for (const index of shard.assignments) reports[index] = missingReport(plan, index, identities, shard, shards.length);
			continue;
		}
		checkShard(outbox, shard, plan, identities);
		shard.assignments.forEach((index, place) => {
			const report = outbox.reports.reports[place];
			const name = plan.assignments[index]?.agent.displayName;
			reports[index] = report === undefined || name === undefined ? report : { ...report, displayName: name };
		});
	}
	const parts = outboxes.map((outbox) => outbox.reports);
	return {
		reports: reports.filter((report) => report !== undefined),
		verification: {
			verdicts: parts.flatMap((part) => part.verification.verdicts),
			unverified: parts.flatMap((part) => part.verification.unverified),
			reports: parts.flatMap((part) => part.verification.reports),
		},
		...joinDegradations(parts, plan.assignments.length),
		totals: {
			usage: parts.reduce((sum, part) => addUsage(sum, part.totals.usage), NO_USAGE),
			costUsd: parts.reduce<number | null>((sum, part) => addCost(sum, part.totals.costUsd), 0),
			estimated: missing || parts.some((part) => part.totals.estimated),
		},
		fatal: parts.find((part) => part.fatal !== undefined)?.fatal,
		exhaustive: !missing && parts.every((part) => part.exhaustive),
	};
}

/** As one ladder for the whole plan; shards that had no trouble count as reviewers that were served. */
function joinDegradations(parts: readonly Outbox["reports"][], reviewers: number): Pick<ChildrenOutcome, "degradation"> {
	const all = parts.flatMap((part) => part.degradation ?? []);
	const [first] = all;
	if (first === undefined) return {};
	const sum = (key: "away" | "weaker" | "checks" | "lost"): number => all.reduce((total, each) => total + each[key], 0);
	const counts = { away: sum("away"), weaker: sum("weaker"), checks: sum("checks"), lost: sum("lost") };
	return { degradation: { ...first, ...counts, reviewers, models: [...new Set(all.flatMap((each) => each.models))] } };
}

function missingReport(
	plan: ReviewPlan,
	index: number,
	identities: readonly ChildIdentity[],
	shard: Shard,
	of: number,
): SubagentReport | undefined {
	const assignment = plan.assignments[index];
	const identity = identities[index];
	if (assignment === undefined || identity === undefined) return undefined;
	return notStartedReport({ assignment }, identity, `the job of shard ${shard.number} of ${of} left no outbox`);
}

/** Name of the built-in agent. */
const VERIFIER = "verifier";

/** Exactly its own children, each with its own files, and no dearer than it may be. */
function checkShard(outbox: Outbox, shard: Shard, plan: ReviewPlan, identities: readonly ChildIdentity[]): void {
	const { reports, verification, totals } = outbox.reports;
	if (reports.length !== shard.assignments.length) {
		throw refuse(
			`${outbox.source}: found ${reports.length} reports, wanted ${shard.assignments.length}: one of each child of shard ${shard.number}`,
		);
	}
	shard.assignments.forEach((index, place) => {
		const assignment = plan.assignments[index];
		const wanted = identities[index];
		const report = reports[place];
		if (assignment === undefined || wanted === undefined || report === undefined)
			throw refuse(`${outbox.source}: the plan has no child ${index}`);
		if (report.session !== wanted.session || report.agent !== assignment.agent.name || report.kind !== assignment.agent.kind) {
			throw refuse(
				`${outbox.source}: report ${place + 1}: found ${report.agent} (${report.session}), wanted ${assignment.agent.name} (${wanted.session})`,
			);
		}
		const files = assignment.files.map((file) => file.path);
		if (files.length !== report.files.length || files.some((file, at) => report.files[at] !== file)) {
			throw refuse(`${outbox.source}: report of ${report.session}: its files are not those that the plan gives it`);
		}
	});
	const verifiers = new Set(verification.reports.map((report) => report.session));
	const stranger = verification.reports.find(
		(report) => report.kind !== "verifier" || report.agent !== VERIFIER || !/^verifier-\d+$/.test(report.session),
	);
	if (stranger !== undefined) throw refuse(`${outbox.source}: found ${stranger.session} among the verifiers`);
	const unknown = verification.verdicts.find((verdict) => !verifiers.has(verdict.by));
	if (unknown !== undefined) throw refuse(`${outbox.source}: found a verdict by ${unknown.by}, who is none of its verifiers`);
	if (totals.costUsd !== null && totals.costUsd > shard.usd * OVERDRAFT) {
		throw new UserError(
			`outbox refused: ${outbox.source}: found costs of ${totals.costUsd} US dollars, wanted at most ${shard.usd}, the share of shard ${shard.number}`,
			{ code: "E_LIMIT" },
		);
	}
}
