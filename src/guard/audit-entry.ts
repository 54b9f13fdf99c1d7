import { createHash } from "node:crypto";
import type { ReasonCode } from "../domain/errors.ts";
import type { ToolEffect } from "../seams.ts";

export const AUDIT_VERSION = 1;

/** How much a call could do, and for a refused one how much it tried (S-120). */
export type Risk = "low" | "medium" | "high" | "critical";

/** What the audit of a run records. Decision and outcome of a call belong together by `child` and `call` (S-121). */
export type AuditEvent =
	| { readonly type: "opened"; readonly run: string; readonly policyHash: string; readonly policySources: readonly string[] }
	| {
			readonly type: "decision";
			readonly child: string;
			readonly call: string;
			readonly tool: string;
			readonly effect: ToolEffect;
			/** Path, command or address that the call is about; shortened. */
			readonly target: string;
			readonly decision: "allow" | "deny";
			/** Rule that decided, for example `denyCommands git push:*` (S-116). */
			readonly rule: string;
			/** policy, permissions, pre-hook, path-guard, audit. */
			readonly by: string;
			readonly code?: ReasonCode;
			readonly reason?: string;
			readonly policyHash: string;
			readonly risk: Risk;
	  }
	| {
			readonly type: "outcome";
			readonly child: string;
			readonly call: string;
			readonly tool: string;
			readonly ok: boolean;
			readonly code?: ReasonCode;
			/** The tool ignored its end and was left behind. */
			readonly abandoned?: true;
			readonly durationMs: number;
			/** SHA-256 of what the tool said. */
			readonly outputHash: string;
			readonly outputChars: number;
			readonly risk: Risk;
	  }
	/** Goes on after a crash: the half line that was set aside, by size and hash (R45). */
	| { readonly type: "recovered"; readonly tornBytes: number; readonly tornHash: string }
	| { readonly type: "closed" };

/** Version, gapless number from 1, our own time (never relied on, R42), hash of the line before. */
export interface AuditHead {
	readonly v: typeof AUDIT_VERSION;
	readonly seq: number;
	readonly at: string;
	readonly prev: string;
}

export type AuditEntry = AuditHead & AuditEvent & { readonly hash: string };

/** What stands for "the line before" of the first one. */
export const FIRST_PREVIOUS = "0".repeat(64);

const HASH_FIELD = /,"hash":"([0-9a-f]{64})"\}$/;

/** One line without its line end. The hash covers every byte before it. */
export function renderAuditLine(head: AuditHead, event: AuditEvent): { readonly line: string; readonly hash: string } {
	const body = JSON.stringify({ ...head, ...event });
	const hash = sha256(body);
	return { line: `${body.slice(0, -1)},"hash":"${hash}"}`, hash };
}

export type AuditLine =
	| { readonly ok: true; readonly seq: number; readonly prev: string; readonly hash: string; readonly entry: AuditEntry }
	| { readonly ok: false; readonly reason: string };

/** Reads a line back and checks its own hash; the chain is for the caller to check. */
export function readAuditLine(line: string): AuditLine {
	const hash = HASH_FIELD.exec(line)?.[1];
	if (hash === undefined) return { ok: false, reason: "it has no hash at its end" };
	if (sha256(line.replace(HASH_FIELD, "}")) !== hash) return { ok: false, reason: "its content does not fit its hash" };
	let entry: AuditEntry;
	try {
		entry = JSON.parse(line) as AuditEntry;
	} catch {
		return { ok: false, reason: "it is not JSON" };
	}
	if (entry.v !== AUDIT_VERSION) return { ok: false, reason: `its version is not ${AUDIT_VERSION}` };
	return { ok: true, seq: entry.seq, prev: entry.prev, hash, entry };
}

export function sha256(content: string): string {
	return createHash("sha256").update(content).digest("hex");
}
