import type { Actor, Sha } from "../domain/ids.ts";
import type { ArtifactStore, Clock, GitHostReader, GitHostWriter, Log } from "../seams.ts";
import type { WaitBudget } from "./write-with-patience.ts";

/** What the writer needs of a run; the pieces that reach the outside are seams. */
export interface ApplyContext {
	readonly reader: GitHostReader;
	readonly writer: GitHostWriter;
	readonly clock: Clock;
	readonly log: Log;
	/** Shared by all publications of the run. */
	readonly budget: WaitBudget;
	readonly signal?: AbortSignal;
	/** Our own account; null when it is not known: then no comment is ours, and none is edited. */
	readonly identity: Actor | null;
	readonly instance: string;
	readonly run: string;
	readonly attempt: number;
	/** Milliseconds since the epoch; a `/stop` after it keeps the run silent. */
	readonly startedAt?: number;
	/** The commit that was reviewed. */
	readonly head: Sha;
	readonly redact: (text: string) => string;
	/** Sinks of the job; on the command line the step summary goes nowhere. */
	readonly sinks: {
		readonly stepSummary: (markdown: string) => Promise<void>;
		readonly outputs: (values: Readonly<Record<string, string>>) => Promise<void>;
		readonly artifacts: ArtifactStore;
	};
}
