import { constants, writeSync } from "node:fs";
import { appendFile, mkdir, open } from "node:fs/promises";
import path from "node:path";
import { errorText, UserError } from "../../domain/errors.ts";

/** A file of whole lines that only grows. */
export interface LineFile {
	readonly path: string;
	/** Whole lines of an earlier process; empty for a new file. */
	readonly existing: string;
	/** Half a line that a killed process left behind; it now lies in `<file>.torn` (R45). */
	readonly torn?: string;
	/** Resolves when the line is written. A killed process loses nothing of it. */
	append(line: string): Promise<void>;
	/** Waits until the disk has it. Safe to call twice. */
	close(): Promise<void>;
}

/**
 * Opens or makes the audit file; only this user may read it, and a link at its place is refused. It belongs outside
 * every tree a tool works on (A94). Rejects with `E_AUDIT` when that cannot be had.
 */
export async function openAuditFile(file: string): Promise<LineFile> {
	try {
		await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
		const handle = await open(file, constants.O_RDWR | constants.O_CREAT | constants.O_APPEND | constants.O_NOFOLLOW, 0o600);
		const content = await handle.readFile();
		const end = content.lastIndexOf(0x0a) + 1;
		const torn = content.subarray(end);
		if (torn.length > 0) {
			await appendFile(`${file}.torn`, torn, { mode: 0o600 });
			await handle.truncate(end);
		}
		let closed = false;
		return {
			path: file,
			existing: content.subarray(0, end).toString("utf8"),
			...(torn.length > 0 ? { torn: torn.toString("utf8") } : {}),
			append: async (line) => {
				// Synchronous: into the system's memory that is a hundredth of a trip to the thread pool, and nine children wait.
				writeWhole(handle.fd, Buffer.from(line));
			},
			close: async () => {
				if (closed) return;
				closed = true;
				await handle.datasync().catch(() => undefined);
				await handle.close();
			},
		};
	} catch (error) {
		throw new UserError(`audit ${file}: cannot be opened: ${errorText(error)}`, { code: "E_AUDIT", cause: error });
	}
}

function writeWhole(descriptor: number, bytes: Buffer): void {
	let written = 0;
	while (written < bytes.length) written += writeSync(descriptor, bytes, written);
}
