import { readdir, stat } from "node:fs/promises";
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

/**
 * The audit that was written last below a folder for temporary files; undefined when there is none. A run of the command
 * line has a folder of its own in there.
 */
export async function newestAudit(temp: string): Promise<string | undefined> {
	const own = (await readdir(temp).catch(() => [])).filter((name) => name.startsWith("rookery-")).map((name) => path.join(temp, name));
	const dated = await Promise.all([temp, ...own].map((folder) => listAudits(path.join(folder, "rookery", "audit"))));
	return dated.flat().sort((a, b) => b.time - a.time || (a.file < b.file ? 1 : -1))[0]?.file;
}

async function listAudits(folder: string): Promise<readonly { readonly file: string; readonly time: number }[]> {
	const names = (await readdir(folder).catch(() => [])).filter((name) => name.endsWith(".jsonl"));
	return Promise.all(
		names.map(async (name) => {
			const file = path.join(folder, name);
			return { file, time: (await stat(file).catch(() => undefined))?.mtimeMs ?? 0 };
		}),
	);
}

/** Opens the chain of a run. Rejects with `E_AUDIT` when the file cannot be made or holds something else. */
export async function openAuditForRun(options: AuditForRunOptions): Promise<AuditWriter> {
	const file = await openAuditFile(auditPath(options.temp, options.runName));
	return createAuditWriter({ file, clock: options.clock, redact: (text) => options.redact(text) });
}
