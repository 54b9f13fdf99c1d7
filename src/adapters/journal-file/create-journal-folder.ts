import type { FileHandle } from "node:fs/promises";
import { appendFile, mkdir, open, truncate } from "node:fs/promises";
import path from "node:path";
import { errorText, UserError } from "../../domain/errors.ts";
import type { JournalEntry, JournalEvent } from "../../domain/journal-entry.ts";
import { JOURNAL_VERSION } from "../../domain/journal-entry.ts";
import type { Clock, Journal, JournalStore } from "../../seams.ts";
import { readJournal } from "./read-journal.ts";

/** Session names become file names, so nothing else is taken (S-075). */
const SESSION = /^[a-z0-9-]+$/;

export interface JournalFolderOptions {
	/** The runner's temporary folder. */
	readonly temp: string;
	/** Names the run's folder. */
	readonly run: string;
	readonly clock: Clock;
	/** Takes secrets out of each text before it is written (S-134). */
	redact(text: string): string;
}

/** The journals of one run: a file for each child, and the run's own beside their folder. */
export interface JournalFolder extends JournalStore {
	/** `<temp>/rookery/sessions/<run>.jsonl`: debits, starts and ends of the children. */
	openRun(): Journal;
}

/** Journals at `<temp>/rookery/sessions/<run>/<session>.jsonl` (S-126). Folders are made with the first record. */
export function createJournalFolder(options: JournalFolderOptions): JournalFolder {
	if (!SESSION.test(options.run))
		throw new UserError(`run id: found ${JSON.stringify(options.run)}, want lower-case letters, digits and hyphens`);
	const sessions = path.join(options.temp, "rookery", "sessions");
	const folder = path.join(sessions, options.run);
	return {
		folder,
		openRun: () => openJournal(`${folder}.jsonl`, options),
		open(session) {
			if (!SESSION.test(session))
				throw new UserError(`session: found ${JSON.stringify(session)}, want lower-case letters, digits and hyphens`);
			return openJournal(path.join(folder, `${session}.jsonl`), options);
		},
	};
}

/**
 * JSON lines with a version and gapless numbers. Appends are written one after the other and are in the file before
 * they resolve. An existing file is gone on with; what a killed process left half written is moved to `<file>.torn`.
 * After a failed write every later one fails too, so that no number is ever missing in the middle.
 */
function openJournal(file: string, options: JournalFolderOptions): Journal {
	let handle: FileHandle | undefined;
	let sequence = 0;
	let broken: UserError | undefined;
	let queue: Promise<unknown> = Promise.resolve();

	async function openFile(): Promise<FileHandle> {
		await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
		const torn = await continueFile();
		handle = await open(file, "a", 0o600);
		if (torn) await write(handle, { type: "note", text: "a half-written last line was set aside" });
		return handle;
	}

	/** Finds the last number of an earlier process; true when a torn line had to go. */
	async function continueFile(): Promise<boolean> {
		const earlier = await readJournal(file);
		if (earlier.state === "absent") return false;
		if (earlier.state === "broken") throw new Error(`line ${earlier.line}: ${earlier.reason}`);
		sequence = earlier.entries.length;
		if (earlier.torn === undefined) return false;
		await appendFile(`${file}.torn`, earlier.torn, { mode: 0o600 });
		await truncate(file, earlier.bytes);
		return true;
	}

	async function write(target: FileHandle, event: JournalEvent): Promise<JournalEntry> {
		const head = { v: JOURNAL_VERSION, seq: sequence + 1, at: new Date(options.clock.now()).toISOString() } as const;
		const entry: JournalEntry = { ...head, ...(redactStrings(event, options) as JournalEvent) };
		await target.appendFile(`${JSON.stringify(entry)}\n`);
		sequence += 1;
		return entry;
	}

	async function appendNow(event: JournalEvent): Promise<JournalEntry> {
		if (broken !== undefined) throw broken;
		try {
			return await write(handle ?? (await openFile()), event);
		} catch (error) {
			broken = new UserError(`journal ${file}: cannot be written: ${errorText(error)}`, { code: "E_AUDIT", cause: error });
			throw broken;
		}
	}

	function enqueue<T>(work: () => Promise<T>): Promise<T> {
		const result = queue.then(work);
		queue = result.catch(() => undefined);
		return result;
	}

	return {
		path: file,
		append: (event) => enqueue(() => appendNow(event)),
		close: () =>
			enqueue(async () => {
				const open = handle;
				handle = undefined;
				await open?.close();
			}),
	};
}

/** Redacts each text on its own: a secret with a quote or a line feed in it looks different once it is escaped. */
function redactStrings(value: unknown, options: Pick<JournalFolderOptions, "redact">): unknown {
	if (typeof value === "string") return options.redact(value);
	if (Array.isArray(value)) return value.map((part) => redactStrings(part, options));
	if (typeof value !== "object" || value === null) return value;
	return Object.fromEntries(Object.entries(value).map(([key, part]) => [options.redact(key), redactStrings(part, options)]));
}
