import * as z from "zod";
import { CATEGORIES, SEVERITIES } from "../domain/finding.ts";
import type { Actor } from "../domain/ids.ts";

/*
 * Our text on a pull request is a protocol: each of our comments starts with a hidden marker that says what it is.
 * Printing and parsing stand in this one file. A marker is only believed at the very start of a body whose author
 * is our own account (BR-37, A97), and what it says is still data to be checked.
 */

const sha = z.string().regex(/^[0-9a-f]{40}$/);
const fingerprint = z.string().regex(/^[0-9a-f]{8,64}$/);
const findingId = z.string().regex(/^[A-Z0-9]{2,12}$/);
const runId = z.string().max(80);

const openFinding = z.object({
	fingerprint,
	id: findingId,
	path: z.string().max(1_000),
	line: z.number().int().min(0),
	end: z.number().int().min(1).optional(),
	from: z.string().max(1_000).optional(),
	severity: z.enum(SEVERITIES as [(typeof SEVERITIES)[number], ...(typeof SEVERITIES)[number][]]),
	category: z.enum(CATEGORIES),
	title: z.string().max(300),
	silent: z.boolean().optional(),
});

const publishedAgent = z.object({
	id: z.string().regex(/^[a-z0-9_-]{1,40}$/),
	session: z.string().regex(/^[a-z0-9-]{1,80}$/),
	status: z.string().max(20),
	sha256: z.string().regex(/^[0-9a-f]{64}$/),
});

const settledId = z.object({ fingerprint, id: findingId });
const stateChange = z.discriminatedUnion("kind", [
	z.object({ kind: z.literal("pause") }),
	z.object({ kind: z.literal("resume") }),
	z.object({ kind: z.literal("stop") }),
	z.object({
		kind: z.literal("settle"),
		how: z.enum(["dismissed", "resolved"]),
		reason: z.string().max(300),
		findings: z.array(settledId).max(100),
	}),
]);

/** What a reply tells later runs: who asked for what, how it ended, what it cost and what it changed. */
const commandRecord = z.object({
	/** `issue` or `review`: their ids are counted apart. */
	on: z.enum(["issue", "review"]),
	attempt: z.number().int().min(1),
	by: z.string().max(100),
	/** Commands in order, with a digest of their text: the same question twice is told by it. */
	asked: z.array(z.object({ name: z.string().max(40), digest: z.string().regex(/^[0-9a-f]{16}$/) })).max(20),
	outcome: z.enum(["done", "refused", "failed"]),
	code: z.string().max(20).optional(),
	head: sha,
	/** US dollars; null when a model has no known price. */
	usd: z.number().min(0).nullable().default(0),
	changes: z.array(stateChange).max(20).default([]),
	agents: z.array(publishedAgent).max(40).default([]),
	/** Where the audit of the run ended, when it kept one. */
	audit: z.object({ entries: z.number().int().min(0), head: z.string().regex(/^[0-9a-f]{64}$/) }).optional(),
});

const daySpend = z.object({
	date: z.string().regex(/^\d{4}-\d\d-\d\d$/),
	runs: z.number().int().min(0),
	usd: z.number().min(0).nullable(),
});

const shapes = {
	sticky: z.object({
		instance: z.string().max(80),
		run: runId,
		attempt: z.number().int().min(1),
		head: sha,
		blobs: z.record(z.string(), sha).default({}),
		/** What the pull request does to each file (`changeId`): stays the same when `main` is merged in. */
		changes: z.record(z.string(), z.string().regex(/^[0-9a-f]{16}$/)).optional(),
		/** Digest of who reviews by which settings; another one makes what was read count as unread. */
		reviewers: z
			.string()
			.regex(/^[0-9a-f]{16}$/)
			.optional(),
		provider: z.string().max(40).optional(),
		/** Fingerprints of findings whose conversations we have resolved; one that is open again was opened by a person. */
		closed: z.array(fingerprint).max(200).optional(),
		open: z.array(openFinding).default([]),
		agents: z.array(publishedAgent).max(40).optional(),
		/** US dollars of all reviews of the pull request so far; null once one had no known price. */
		usd: z.number().min(0).nullable().optional(),
		/** The last day on which it was reviewed. */
		day: daySpend.optional(),
		audit: z.object({ entries: z.number().int().min(0), head: z.string().regex(/^[0-9a-f]{64}$/) }).optional(),
	}),
	finding: z.object({ fingerprint, id: findingId, run: runId, head: sha }),
	review: z.object({ instance: z.string().max(80), run: runId, attempt: z.number().int().min(1), head: sha, part: z.string().max(20) }),
	reply: z.object({ instance: z.string().max(80), run: runId, to: z.number().int(), command: commandRecord.optional() }),
	/** In the body of a maintenance job's pull request (S-005). */
	job: z.object({
		instance: z.string().max(80),
		run: runId,
		attempt: z.number().int().min(1),
		name: z.string().max(60),
		/** Commit of the default branch that the change was made on. */
		base: sha,
		/** What stands on the job's branch. */
		head: sha,
		/** Digest of the change: the same one is not proposed again after a person closed it. */
		change: z.string().regex(/^[0-9a-f]{16}$/),
		/** US dollars of this run of the job; null when a model has no known price. */
		usd: z.number().min(0).nullable().default(0),
		day: daySpend.optional(),
	}),
	/** In the body of a pull request that `/fix` has opened. */
	fix: z.object({ instance: z.string().max(80), run: runId, number: z.number().int().min(1), head: sha }),
	folded: z.object({ instance: z.string().max(80), run: runId }),
} as const;

export type MarkerKind = keyof typeof shapes;
export type MarkerData<K extends MarkerKind> = z.output<(typeof shapes)[K]>;
export type StickyMarker = MarkerData<"sticky">;
export type JobMarker = MarkerData<"job">;
export type CommandRecord = z.output<typeof commandRecord>;

/** `<!-- rookery:KIND v1 {json} -->`: nothing in the data can end the comment early. */
export function printMarker<K extends MarkerKind>(kind: K, data: MarkerData<K>): string {
	const json = JSON.stringify(data).replaceAll("<", "\\u003c").replaceAll(">", "\\u003e").replaceAll("--", "-\\u002d");
	return `<!-- rookery:${kind} v1 ${json} -->`;
}

const MARKER = /^<!-- rookery:([a-z]+) v1 (\{[^\n]*?\}) -->/;

/** The marker of the wanted kind at the start of a body; undefined for none, another kind, version or shape. */
export function parseMarker<K extends MarkerKind>(kind: K, body: string): MarkerData<K> | undefined {
	const match = MARKER.exec(body);
	if (match?.[1] !== kind || match[2] === undefined) return undefined;
	let value: unknown;
	try {
		value = JSON.parse(match[2]);
	} catch {
		return undefined;
	}
	const parsed = shapes[kind].safeParse(value);
	return parsed.success ? (parsed.data as MarkerData<K>) : undefined;
}

/** The marker's own text at the start of a body; empty when there is none. */
export function markerOf(body: string): string {
	return MARKER.exec(body)?.[0] ?? "";
}

/** True when the author is the account our token belongs to: by id, since logins can be taken over (BR-37). */
export function isOurs(comment: { readonly author: Actor }, identity: Actor | null): boolean {
	return identity !== null && identity.id !== 0 && comment.author.id === identity.id;
}

/** Characters of marker data the blob map may use; the summary needs the rest. */
const MAX_BLOB_CHARS = 12_000;
const MAX_OPEN_CHARS = 12_000;

/** As many entries of a map by path, in order, as fit; a file left out is simply reviewed again. */
export function capBlobs(blobs: Readonly<Record<string, string>>, most = MAX_BLOB_CHARS): Readonly<Record<string, string>> {
	const kept: Record<string, string> = {};
	let size = 0;
	for (const [path, blob] of Object.entries(blobs)) {
		size += JSON.stringify(path).length + blob.length + 4;
		if (size > most) break;
		kept[path] = blob;
	}
	return kept;
}

/** The worst findings first, as many as fit. */
export function capOpen(open: StickyMarker["open"]): StickyMarker["open"] {
	const kept: StickyMarker["open"] = [];
	let size = 0;
	for (const finding of open) {
		size += JSON.stringify(finding).length;
		if (size > MAX_OPEN_CHARS) break;
		kept.push(finding);
	}
	return kept;
}
