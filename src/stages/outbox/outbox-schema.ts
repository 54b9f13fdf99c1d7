import * as z from "zod";
import { CATEGORIES, SEVERITIES } from "../../domain/finding.ts";
import { OUTBOX_REPORTS, OUTBOX_VERSION, type OutboxHead, type OutboxReports, type ShardedPlan } from "../../domain/outbox.ts";

/*
 * The forms of what one job leaves for another. Whoever wrote it may have been anybody: every text, list and number has a
 * bound, and a key that is not known refuses the whole.
 */

const MAX_PATH = 4_096;
/** A child's whole answer is cut long before (S-086); the renderers cut again. */
const MAX_TEXT = 200_000;
/** As many as a change set may have that is read at all. */
const MAX_FILES = 20_000;

const sha = z.string().regex(/^[0-9a-f]{40}$/);
const sha256 = z.string().regex(/^[0-9a-f]{64}$/);
const runId = z.string().regex(/^[A-Za-z0-9_.-]{1,80}$/);
const repository = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9-]{0,38}\/[A-Za-z0-9._-]{1,100}$/);
const session = z.string().regex(/^[a-z0-9-]{1,80}$/);
const count = z.int().min(0);
const time = z.int().min(0);
const path = z.string().min(1).max(MAX_PATH);
const text = (most: number) => z.string().max(most);
const paths = z.array(path).max(MAX_FILES);
const usage = z.strictObject({ input: count, cacheWrite: count, cacheRead: count, output: count });
const usd = z.number().min(0).nullable();
/** Shown as it is: nothing that GitHub would make a link or a mention of. */
const model = z.string().regex(/^(?!www\.|.*\/\/)[A-Za-z0-9](?:[A-Za-z0-9._:/-]|(?<=[A-Za-z0-9])@){0,199}$/);
const severity = z.enum(SEVERITIES as [(typeof SEVERITIES)[number], ...(typeof SEVERITIES)[number][]]);
const kind = z.enum(["specialist", "generalist", "reviewer", "explore", "plan", "verifier", "orchestrator"]);
const commits = { base: sha, head: sha, mergeBase: sha };

const shard = z.strictObject({
	number: z.int().min(1).max(64),
	assignments: z.array(count).max(1_000),
	tokens: count,
	usd: z.number().min(0),
});

export const shardedPlanSchema: z.ZodType<ShardedPlan> = z.strictObject({
	version: z.literal(OUTBOX_VERSION),
	run: runId,
	pullRequest: z.int().min(1),
	...commits,
	digest: sha256,
	hooks: z.boolean(),
	shards: z.array(shard).max(64),
	carried: paths.exactOptional(),
});

export const outboxHeadSchema: z.ZodType<OutboxHead> = z.strictObject({
	version: z.literal(OUTBOX_VERSION),
	run: runId,
	attempt: z.int().min(1),
	repository,
	pullRequest: z.int().min(1),
	headRepository: repository.nullable(),
	...commits,
	shard: z.strictObject({ number: z.int().min(1).max(64), of: z.int().min(1).max(64) }),
	plan: sha256,
	hooks: z.boolean(),
	action: text(40),
	provider: z.enum(["offline", "anthropic", "bedrock", "vertex", "foundry", "replay"]),
	startedAt: time,
	endedAt: time,
	audit: z.strictObject({ entries: count, head: sha256.nullable() }),
	notes: z.array(text(2_000)).max(50),
	agents: z.array(z.strictObject({ id: z.string().regex(/^[a-z0-9_-]{1,40}$/), session, status: text(20), sha256 })).max(200),
	files: z.strictObject({ [OUTBOX_REPORTS]: z.strictObject({ sha256, bytes: count }) }),
});

export const outboxFindingSchema = z.strictObject({
	path,
	quote: text(MAX_TEXT).exactOptional(),
	startLine: z.int().exactOptional(),
	endLine: z.int().exactOptional(),
	side: z.enum(["LEFT", "RIGHT"]).exactOptional(),
	severity,
	category: z.enum(CATEGORIES),
	title: text(MAX_TEXT),
	body: text(MAX_TEXT),
	suggestion: text(MAX_TEXT).exactOptional(),
	confidence: z.number().min(0).max(100),
	evidence: z.strictObject({ kind: z.enum(["reproduced", "traced", "stated"]), detail: text(MAX_TEXT) }),
});

export const outboxReportSchema = z.strictObject({
	agent: text(200),
	kind,
	session,
	model,
	status: z.enum(["completed", "partial", "failed", "cancelled", "refused", "skipped"]),
	stopReason: z.enum([
		...(["done", "max_steps", "token_budget", "timeout", "repeated_calls", "context_overflow"] as const),
		...(["wrap_up", "no_wrap_up", "error", "interrupted", "cancelled"] as const),
	]),
	report: z.strictObject({
		summary: text(MAX_TEXT),
		findings: z.array(outboxFindingSchema).max(5_000),
		open: z.array(text(MAX_TEXT)).max(5_000),
	}),
	text: text(MAX_TEXT),
	steps: count,
	toolUses: count,
	usage,
	contextTokens: count,
	costUsd: usd,
	durationMs: z.number().min(0),
	startedAt: z.number().min(0).exactOptional(),
	files: paths,
	filesRead: paths,
	reason: text(MAX_TEXT),
	error: text(MAX_TEXT).exactOptional(),
	outage: z.literal(true).exactOptional(),
	worktree: z.strictObject({ path: z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,199}$/), kept: z.boolean() }).exactOptional(),
	refused: z.array(z.strictObject({ code: z.string().regex(/^[A-Z_]{1,40}$/), text: text(MAX_TEXT) })).max(2_000),
});

const fingerprint = z.string().regex(/^[0-9a-f]{8,64}$/);

export const outboxReportsSchema: z.ZodType<OutboxReports> = z.strictObject({
	reports: z.array(outboxReportSchema).max(1_000),
	verification: z.strictObject({
		verdicts: z
			.array(
				z.strictObject({
					fingerprint,
					word: z.enum(["confirmed", "refuted", "unsure"]),
					reason: text(MAX_TEXT),
					detail: text(MAX_TEXT),
					by: session,
					test: z.strictObject({ path, content: text(MAX_TEXT) }).exactOptional(),
					proof: z
						.union([
							z.strictObject({ ok: z.literal(true), command: text(2_000), failing: z.array(text(2_000)).max(10) }),
							z.strictObject({ ok: z.literal(false), reason: text(MAX_TEXT) }),
						])
						.exactOptional(),
				}),
			)
			.max(5_000),
		unverified: z.array(z.strictObject({ fingerprint, reason: text(MAX_TEXT) })).max(5_000),
		reports: z.array(outboxReportSchema).max(200),
	}),
	degradation: z
		.strictObject({
			cause: text(2_000),
			...{ reviewers: count, away: count, weaker: count, checks: count, lost: count },
			models: z.array(model).max(100),
		})
		.exactOptional(),
	totals: z.strictObject({ usage, costUsd: usd, estimated: z.boolean() }),
	fatal: z
		.strictObject({
			kind: z.enum([
				...(["rate-limited", "overloaded", "server", "connection", "stalled", "too-long"] as const),
				...(["credit", "authentication", "permission", "not-found", "invalid-request", "deadline"] as const),
			]),
			message: text(MAX_TEXT),
			fatal: z.boolean(),
			status: z.int().exactOptional(),
		})
		.exactOptional(),
	exhaustive: z.boolean(),
});
