import type { Actor, RepositoryRef } from "../domain/ids.ts";
import type { Trigger } from "../domain/trigger.ts";
import type { CommandNames } from "./parse-command.ts";

/** What parsing an event needs besides its payload: the runner's variables and what the workflow asked for. */
export interface EventFacts {
	/** `GITHUB_REPOSITORY`; a schedule's payload has none (BR-39). */
	readonly repository: RepositoryRef;
	/** `GITHUB_SHA`. */
	readonly sha: string;
	/** `GITHUB_REF`. */
	readonly ref: string;
	/** `GITHUB_ACTOR`: a login only. For a schedule, who edited it last, and perhaps left since. */
	readonly actor: string;
	/** `GITHUB_RUN_ATTEMPT`, from 1. */
	readonly attempt: number;
	/** The input `job`. */
	readonly job?: string;
	readonly names: CommandNames;
	/** The input `allowed-bots`. */
	readonly allowedBots: readonly string[];
	/** Who our token is, when known: nothing of ours starts a run (BR-26). */
	readonly self?: Actor | null;
	/** Labels that start a review when they are added; none without settings. */
	readonly reviewLabels?: readonly string[];
}

/**
 * A review that was asked for by number alone: the payload of a dispatch has no pull request. It becomes a
 * `PullRequestTrigger` as soon as the API has told what the pull request is (`completeReview`).
 */
export interface DispatchedReview {
	readonly kind: "review-by-number";
	readonly event: string;
	readonly repository: RepositoryRef;
	readonly actor: Actor;
	readonly number: number;
	readonly attempt: number;
}

export type ParsedEvent = Trigger | DispatchedReview;

/** Reads one kind of event. Throws a UserError for a payload that is not what GitHub sends. */
export type EventReader = (event: string, payload: unknown, facts: EventFacts) => ParsedEvent;
