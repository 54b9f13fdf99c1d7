import type { Publication, PublicationResult } from "../domain/publication.ts";
import type { HostComment, WriteResult } from "../seams.ts";
import type { ApplyContext } from "./apply-context.ts";
import { markerOf, parseMarker, printMarker, type StickyMarker } from "./marker.ts";
import { findStickies, type ExistingState } from "./read-existing-state.ts";
import { cutBalanced, MAX_BODY_CHARS } from "./size-packing.ts";
import { writeWithPatience } from "./write-with-patience.ts";

type Sticky = Extract<Publication, { kind: "sticky" }>;
type Found = NonNullable<ExistingState["sticky"]>;
type Written = WriteResult<{ readonly id: number; readonly url: string }>;

/**
 * Leaves exactly one summary comment of ours: the newest is edited, others are folded, none means a new one (R31).
 * A newer run's comment is left alone. Looked up over all pages right before the write, by author id and marker.
 */
export async function applySticky(sticky: Sticky, context: ApplyContext): Promise<PublicationResult> {
	const comments = await listComments(sticky, context);
	if (comments === undefined) return { kind: "sticky", state: "failed", detail: "the comments of the pull request could not be listed" };
	const [current, ...older] = findStickies(comments, context.identity, context.instance);
	if (current !== undefined && isNewer(current.marker, context)) {
		return { kind: "sticky", state: "skipped", detail: `run ${current.marker.run} is newer and has written the summary`, url: current.url };
	}
	if (current === undefined && sticky.onlyUpdate === true) return { kind: "sticky", state: "skipped", detail: "" };
	const body = context.redact(sticky.body);
	const result = current === undefined ? await create(sticky, body, context) : await update(current, body, sticky, context);
	if (result.state !== "failed") for (const each of older) await fold(each, result.url ?? "", context);
	return result;
}

async function listComments(sticky: Sticky, context: ApplyContext): Promise<readonly HostComment[] | undefined> {
	try {
		return await context.reader.issueComments(sticky.pullRequest);
	} catch {
		return undefined;
	}
}

/** Run ids of GitHub only grow; a later attempt of the same run is newer. Other ids cannot be compared. */
export function isNewer(marker: Pick<StickyMarker, "run" | "attempt">, context: Pick<ApplyContext, "run" | "attempt">): boolean {
	if (marker.run === context.run) return marker.attempt > context.attempt;
	if (!/^\d{1,15}$/.test(marker.run) || !/^\d{1,15}$/.test(context.run)) return false;
	return Number(marker.run) > Number(context.run);
}

async function create(sticky: Sticky, body: string, context: ApplyContext): Promise<PublicationResult> {
	const write = (): Promise<Written> => writeWithPatience(() => context.writer.createComment(sticky.pullRequest, body), context);
	let result = await write();
	if (!result.ok && result.reason === "uncertain") {
		// It may be there all the same: look for our own marker before anything is repeated (BR-45, R22).
		const comments = await listComments(sticky, context);
		if (comments === undefined) return failed(result);
		const [made] = findStickies(comments, context.identity, context.instance);
		if (made !== undefined) return { kind: "sticky", state: "created", detail: "", url: made.url };
		result = await write();
	}
	return result.ok ? { kind: "sticky", state: "created", detail: "", url: result.value.url } : failed(result);
}

async function update(current: Found, body: string, sticky: Sticky, context: ApplyContext): Promise<PublicationResult> {
	if (current.body === body) return { kind: "sticky", state: "unchanged", detail: "", url: current.url };
	const write = (): Promise<Written> => writeWithPatience(() => context.writer.updateComment(current.id, body), context);
	let result = await write();
	// Setting the same text twice is the same as once.
	if (!result.ok && result.reason === "uncertain") result = await write();
	if (!result.ok && (result.status === 404 || result.status === 410)) return create(sticky, body, context);
	return result.ok ? { kind: "sticky", state: "updated", detail: "", url: result.value.url } : failed(result);
}

async function fold(older: Found, url: string, context: ApplyContext): Promise<void> {
	const marker = printMarker("folded", { instance: context.instance, run: context.run });
	const body = `${marker}\nThis summary was replaced by a newer one${url === "" ? "" : `: ${url}`}.`;
	const result = await writeWithPatience(() => context.writer.updateComment(older.id, body), context);
	if (!result.ok) context.log.info(`An older summary comment (${older.id}) could not be folded: ${result.message}`);
}

function failed(result: Extract<Written, { ok: false }>): PublicationResult {
	const detail =
		result.reason === "not-permitted"
			? "this token may not comment (it needs pull-requests: write); the summary is in the job summary"
			: result.reason === "limited"
				? "GitHub's rate limit did not let the comment pass in time; the summary is in the job summary"
				: `the comment was not written: ${result.message}`;
	return { kind: "sticky", state: result.reason === "not-permitted" || result.reason === "limited" ? "degraded" : "failed", detail };
}

/** Adds lines under the verdict and findings at the end, and keeps the limit; the marker stays in front. */
export function withAdditions(body: string, notices: readonly string[], homeless: readonly string[], pullRequest: number): string {
	if (notices.length === 0 && homeless.length === 0) return body;
	const marker = markerOf(body);
	const rest = body.slice(marker.length).replace(/^\n+/, "");
	const [title = "", verdict = "", ...others] = rest.split("\n\n");
	const lines = notices.map((notice) => `**Note:** ${notice}`);
	const placed = homeless.map((text) => (parseMarker("finding", text) === undefined ? text : text.slice(markerOf(text).length).trim()));
	const extra =
		placed.length === 0 ? [] : [`### Findings that could not be placed as comments on #${pullRequest}`, placed.join("\n\n---\n\n")];
	const parts = [marker, title, verdict, ...lines, ...extra, ...others];
	return cutBalanced(parts.filter((part) => part !== "").join("\n\n"), { limit: MAX_BODY_CHARS, elsewhere: "in the job summary" });
}
