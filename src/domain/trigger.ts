import type { ReasonCode } from "./errors.ts";
import type { Actor, RepositoryRef, Sha } from "./ids.ts";

/** Why we run: the parsed event. The raw payload never travels further than `intake/`. */
export type Trigger = PullRequestTrigger | CommandTrigger | MaintainTrigger | SkipTrigger;

/** One side of a pull request as the event names it. */
export interface PullRequestSide {
	/** Branch name as data; never passed to a shell and never resolved (BR-33, BR-49). */
	readonly ref: string;
	readonly sha: Sha;
	/** `owner/name`, or null when the fork was deleted (R30). */
	readonly repository: string | null;
}

/** What a payload says about a pull request. The API may say something newer (BR-41). */
export interface PullRequestFacts {
	readonly number: number;
	readonly title: string;
	readonly body: string;
	readonly author: Actor;
	readonly state: "open" | "closed";
	readonly merged: boolean;
	readonly draft: boolean;
	readonly base: PullRequestSide;
	readonly head: PullRequestSide;
	/** True when the head lies in another repository than the base, or in a deleted one. */
	readonly fork: boolean;
	readonly labels: readonly string[];
	/** Number of changed files as GitHub counts them, when known (BR-11). */
	readonly changedFiles?: number;
}

interface TriggerBase {
	/** The event's name as GitHub spells it, or `local` for the command line. */
	readonly event: string;
	readonly repository: RepositoryRef;
	readonly actor: Actor;
}

/** Review a pull request. */
export interface PullRequestTrigger extends TriggerBase {
	readonly kind: "pull-request";
	readonly action: string;
	readonly pullRequest: PullRequestFacts;
	/** 1 for the first attempt; a re-run keeps the first payload (BR-41). */
	readonly attempt: number;
}

/** A comment that starts with one of our commands, or mentions us. */
export interface CommandTrigger extends TriggerBase {
	readonly kind: "command";
	/** Issue or pull request number. */
	readonly number: number;
	readonly isPullRequest: boolean;
	readonly comment: {
		readonly id: number;
		readonly kind: "issue" | "review";
		readonly author: Actor;
		readonly createdAt: string;
		readonly body: string;
	};
	/** Commands in the order in which they stand in the comment. */
	readonly commands: readonly ParsedCommand[];
}

/** One command of a comment; `text` is data for a model or validated options, never shell text (S-004). */
export interface ParsedCommand {
	readonly name: string;
	readonly text: string;
}

/** A named maintenance job, or all whose schedule has come. */
export interface MaintainTrigger extends TriggerBase {
	readonly kind: "maintain";
	/** Absent: the jobs that name `schedule`. */
	readonly job?: string;
	/** The cron line that fired. */
	readonly schedule?: string;
	readonly ref: string;
	readonly sha: Sha;
	/** The workflow run whose failure started this one. */
	readonly failure?: FailedWorkflow;
}

/** Somebody else's workflow run that went red. Names are data of whoever wrote that workflow. */
export interface FailedWorkflow {
	readonly id: number;
	readonly name: string;
	readonly branch: string;
	readonly head: Sha;
	/** `owner/name` of the head; null when it is gone. */
	readonly headRepository: string | null;
	readonly conclusion: string;
	/** Who started the run at first; the trigger's actor started this attempt of it. */
	readonly startedBy: Actor;
}

/** Nothing to do; a neutral end with exit code 0 and one notice that says why. */
export interface SkipTrigger {
	readonly kind: "skip";
	readonly event: string;
	readonly reason: string;
	readonly code?: ReasonCode;
	/** A comment that meant us and named no command: worth one short line, if its author may start anything at all. */
	readonly hint?: CommandHint;
}

/** A word that is no command of ours, in a comment that was meant for us. */
export interface CommandHint extends Pick<CommandTrigger, "actor" | "number" | "isPullRequest"> {
	readonly comment: Pick<CommandTrigger["comment"], "id" | "kind" | "author">;
	/** As written, without its slash. */
	readonly word: string;
	readonly nearest?: string;
	/** The comment was one command in code marks. */
	readonly quoted?: true;
}
