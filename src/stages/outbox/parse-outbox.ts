import { createHash } from "node:crypto";
import type * as z from "zod";
import { errorText, UserError } from "../../domain/errors.ts";
import { OUTBOX_FILE, OUTBOX_REPORTS, type Outbox, type RawOutbox, type ShardedPlan } from "../../domain/outbox.ts";
import { outboxHeadSchema, outboxReportsSchema, shardedPlanSchema } from "./outbox-schema.ts";

/** No honest head is larger. */
export const MAX_HEAD_BYTES = 1024 * 1024;
/** A child's report is cut long before; this is room for hundreds of them. */
export const MAX_REPORTS_BYTES = 32 * 1024 * 1024;

/**
 * An outbox of the right form whose files are what its head says. Throws a UserError that names the outbox, the key and
 * what was wanted: `E_LIMIT` for one that is too large, `E_OUTBOX` for everything else.
 */
export function parseOutbox(raw: RawOutbox): Outbox {
	checkSize(raw.source, OUTBOX_FILE, raw.head, MAX_HEAD_BYTES);
	checkSize(raw.source, OUTBOX_REPORTS, raw.reports, MAX_REPORTS_BYTES);
	const head = parseFile(raw.head, outboxHeadSchema, `${raw.source}: ${OUTBOX_FILE}`);
	const promised = head.files[OUTBOX_REPORTS];
	const found = hashBytes(raw.reports);
	if (promised?.sha256 !== found || promised.bytes !== raw.reports.length) {
		throw refuse(
			`${raw.source}: ${OUTBOX_REPORTS}: found SHA-256 ${found} and ${raw.reports.length} bytes, wanted ${promised?.sha256} and ${promised?.bytes}, as its head says; it was changed after it was written`,
		);
	}
	const reports = parseFile(raw.reports, outboxReportsSchema, `${raw.source}: ${OUTBOX_REPORTS}`);
	return { source: raw.source, sha256: hashBytes(raw.head), head, reports };
}

/** The input `plan`: one line of JSON from the planning job. Throws a UserError that names the key. */
export function parseShardedPlan(text: string): ShardedPlan {
	return parseFile(Buffer.from(text), shardedPlanSchema, "input plan");
}

/** The reason why nothing is published of an outbox. */
export function refuse(reason: string): UserError {
	return new UserError(`outbox refused: ${reason}`, { code: "E_OUTBOX" });
}

export function hashBytes(bytes: Buffer | string): string {
	return createHash("sha256").update(bytes).digest("hex");
}

function checkSize(source: string, name: string, bytes: Buffer, most: number): void {
	if (bytes.length <= most) return;
	throw new UserError(`outbox refused: ${source}: ${name}: found ${bytes.length} bytes, wanted at most ${most}`, { code: "E_LIMIT" });
}

function parseFile<T>(bytes: Buffer, schema: z.ZodType<T>, where: string): T {
	let value: unknown;
	try {
		value = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
	} catch (error) {
		throw refuse(`${where}: found no JSON (${errorText(error).slice(0, 120)}), wanted what this action writes`);
	}
	const parsed = schema.safeParse(value);
	if (parsed.success) return parsed.data;
	const issue = parsed.error.issues[0];
	throw refuse(`${where}: ${issue?.path.map(String).join(".") || "the file"}: ${(issue?.message ?? "not as expected").slice(0, 300)}`);
}
