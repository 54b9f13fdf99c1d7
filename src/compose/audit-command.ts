import { readFile, stat } from "node:fs/promises";
import path from "node:path";
import { errorText, UserError } from "../domain/errors.ts";
import { revealHidden } from "../domain/hidden-text.ts";
import type { AuditEntry, Risk } from "../guard/audit-entry.ts";
import { describeAuditEntry } from "../guard/describe-audit-entry.ts";
import { type AuditVerification, verifyAudit } from "../guard/verify-audit.ts";
import { formatCount, formatDuration } from "../publish/render/format.ts";
import { newestAudit } from "./open-audit-for-run.ts";

export const RISKS: readonly Risk[] = ["low", "medium", "high", "critical"];
/** A file beyond this is none of ours: a run of nine children writes about one megabyte. */
const MAX_BYTES = 256 * 1024 * 1024;

/** Which entries are listed; all of them unless something is named. */
export interface AuditFilter {
	/** Only refused calls. */
	readonly denied?: boolean;
	/** Session of the child, for example `moe-go-1`. */
	readonly child?: string;
	readonly tool?: string;
	/** This risk and above. */
	readonly risk?: Risk;
	/** At most this many, the newest. */
	readonly last?: number;
}

/** An audit file with what its chain says about it. */
export interface ReadAudit {
	readonly file: string;
	readonly checked: AuditVerification;
	/** What the filter lets through, oldest first. Only sound entries: behind a broken line nothing can be believed. */
	readonly shown: readonly AuditEntry[];
}

/**
 * `rookery audit [FILE]` (S-123). Without a file the newest one below the temporary folder.
 * Throws a UserError when there is none.
 */
export async function readAuditFile(location: string | undefined, temp: string, filter: AuditFilter): Promise<ReadAudit> {
	const file = location ?? (await newestAudit(temp));
	if (file === undefined) throw new UserError(`audit: found no file in ${path.join(temp, "rookery", "audit")}; wanted the path of one`);
	const checked = verifyAudit(await readText(file));
	const found = checked.entries.filter((entry) => passes(entry, filter));
	return { file, checked, shown: filter.last === undefined ? found : found.slice(Math.max(0, found.length - filter.last)) };
}

async function readText(file: string): Promise<string> {
	try {
		const found = await stat(file);
		if (!found.isFile() || found.size > MAX_BYTES)
			throw new UserError(`audit ${file}: found ${found.isFile() ? `${found.size} bytes` : "no file"}; wanted the audit of a run`);
		return await readFile(file, "utf8");
	} catch (error) {
		if (error instanceof UserError) throw error;
		throw new UserError(`audit ${file}: cannot be read (${errorText(error)}); wanted the audit of a run`, { cause: error });
	}
}

function passes(entry: AuditEntry, filter: AuditFilter): boolean {
	const isCall = entry.type === "decision" || entry.type === "outcome";
	if (filter.denied === true && !(entry.type === "decision" && entry.decision === "deny")) return false;
	if (filter.child !== undefined && !(isCall && entry.child === filter.child)) return false;
	if (filter.tool !== undefined && !(isCall && entry.tool === filter.tool)) return false;
	return filter.risk === undefined || (isCall && RISKS.indexOf(entry.risk) >= RISKS.indexOf(filter.risk));
}

/** The listing for a terminal: a line an entry, what the chain says behind it. Characters that a terminal obeys are shown, not sent. */
export function renderAuditListing({ file, checked, shown }: ReadAudit): string {
	const rows = shown.map((entry) => {
		const { at, what, risk, durationMs } = describeAuditEntry(entry);
		const took = durationMs === undefined ? "" : ` ${formatDuration(durationMs)}`;
		return `${String(entry.seq).padStart(5)}  ${at}  ${risk.padEnd(8)}  ${oneLine(what)}${took}`;
	});
	const count = `${shown.length} of ${countEntries(checked.entries.length)}`;
	return [...rows, count, ...renderVerification(file, checked)].join("\n");
}

/** What the check of a file gave, one line a fact. */
export function renderVerification(file: string, checked: AuditVerification): readonly string[] {
	if (!checked.ok) return [`${file}: line ${checked.line}: ${checked.reason}`];
	const notes = checked.notes.map((note) => `note: ${note}`);
	return [`${file}: ${countEntries(checked.entries.length)}, the chain holds and ends in ${checked.head}`, ...notes];
}

/**
 * `rookery audit verify FILE [--head HASH] [--entries N]` (S-122). Names the first bad line; that lines are missing at the end only
 * the published head can tell. Throws a UserError for a file that cannot be read and for a head that is no SHA-256.
 */
export async function verifyAuditFile(
	file: string,
	published: { readonly head?: string; readonly entries?: number },
): Promise<AuditVerification> {
	const { head, entries } = published;
	if (head !== undefined && !/^[0-9a-f]{64}$/.test(head))
		throw new UserError(`--head: found ${JSON.stringify(head.slice(0, 80))}; wanted the 64 hexadecimal digits of the summary's last line`);
	if (head === undefined && entries !== undefined) throw new UserError("--entries: found no --head; wanted both, as they were published");
	const text = await readText(file);
	return verifyAudit(text, head === undefined ? undefined : { head, ...(entries === undefined ? {} : { entries }) });
}

function countEntries(count: number): string {
	return `${formatCount(count)} ${count === 1 ? "entry" : "entries"}`;
}

function oneLine(text: string): string {
	return revealHidden(text.replace(/[\r\n\t]+/g, " "));
}
