import { type AuditEntry, FIRST_PREVIOUS, readAuditLine, sha256 } from "./audit-entry.ts";

/** Where a chain ended when it was published: in the summary and in the comment (S-122). */
export interface PublishedHead {
	readonly head: string;
	/** Number of entries, when that was published, too. */
	readonly entries?: number;
}

export type AuditVerification =
	| {
			readonly ok: true;
			readonly entries: readonly AuditEntry[];
			readonly head: string;
			/** True when a half-written last line stands behind the chain: a crash, not a change (R45). */
			readonly torn: boolean;
			readonly notes: readonly string[];
	  }
	| {
			readonly ok: false;
			/** 1-based number of the first bad line; one past the end when lines are missing there. */
			readonly line: number;
			readonly reason: string;
			/** Entries before it, which are sound. */
			readonly entries: readonly AuditEntry[];
	  };

/**
 * Checks a whole audit file. The chain alone finds a changed, removed or inserted line; that the end is still there only
 * the published head can tell.
 */
export function verifyAudit(text: string, published?: PublishedHead): AuditVerification {
	const lines = text.split("\n");
	const tail = lines.pop() ?? "";
	const entries: AuditEntry[] = [];
	let previous = FIRST_PREVIOUS;
	for (const [index, line] of lines.entries()) {
		const bad = (reason: string): AuditVerification => ({ ok: false, line: index + 1, reason, entries });
		const read = readAuditLine(line);
		if (!read.ok) return bad(read.reason);
		if (read.prev !== previous) return bad("the line before it is not the one it was written behind");
		if (read.seq !== index + 1) return bad(`it is number ${read.seq} at place ${index + 1}`);
		previous = read.hash;
		entries.push(read.entry);
	}
	const notes = describeRecoveries(entries);
	if (tail !== "")
		notes.push(`line ${entries.length + 1} was torn by a crash: ${Buffer.byteLength(tail)} bytes, SHA-256 ${sha256(tail).slice(0, 12)}`);
	const missing = compareWithPublished(entries, previous, published);
	if (missing !== undefined) return { ok: false, ...missing, entries };
	return { ok: true, entries, head: previous, torn: tail !== "", notes };
}

function compareWithPublished(
	entries: readonly AuditEntry[],
	head: string,
	published: PublishedHead | undefined,
): { readonly line: number; readonly reason: string } | undefined {
	if (published === undefined || (published.head === head && (published.entries ?? entries.length) === entries.length)) return undefined;
	const found = entries.findIndex((entry) => entry.hash === published.head);
	if (found === -1 || found === entries.length - 1) {
		const count = published.entries === undefined ? "" : ` (${published.entries} entries were published)`;
		return { line: entries.length + 1, reason: `the published head is not the end of this file: lines are missing${count}` };
	}
	return { line: found + 2, reason: "it was added after the head was published" };
}

function describeRecoveries(entries: readonly AuditEntry[]): string[] {
	return entries.flatMap((entry) =>
		entry.type === "recovered" ? [`before line ${entry.seq} a half line of ${entry.tornBytes} bytes was set aside after a crash`] : [],
	);
}
