import type { ReasonCode } from "../domain/errors.ts";
import type { FixReport, FixWish } from "../domain/fix.ts";
import type { Actor, Sha } from "../domain/ids.ts";
import type { PublishedAgent, ReviewState, StateChange } from "../domain/review-state.ts";
import type { Role } from "../domain/role.ts";
import type { Settings } from "../domain/settings.ts";
import type { PreviousFinding } from "../domain/synthesis.ts";
import type { CommandReply } from "../publish/read-replies.ts";

/*
 * What a comment command is and what it may use. A command decides and renders; it reads through the world it is given
 * and writes nothing: what it wants to be published or remembered is in its result (principle 2 of the style guide).
 */

/** One command of the table; help, documentation and permissions are read from it. */
export interface CommandDefinition {
	/** Without a slash, lower case. */
	readonly name: string;
	/** What stands behind the name, for people: `QUESTION`, `[full] [--plan]`; empty for none. */
	readonly usage: string;
	/** One sentence without a full stop. */
	readonly summary: string;
	/** Least role in the repository. What costs money or changes something needs write. */
	readonly role: Role;
	/** `pull-request`: on an issue it says why not (BR-40). */
	readonly on: "pull-request" | "anything";
	/** True when it may call a model; such commands count against the limits of a day and a head. */
	readonly spends: boolean;
	run(text: string, world: CommandWorld): Promise<CommandResult>;
}

export interface CommandResult {
	/** done: 👍, refused: 👎, failed: 😕. */
	readonly outcome: "done" | "refused" | "failed";
	/** Markdown; text that is not ours has been cleaned. */
	readonly body: string;
	readonly code?: ReasonCode;
	readonly changes?: readonly StateChange[];
	/** US dollars; null when a model has no known price. */
	readonly costUsd?: number | null;
}

/** How a question was answered, and what it cost. */
export type Answer =
	| {
			readonly kind: "answered";
			readonly markdown: string;
			readonly who: readonly AnsweredBy[];
			readonly costUsd: number | null;
			readonly tokens: number;
	  }
	| { readonly kind: "unavailable"; readonly reason: string };

export interface AnsweredBy {
	readonly session: string;
	readonly agentId: string;
	readonly status: string;
	readonly steps: number;
	readonly continuable: boolean;
}

export type Question =
	| { readonly kind: "ask" | "explore"; readonly text: string }
	| { readonly kind: "expert"; readonly language: string; readonly text: string }
	| { readonly kind: "agent"; readonly agent: string; readonly text: string }
	| { readonly kind: "continue"; readonly agentId: string; readonly text: string };

/** What `/review` was asked for. */
export interface ReviewWishes {
	/** Everything anew, without the caps that earlier rounds have used up. */
	readonly full: boolean;
	/** Names of agents; none means all. */
	readonly agents: readonly string[];
	/** Globs of changed files; none means all. */
	readonly only: readonly string[];
}

export interface ReviewAnswer {
	readonly sentence: string;
	readonly state: string;
	readonly head: Sha;
	readonly summaryUrl: string;
	readonly costUsd: number | null;
	/** What could not be published, one line each. */
	readonly problems: readonly string[];
}

/** Who would run, for `/review --plan`: nothing was started for it. */
export interface PlanPreview {
	readonly head: Sha;
	readonly rows: readonly PlanRow[];
	readonly skippedFiles: readonly { readonly path: string; readonly reason: string }[];
	readonly skippedAgents: readonly { readonly name: string; readonly reason: string }[];
	readonly notes: readonly string[];
	/** The diff and what else all children share. */
	readonly packTokens: number;
}

export interface PlanRow {
	readonly agent: string;
	readonly files: number;
	readonly lines: number;
	readonly tools: readonly string[];
	readonly model: string;
	readonly maxSteps: number;
	readonly tokenBudget: number;
	readonly reason: string;
}

export interface SpecialistRow {
	readonly id: string;
	readonly displayName: string;
	readonly testCommand: string | undefined;
	readonly extensions: readonly string[];
	/** Files of this language at the head. */
	readonly files: number;
	/** Changed files it would read here; undefined without a pull request. */
	readonly changed: number | undefined;
	/** Why it would read them, one line a child. */
	readonly reasons: readonly string[];
}

/** Everybody else who would read here: the generalist, joint readers, the repository's own reviewers. */
export interface OtherReaderRow {
	readonly name: string;
	readonly files: number;
	readonly reason: string;
}

export interface AgentRow {
	readonly name: string;
	/** Path of its file, or its tier. */
	readonly source: string;
	readonly tools: readonly string[];
	readonly model: string;
	/** `merged`, `pinned`, or why it does not run. */
	readonly trust: string;
	readonly runs: boolean;
}

/** A run before this one, by what we published about it, and its files when they can be had. */
export interface EarlierRun {
	readonly run: string;
	readonly attempt: number;
	readonly agents: readonly PublishedAgent[];
	/** Page with its artifacts. */
	readonly url: string | undefined;
	/** What its journals say, as a drawing; or why they cannot be read. */
	readonly tree: { readonly ok: true; readonly text: string } | { readonly ok: false; readonly reason: string };
}

export interface AuditView {
	readonly policies: readonly { readonly path: string; readonly sha256: string }[];
	readonly audit:
		| {
				readonly ok: true;
				readonly run: string;
				readonly total: number;
				/** Newest first. */
				readonly events: readonly {
					readonly at: string;
					readonly what: string;
					readonly risk: string;
					readonly durationMs: number | undefined;
				}[];
		  }
		| { readonly ok: false; readonly reason: string };
	/** Whether the chain of hashes holds and ends where it was published. */
	readonly verified: { readonly ok: boolean; readonly text: string };
}

/** What is there for a command. Everything below the data is read when it is asked for. */
export interface CommandWorld {
	/** `rookery`. */
	readonly handle: string;
	readonly number: number;
	readonly isPullRequest: boolean;
	readonly actor: Actor;
	/** The commit that is spoken of: the pull request's head, or the default branch's. */
	readonly head: Sha;
	readonly settings: Settings;
	readonly state: ReviewState;
	/** Open findings of the last review. */
	readonly open: readonly PreviousFinding[];
	/** Our replies here so far, oldest first. */
	readonly replies: readonly CommandReply[];
	/** US dollars of the reviews so far; undefined when no review told, null when a price is not known. */
	readonly reviewUsd: number | null | undefined;
	readonly commands: readonly CommandDefinition[];
	readonly provider: string;
	readonly runUrl: string | undefined;
	/** Takes the power out of text that is not ours. */
	clean(text: string): string;
	cleanLine(text: string): string;
	/** Throws a UserError for what cannot be done. */
	ask(question: Question): Promise<Answer>;
	review(wishes: ReviewWishes): Promise<ReviewAnswer>;
	plan(wishes: ReviewWishes): Promise<PlanPreview>;
	/** Id of the finding in whose conversation the command stands; undefined anywhere else. */
	threadFinding(): Promise<string | undefined>;
	/** Makes, proves and pushes a fix; what holds it back is in the report. */
	fix(wish: FixWish): Promise<FixReport>;
	describeChange(): Promise<ChangeDescription>;
	listSpecialists(): Promise<{ readonly specialists: readonly SpecialistRow[]; readonly others: readonly OtherReaderRow[] }>;
	listAgents(): Promise<readonly AgentRow[]>;
	earlierRun(): Promise<EarlierRun | undefined>;
	readAudit(): Promise<AuditView>;
	/** Settings in force, as the schema spells them. */
	readConfig(): Promise<{ readonly sources: readonly string[]; readonly json: string }>;
	/** Proposes a pin of an agent's files. */
	trustAgent(name: string): Promise<TrustProposal>;
}

export interface ChangeDescription {
	readonly files: readonly {
		readonly path: string;
		readonly status: string;
		readonly additions: number;
		readonly deletions: number;
		readonly language: string;
	}[];
	readonly trustDiff: readonly { readonly path: string; readonly text: string }[];
}

export type TrustProposal =
	| {
			readonly kind: "proposed";
			readonly url: string;
			readonly number: number;
			readonly path: string;
			readonly closure: string;
			readonly existed: boolean;
	  }
	| { readonly kind: "by-hand"; readonly why: string; readonly file: string; readonly content: string }
	| { readonly kind: "unknown"; readonly reason: string }
	| { readonly kind: "pinned"; readonly path: string };

export function done(body: string, more: Omit<CommandResult, "outcome" | "body"> = {}): CommandResult {
	return { outcome: "done", body, ...more };
}

/** Nothing was done, and nothing will be until the person asks differently. */
export function refused(body: string, code?: ReasonCode): CommandResult {
	return { outcome: "refused", body, ...(code === undefined ? {} : { code }) };
}

/** It was tried and did not work. */
export function failed(body: string, more: Pick<CommandResult, "costUsd" | "code"> = {}): CommandResult {
	return { outcome: "failed", body, ...more };
}
