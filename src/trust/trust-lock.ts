import * as z from "zod";
import { UserError } from "../domain/errors.ts";
import type { Sha } from "../domain/ids.ts";
import type { RepositoryReader } from "../seams.ts";
import { explainSchemaIssue } from "./explain-schema-issue.ts";
import { parseJsonWithComments } from "./parse-json-with-comments.ts";
import { readTrustedFile } from "./read-trusted-file.ts";

export const TRUST_LOCK_PATH = ".rookery/trust.json";

const pinSchema = z.strictObject({
	name: z.string().min(1).describe("Name of the agent, for readers; path and hash decide."),
	closure: z
		.string()
		.regex(/^[0-9a-f]{64}$/, "64 hex digits, the SHA-256 of the closure")
		.describe("SHA-256 over the agent file and all it relies on."),
	by: z.string().optional().describe("Who asked for the pin."),
});

/** `.rookery/trust.json`: which agents may run when `trust: pinned` is set. Keyed by path, never by name (A103). */
export const trustLockSchema = z
	.strictObject({
		$schema: z.string().optional(),
		version: z.literal(1),
		agents: z.record(z.string().min(1), pinSchema).describe("Pins by the path of the agent file."),
	})
	.describe("Pinned agents of Rookery.");

export type TrustLock = z.infer<typeof trustLockSchema>;

export const EMPTY_TRUST_LOCK: TrustLock = { version: 1, agents: {} };

/** Throws a UserError with `E_CONSENT` for anything that is not a sound lock file: a broken one never means consent. */
export function parseTrustLock(text: string, file: string = TRUST_LOCK_PATH): TrustLock {
	const value = parseJsonWithComments(text, file, "E_CONSENT");
	const parsed = trustLockSchema.safeParse(value);
	if (parsed.success) return parsed.data;
	throw new UserError(explainSchemaIssue(file, parsed.error, value, { "": ["version", "agents"] }), { code: "E_CONSENT" });
}

/** The lock file at the trusted ref; empty when there is none. Throws as `parseTrustLock` does. */
export async function loadTrustLock(reader: RepositoryReader, trusted: Sha): Promise<TrustLock> {
	const found = await readTrustedFile(reader, trusted, TRUST_LOCK_PATH);
	if (found.kind === "link") {
		throw new UserError(`${TRUST_LOCK_PATH}: found a symbolic link, wanted a file`, { code: "E_CONSENT" });
	}
	return found.kind === "absent" ? EMPTY_TRUST_LOCK : parseTrustLock(found.bytes.toString("utf8"));
}

/**
 * Text of the lock file with one more pin, or a newer hash for one: what `/trust` proposes as a pull request.
 * Sorted by path, so that two proposals differ in their own lines only.
 */
export function addPin(
	lock: TrustLock,
	pin: { readonly path: string; readonly name: string; readonly closure: string; readonly by?: string },
): string {
	const { path, ...entry } = pin;
	const agents = Object.entries({ ...lock.agents, [path]: entry }).sort(([a], [b]) => (a < b ? -1 : 1));
	return `${JSON.stringify({ ...lock, agents: Object.fromEntries(agents) }, undefined, "\t")}\n`;
}
