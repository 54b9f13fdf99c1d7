import type { Outbox, OutboxHead, Shard, ShardedPlan } from "../../domain/outbox.ts";
import type { ManifestPart } from "../../domain/run-manifest.ts";
import type { ReviewPlan } from "../../domain/review-plan.ts";
import { digestPlan } from "../../plan/plan-digest.ts";
import { splitShards } from "../../plan/split-shards.ts";
import type { ChildrenInput, ChildrenOutcome } from "../run-children.ts";
import { checkPlan } from "./check-outboxes.ts";
import { joinOutboxes } from "./join-outboxes.ts";
import { refuse } from "./parse-outbox.ts";

/** What the outboxes of a run are about. */
export interface BundleSubject extends Pick<OutboxHead, "pullRequest" | "base" | "head" | "mergeBase" | "plan" | "hooks" | "provider"> {
	/** Absent when no outbox is there to name it. */
	readonly headRepository?: string | null;
}

/** The outboxes of a run with what they are about; checked as far as it goes without the repository. */
export interface Bundle {
	readonly outboxes: readonly Outbox[];
	readonly common: BundleSubject;
	/** The planning job's cut, when it was handed on. */
	readonly shards?: readonly Shard[];
	readonly carried?: readonly string[];
	readonly of: number;
	readonly notes: readonly string[];
}

/**
 * Puts outboxes and the plan they were made for together. With a plan, which reaches this job as an output of another one
 * and not as an artifact, every outbox has to be of that plan, and all of them may be missing. Throws a UserError with
 * `E_OUTBOX` otherwise.
 */
export function bundleOutboxes(
	outboxes: readonly Outbox[],
	plan: ShardedPlan | undefined,
	expected: { readonly run: string; readonly provider: string },
): Bundle {
	const first = outboxes[0]?.head;
	if (plan === undefined) {
		if (first === undefined) {
			throw refuse(`run ${expected.run} left none; the workflow has to upload what its working jobs name in their output outbox`);
		}
		return { outboxes, common: first, of: first.shard.of, notes: tellMissing(outboxes, first.shard.of) };
	}
	if (plan.run !== expected.run) throw refuse(`plan: run: found ${plan.run}, wanted ${expected.run}`);
	for (const { source, head } of outboxes) {
		for (const key of ["pullRequest", "base", "head", "mergeBase", "hooks"] as const) {
			if (head[key] !== plan[key]) throw refuse(`${source}: ${key}: found ${String(head[key])}, wanted ${String(plan[key])} as planned`);
		}
		if (head.plan !== plan.digest) throw refuse(`${source}: plan: found ${head.plan.slice(0, 12)}, wanted ${plan.digest.slice(0, 12)}`);
		if (head.shard.of !== plan.shards.length)
			throw refuse(`${source}: shard: found one of ${head.shard.of}, wanted one of ${plan.shards.length}`);
	}
	const of = plan.shards.filter((shard) => shard.assignments.length > 0).length;
	const { pullRequest, base, head, mergeBase, hooks, digest, shards, carried } = plan;
	return {
		outboxes,
		common: {
			...{ pullRequest, base, head, mergeBase, hooks, plan: digest },
			provider: first?.provider ?? expected.provider,
			...(first === undefined ? {} : { headRepository: first.headRepository }),
		},
		...{ shards, of, notes: tellMissing(outboxes, of) },
		...(carried === undefined ? {} : { carried }),
	};
}

function tellMissing(outboxes: readonly Outbox[], of: number): readonly string[] {
	const there = new Set(outboxes.map((outbox) => outbox.head.shard.number));
	const missing = Array.from({ length: of }, (_, index) => index + 1).filter((number) => !there.has(number));
	if (missing.length === 0) return [];
	const which = missing.length === 1 ? `shard ${missing.join("")}` : `shards ${missing.join(", ")}`;
	return [
		`${which} of ${of} left no outbox: the job failed, was cancelled or uploaded nothing. What its children were to read is named as not reviewed.`,
	];
}

/** The children's outcome for the plan as this job has made it. Throws as `checkPlan` and `joinOutboxes` do. */
export function joinBundle(
	bundle: Bundle,
	{ plan, context, trusted }: Pick<ChildrenInput, "plan" | "context" | "trusted">,
): ChildrenOutcome {
	checkPlan(bundle.common, { mergeBase: context.mergeBase, plan: digestPlan(plan, context) });
	const shards = bundle.shards ?? splitShards(plan.assignments, bundle.of, trusted.settings.budget);
	checkCut(shards, plan);
	const notes = [...bundle.outboxes.flatMap((outbox) => outbox.head.notes), ...bundle.notes];
	return { ...joinOutboxes(plan, shards, bundle.outboxes), notes: [...new Set(notes)], parts: bundle.outboxes.map(toPart) };
}

function toPart({ head, sha256 }: Outbox): ManifestPart {
	return {
		shard: head.shard.number,
		outbox: sha256,
		audit: head.audit,
		journals: head.agents.map((agent) => ({ session: agent.session, sha256: agent.sha256 })),
	};
}

/** Each child of the plan in exactly one shard. */
function checkCut(shards: readonly Shard[], plan: ReviewPlan): void {
	const given = shards.flatMap((shard) => shard.assignments).sort((a, b) => a - b);
	if (given.length === plan.assignments.length && given.every((index, place) => index === place)) return;
	throw refuse(`shards: found children ${given.join(", ")}, wanted each of ${plan.assignments.length} once`);
}
