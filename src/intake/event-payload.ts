import * as z from "zod";
import { UserError } from "../domain/errors.ts";
import { type Actor, GHOST, isSha } from "../domain/ids.ts";
import type { PullRequestFacts } from "../domain/trigger.ts";
import type { EventFacts } from "./event-facts.ts";

/*
 * What is read of payloads, and no more: other fields come and go. Absent and `null` mean the same, since deleted
 * accounts, forks and empty texts arrive as `null` (BR-30, R30).
 */

const userSchema = z.object({ login: z.string(), id: z.number(), type: z.string().nullish() });
const repositorySchema = z.object({ full_name: z.string() });
const shaSchema = z.string().refine(isSha, "a full object id of 40 hex digits");

const sideSchema = z.object({ ref: z.string(), sha: shaSchema, repo: repositorySchema.nullish() });

export const pullRequestSchema = z.object({
	number: z.int().min(1),
	title: z.string().nullish(),
	body: z.string().nullish(),
	user: userSchema.nullish(),
	state: z.enum(["open", "closed"]),
	merged: z.boolean().nullish(),
	merged_at: z.string().nullish(),
	draft: z.boolean().nullish(),
	base: sideSchema,
	head: sideSchema,
	labels: z.array(z.object({ name: z.string() })).nullish(),
	changed_files: z.number().nullish(),
});

export const pullRequestEventSchema = z.object({
	action: z.string(),
	pull_request: pullRequestSchema,
	label: z.object({ name: z.string() }).nullish(),
	sender: userSchema.nullish(),
});

const commentSchema = z.object({
	id: z.int(),
	body: z.string().nullish(),
	user: userSchema.nullish(),
	created_at: z.string().nullish(),
});

export const commentEventSchema = z.object({
	action: z.string(),
	comment: commentSchema,
	issue: z.object({ number: z.int().min(1), pull_request: z.unknown().optional() }).nullish(),
	pull_request: z.object({ number: z.int().min(1) }).nullish(),
	changes: z.object({ body: z.object({ from: z.string().nullish() }).nullish() }).nullish(),
	sender: userSchema.nullish(),
});

export const dispatchSchema = z.object({
	inputs: z.record(z.string(), z.unknown()).nullish(),
	client_payload: z.record(z.string(), z.unknown()).nullish(),
	ref: z.string().nullish(),
	sender: userSchema.nullish(),
});

export const workflowRunSchema = z.object({
	action: z.string(),
	workflow_run: z.object({
		id: z.int(),
		name: z.string().nullish(),
		event: z.string().nullish(),
		run_attempt: z.int().min(1).nullish(),
		run_started_at: z.string().nullish(),
		conclusion: z.string().nullish(),
		head_branch: z.string().nullish(),
		head_sha: shaSchema,
		head_repository: repositorySchema.nullish(),
		actor: userSchema.nullish(),
		triggering_actor: userSchema.nullish(),
	}),
	sender: userSchema.nullish(),
});

export const scheduleSchema = z.object({ schedule: z.string().max(200).nullish() });

export const pushSchema = z.object({
	deleted: z.boolean().nullish(),
	ref: z.string().nullish(),
	sender: userSchema.nullish(),
});

type UserPayload = z.infer<typeof userSchema>;

/** Checks a payload against the fields that are read; a UserError names the event and the field that is wrong. */
export function readPayload<T>(event: string, schema: z.ZodType<T>, payload: unknown): T {
	const parsed = schema.safeParse(payload);
	if (parsed.success) return parsed.data;
	const issue = parsed.error.issues[0];
	throw new UserError(`event ${event}: ${issue?.path.map(String).join(".") || "payload"}: ${issue?.message ?? "not as expected"}`);
}

const ACTOR_TYPES: readonly Actor["type"][] = ["User", "Bot", "Organization", "Mannequin"];

/** A user of a payload; nobody is privileged for being absent (BR-30). */
export function toActor(user: UserPayload | null | undefined): Actor {
	if (user === null || user === undefined) return GHOST;
	const type = ACTOR_TYPES.find((known) => known === user.type) ?? "Unknown";
	// The suffix cannot be part of a person's login, so it tells a bot whatever the type says.
	return { login: user.login, id: user.id, type: user.login.endsWith("[bot]") ? "Bot" : type };
}

/** The sender of an event, else the actor the runner names, whose id and type are not known. */
export function senderOf(sender: UserPayload | null | undefined, facts: EventFacts): Actor {
	if (sender !== null && sender !== undefined) return toActor(sender);
	if (facts.actor === "") return GHOST;
	return { login: facts.actor, id: 0, type: facts.actor.endsWith("[bot]") ? "Bot" : "Unknown" };
}

export function toPullRequestFacts(pull: z.infer<typeof pullRequestSchema>): PullRequestFacts {
	const baseRepository = pull.base.repo?.full_name ?? null;
	const headRepository = pull.head.repo?.full_name ?? null;
	return {
		number: pull.number,
		title: pull.title ?? "",
		body: pull.body ?? "",
		author: toActor(pull.user),
		state: pull.state,
		merged: pull.merged ?? typeof pull.merged_at === "string",
		draft: pull.draft ?? false,
		base: { ref: pull.base.ref, sha: pull.base.sha, repository: baseRepository },
		head: { ref: pull.head.ref, sha: pull.head.sha, repository: headRepository },
		// A deleted fork is a fork (BR-33, R30).
		fork: headRepository === null || baseRepository === null || headRepository.toLowerCase() !== baseRepository.toLowerCase(),
		labels: (pull.labels ?? []).map((label) => label.name),
		...(typeof pull.changed_files === "number" ? { changedFiles: pull.changed_files } : {}),
	};
}
