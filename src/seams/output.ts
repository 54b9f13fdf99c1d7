import type { JournalEntry, JournalEvent } from "../domain/journal-entry.ts";

/* What a run writes down and says, and what it may not say. */

/** Time, so that limits can be tested without waiting. `now` is milliseconds since the epoch. */
export interface Clock {
	now(): number;
	/** Resolves after `ms`, or at once when the signal aborts; never rejects. */
	sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/** Append-only record of a session. An append is durable (written to the file) before it resolves. */
export interface Journal {
	readonly path: string;
	/** Rejects only when the record cannot be written; the run then ends with `E_AUDIT`. */
	append(event: JournalEvent): Promise<JournalEntry>;
	/** Waits for everything appended so far. Safe to call twice. */
	close(): Promise<void>;
}

/** Opens one journal a session below the run's folder. */
export interface JournalStore {
	readonly folder: string;
	open(session: string): Journal;
}

/** Where files of a run end up: a folder on disk that the workflow uploads. */
export interface ArtifactStore {
	readonly folder: string;
	/** Writes one file and gives its absolute path. Rejects when the disk says no. */
	write(name: string, content: string | Buffer): Promise<string>;
}

/** Lines for the job's log or the terminal. Implementations escape workflow commands (BR-38, A83). */
export interface Log {
	info(text: string): void;
	/** One notice; at most ten of a kind a step are kept by the runner. */
	notice(text: string): void;
	warning(text: string): void;
	error(text: string): void;
	/** Lines that belong together. */
	group(title: string, lines: readonly string[]): void;
}

/** Names a secret so that it is masked in logs and redacted in everything written (S-134). */
export interface Secrets {
	add(value: string): void;
	redact(text: string): string;
}

/** Takes the power from text of a model or of a pull request before it is published (SECURITY.md 7.8). */
export interface OutgoingCleaner {
	/** Markdown of any length: code stays as it is (but for secrets), everything that acts is made inert. Clean once. */
	clean(text: string): string;
	/** The same for a title or a table cell: one line. */
	cleanLine(text: string): string;
	/** Only takes secrets out, for code, paths and machine forms. */
	redact(text: string): string;
	/** What was taken out so far: texts with a secret (E_SECRET), links and images (E_LINK), mentions. */
	tally(): { readonly secrets: number; readonly links: number; readonly mentions: number };
}
