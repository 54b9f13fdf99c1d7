import type { Sha } from "./ids.ts";
import type { Side } from "./change-set.ts";

/** One inline comment of a review; anchors were checked against the very diff that was read. */
export interface ReviewComment {
	readonly findingId: string;
	readonly path: string;
	readonly side: Side;
	readonly line: number;
	readonly startLine?: number;
	readonly startSide?: Side;
	readonly body: string;
}

/** A planned comment on a whole file (`subject_type: file`). */
export interface FileComment {
	readonly findingId: string;
	readonly path: string;
	readonly body: string;
}

export interface Annotation {
	readonly path: string;
	readonly startLine: number;
	readonly endLine: number;
	readonly level: "failure" | "warning" | "notice";
	readonly title: string;
	readonly message: string;
}

/**
 * One planned write to the outside. Each is idempotent by its marker: applying it twice leaves one.
 * Only `publish/apply-publications.ts` hands these to a writer.
 */
export type Publication =
	| {
			readonly kind: "review";
			readonly pullRequest: number;
			readonly commit: Sha;
			readonly marker: string;
			readonly body: string;
			readonly comments: readonly ReviewComment[];
			readonly fileComments: readonly FileComment[];
	  }
	| {
			readonly kind: "sticky";
			readonly pullRequest: number;
			readonly marker: string;
			readonly body: string;
			/** Only where one stands already. */
			readonly onlyUpdate?: true;
	  }
	| {
			/** Conversations of our own that are answered: their findings are fixed. */
			readonly kind: "resolve";
			readonly pullRequest: number;
			readonly threads: readonly { readonly thread: string; readonly fingerprint: string }[];
	  }
	| {
			readonly kind: "check";
			readonly head: Sha;
			readonly name: string;
			readonly conclusion: "success" | "neutral" | "failure" | "skipped";
			readonly title: string;
			readonly summary: string;
			readonly annotations: readonly Annotation[];
	  }
	| { readonly kind: "reply"; readonly number: number; readonly marker: string; readonly body: string }
	/** The one pull request of a branch of ours: opened, or brought up to date in place. */
	| {
			readonly kind: "pull-request";
			readonly branch: string;
			readonly base: string;
			readonly title: string;
			readonly marker: string;
			readonly body: string;
			readonly draft: boolean;
			readonly labels: readonly string[];
	  }
	| { readonly kind: "step-summary"; readonly markdown: string }
	| { readonly kind: "outputs"; readonly values: Readonly<Record<string, string>> }
	| { readonly kind: "file"; readonly name: string; readonly content: string };

/** What became of one publication. "Not permitted" is a result, not an exception. */
export interface PublicationResult {
	readonly kind: Publication["kind"];
	readonly state: "created" | "updated" | "unchanged" | "degraded" | "skipped" | "failed";
	/** One line: why degraded, skipped or failed; empty otherwise. */
	readonly detail: string;
	readonly url?: string;
}
