import path from "node:path";
import { openAuditFile } from "../adapters/audit-file/open-audit-file.ts";
import { type AuditWriter, createAuditWriter } from "../guard/audit.ts";
import type { Clock } from "../seams.ts";

export interface AuditForRunOptions {
	/** The runner's folder for temporary files. */
	readonly temp: string;
	readonly runName: string;
	readonly clock: Pick<Clock, "now">;
	redact(text: string): string;
}

/** `<temp>/rookery/audit/<run>.jsonl`: beside the journals, outside of every tree that a tool works on. */
export function auditPath(temp: string, runName: string): string {
	return path.join(temp, "rookery", "audit", `${runName}.jsonl`);
}

/** Opens the chain of a run. Rejects with `E_AUDIT` when the file cannot be made or holds something else. */
export async function openAuditForRun(options: AuditForRunOptions): Promise<AuditWriter> {
	const file = await openAuditFile(auditPath(options.temp, options.runName));
	return createAuditWriter({ file, clock: options.clock, redact: (text) => options.redact(text) });
}
