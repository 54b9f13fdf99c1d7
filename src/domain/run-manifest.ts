import type { Sha } from "./ids.ts";

export const RUN_MANIFEST_VERSION = 1;
/** Its name beside the JSON report. */
export const MANIFEST_FILE = "manifest.json";

/**
 * What a review was made from and what it left, by hashes: enough for somebody who has the files to find out later
 * whether they are the ones of that run. The manifest's own hash stands in the comment, which only our account can write.
 * All hashes are SHA-256 in hex.
 */
export interface RunManifest {
	readonly version: typeof RUN_MANIFEST_VERSION;
	/** Version of the action. */
	readonly action: string;
	readonly run: { readonly id: string; readonly attempt: number; readonly trigger: string };
	/** `owner/name`. */
	readonly repository: string;
	readonly pullRequest: number | null;
	readonly base: Sha;
	readonly head: Sha;
	readonly mergeBase: Sha;
	readonly provider: string;
	/** Models that answered, sorted. */
	readonly models: readonly string[];
	/** Who reviewed; `sha256` of the agent's file, or of prompt and tools for a built-in one. */
	readonly definitions: readonly { readonly name: string; readonly path: string | null; readonly sha256: string }[];
	readonly settings: string;
	readonly policy: string;
	readonly instructions: string;
	/** Where the audit of this job ended. */
	readonly audit: { readonly entries: number; readonly head: string | null };
	/** Journals of the children that ran in this job. */
	readonly journals: readonly { readonly session: string; readonly sha256: string }[];
	/** What other jobs of the run have left; empty for a run in one job. */
	readonly parts: readonly ManifestPart[];
	/** Of `report.json`. */
	readonly report: string;
}

/** The outbox of another job. */
export interface ManifestPart {
	readonly shard: number;
	/** Of its `outbox.json`. */
	readonly outbox: string;
	readonly audit: { readonly entries: number; readonly head: string | null };
	readonly journals: readonly { readonly session: string; readonly sha256: string }[];
}
