import * as z from "zod";
import { JOURNAL_VERSION } from "../../domain/journal-entry.ts";

/*
 * One line of a journal as a schema. A journal may come back from an artifact, so it is checked before anything is
 * built from it. The types are those of `domain/journal-entry.ts`; a test writes each of them and reads it back.
 */

const count = z.number().int().nonnegative();
const nullableText = z.string().nullable();
const head = { v: z.literal(JOURNAL_VERSION), seq: z.number().int().positive(), at: z.iso.datetime() };
const usage = z.strictObject({ input: count, cacheWrite: count, cacheRead: count, output: count });
const status = z.enum(["completed", "partial", "failed", "cancelled", "refused", "skipped"]);
const stopReason = z.enum([
	"done",
	"max_steps",
	"token_budget",
	"timeout",
	"repeated_calls",
	"context_overflow",
	"wrap_up",
	"no_wrap_up",
	"error",
	"interrupted",
	"cancelled",
]);

const block = z.discriminatedUnion("type", [
	z.strictObject({ type: z.literal("text"), text: z.string(), cache: z.literal(true).optional() }),
	z.strictObject({
		type: z.literal("tool-use"),
		id: z.string(),
		name: z.string(),
		input: z.unknown(),
		invalidInput: z.string().optional(),
	}),
	z.strictObject({
		type: z.literal("tool-result"),
		toolUseId: z.string(),
		content: z.string().min(1),
		isError: z.literal(true).optional(),
		cache: z.literal(true).optional(),
	}),
	z.strictObject({ type: z.literal("opaque"), raw: z.unknown() }),
]);
const role = z.enum(["user", "assistant"]);
const modelMessage = z.strictObject({ role, content: z.array(block) });

function record<Type extends string, Shape extends z.core.$ZodLooseShape>(type: Type, shape: Shape) {
	return z.strictObject({ ...head, type: z.literal(type), ...shape });
}

export const journalLine = z.discriminatedUnion("type", [
	record("session.started", {
		session: z.string(),
		parent: nullableText,
		parentCall: nullableText,
		agent: z.string(),
		agentId: z.string(),
		name: nullableText,
		depth: count,
		base: z.string(),
		head: z.string(),
		definitionHash: nullableText,
		policyHash: nullableText,
	}),
	record("run.started", { run: z.number().int().positive(), model: z.string(), task: z.string(), files: z.array(z.string()) }),
	record("message", { role, message: modelMessage, notification: z.literal(true).optional() }),
	record("model.call", {
		step: count,
		model: z.string(),
		usage,
		stop: z.string(),
		durationMs: z.number(),
		attempts: count,
		failure: z.string().optional(),
		purpose: z.enum(["step", "wrap-up", "compaction", "warm-up", "prose"]),
	}),
	record("tool.call", { call: z.string(), tool: z.string(), input: z.unknown() }),
	record("tool.result", {
		call: z.string(),
		tool: z.string(),
		isError: z.boolean(),
		code: z.string().optional(),
		chars: count,
		durationMs: z.number(),
	}),
	record("permission.denied", { call: z.string(), tool: z.string(), code: z.string(), by: z.string(), reason: z.string() }),
	record("todo.updated", { items: z.array(z.unknown()) }),
	record("agent.warning", { call: nullableText, agent: z.string(), message: z.string() }),
	record("agent.started", {
		call: nullableText,
		agent: z.string(),
		agentId: z.string(),
		session: z.string(),
		model: z.string(),
		background: z.boolean(),
		description: z.string(),
		resumed: z.literal(true).optional(),
		worktree: z.string().optional(),
		branch: z.string().optional(),
	}),
	record("agent.finished", {
		call: nullableText,
		agent: z.string(),
		agentId: z.string(),
		session: z.string(),
		status,
		stopReason,
		report: z.unknown(),
		worktreeKept: z.boolean().optional(),
	}),
	record("child_debit", {
		session: z.string(),
		charge: z.number().int().positive(),
		usage,
		costUsd: z.number().nullable(),
		estimated: z.boolean(),
	}),
	record("note", { text: z.string() }),
	record("run.data", { name: z.string(), data: z.unknown() }),
	record("end", { status, stopReason, steps: count, usage }),
]);
