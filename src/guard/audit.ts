import { errorText, UserError } from "../domain/errors.ts";
import type { Clock } from "../seams.ts";
import { AUDIT_VERSION, type AuditEntry, type AuditEvent, FIRST_PREVIOUS, renderAuditLine, sha256 } from "./audit-entry.ts";
import { verifyAudit } from "./verify-audit.ts";

/** Where the lines go. `append` resolves when the line is with the operating system, so that a killed process loses none. */
export interface AuditFile {
	readonly path: string;
	/** Whole lines of an earlier process. */
	readonly existing: string;
	/** Half a line that a killed process left; the file has set it aside. */
	readonly torn?: string;
	append(line: string): Promise<void>;
	close(): Promise<void>;
}

/** The audit of a run: one chain for all its children. */
export interface AuditWriter {
	/** Rejects with `E_AUDIT` when the line cannot be written, and from then on always. */
	append(event: AuditEvent): Promise<AuditEntry>;
	/** What is published: number of entries and hash of the last one. */
	head(): { readonly entries: number; readonly head: string };
	close(): Promise<void>;
}

/**
 * Writes the chain. Texts are redacted before they are hashed and written. A file of an earlier process is verified and
 * gone on with; throws `E_AUDIT` when it does not verify.
 */
export function createAuditWriter(options: {
	readonly file: AuditFile;
	readonly clock: Pick<Clock, "now">;
	redact(text: string): string;
}): AuditWriter {
	const { file, clock } = options;
	let { entries, head } = continueChain(file);
	let broken: UserError | undefined;
	let queue: Promise<unknown> = Promise.resolve();

	const writeNow = async (event: AuditEvent): Promise<AuditEntry> => {
		if (broken !== undefined) throw broken;
		const seq = entries + 1;
		const start = { v: AUDIT_VERSION, seq, at: new Date(clock.now()).toISOString(), prev: head } as const;
		const clean = redactStrings(event, options.redact) as AuditEvent;
		const { line, hash } = renderAuditLine(start, clean);
		try {
			await file.append(`${line}\n`);
		} catch (error) {
			broken = new UserError(`audit ${file.path}: cannot be written: ${errorText(error)}`, { code: "E_AUDIT", cause: error });
			throw broken;
		}
		entries = seq;
		head = hash;
		return { ...start, ...clean, hash };
	};
	const enqueue = <T>(work: () => Promise<T>): Promise<T> => {
		const result = queue.then(work);
		queue = result.catch(() => undefined);
		return result;
	};
	if (file.torn !== undefined && file.torn !== "") {
		const { torn } = file;
		enqueue(() => writeNow({ type: "recovered", tornBytes: Buffer.byteLength(torn), tornHash: sha256(torn) })).catch(() => undefined);
	}
	return {
		append: (event) => enqueue(() => writeNow(event)),
		head: () => ({ entries, head }),
		close: () => enqueue(() => file.close()),
	};
}

function continueChain(file: AuditFile): { entries: number; head: string } {
	if (file.existing === "") return { entries: 0, head: FIRST_PREVIOUS };
	const verified = verifyAudit(file.existing);
	if (verified.ok) return { entries: verified.entries.length, head: verified.head };
	throw new UserError(`audit ${file.path}: line ${verified.line}: ${verified.reason}; move the file away to start a new one`, {
		code: "E_AUDIT",
	});
}

/** Each text on its own: a secret with a quote in it looks different once it is JSON. */
function redactStrings(value: unknown, redact: (text: string) => string): unknown {
	if (typeof value === "string") return redact(value);
	if (Array.isArray(value)) return value.map((part) => redactStrings(part, redact));
	if (typeof value !== "object" || value === null) return value;
	return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, redactStrings(part, redact)]));
}
