import type { Actor, Sha } from "../domain/ids.ts";
import { readPayload, toActor, workflowRunSchema } from "./event-payload.ts";

/** The run whose outboxes are to be published, as GitHub itself tells of it. */
export interface OutboxOrigin {
	readonly run: string;
	readonly attempt: number;
	/** Name of the event that started it. */
	readonly event: string;
	/** Who started this attempt of it. */
	readonly actor: Actor;
	/** Head commit and repository of that run; absent where the publishing job is part of it. */
	readonly head?: Sha;
	readonly headRepository?: string | null;
	/** Milliseconds since the epoch, when known. */
	readonly startedAt?: number;
}

export type FoundOrigin = { readonly kind: "origin"; readonly origin: OutboxOrigin } | { readonly kind: "skip"; readonly reason: string };

/** Events whose runs are about one pull request and hold no secrets of ours. */
const REVIEW_EVENTS: readonly string[] = ["pull_request", "pull_request_target"];
/** Ends of a run that leave nothing worth publishing. */
const EMPTY: readonly string[] = ["cancelled", "skipped", "action_required", "stale"];

/**
 * The origin in the payload of `workflow_run`, which GitHub writes and no pull request can. A run that failed is
 * taken all the same: what its other jobs have left is a partial review. Throws a UserError for another payload.
 */
export function readOutboxOrigin(event: string, payload: unknown): FoundOrigin {
	const { action, workflow_run: run } = readPayload(event, workflowRunSchema, payload);
	const name = run.name ?? "before";
	if (action !== "completed")
		return { kind: "skip", reason: `the workflow ${name} is ${action}; its outboxes are there when it is completed` };
	if (!REVIEW_EVENTS.includes(run.event ?? "")) {
		return { kind: "skip", reason: `the workflow ${name} was started by ${run.event ?? "no event"}, not for a pull request` };
	}
	if (EMPTY.includes(run.conclusion ?? "")) return { kind: "skip", reason: `the workflow ${name} ended with ${run.conclusion ?? ""}` };
	const startedAt = Date.parse(run.run_started_at ?? "");
	return {
		kind: "origin",
		origin: {
			...{ run: String(run.id), attempt: run.run_attempt ?? 1, event: run.event ?? "" },
			actor: toActor(run.triggering_actor ?? run.actor),
			head: run.head_sha,
			headRepository: run.head_repository?.full_name ?? null,
			...(Number.isFinite(startedAt) ? { startedAt } : {}),
		},
	};
}
