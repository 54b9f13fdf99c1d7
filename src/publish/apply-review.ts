import type { Publication, PublicationResult, ReviewComment } from "../domain/publication.ts";
import type { WriteResult } from "../seams.ts";
import type { ApplyContext } from "./apply-context.ts";
import { isOurs, parseMarker, printMarker } from "./marker.ts";
import { writeWithPatience } from "./write-with-patience.ts";

type Review = Extract<Publication, { kind: "review" }>;

export interface ReviewOutcome {
	readonly result: PublicationResult;
	/** Bodies of findings that found no place as comments; the summary shows them. */
	readonly homeless: readonly string[];
	/** Lines for the summary. */
	readonly notices: readonly string[];
}

/** What is left to post, and what became of what was posted. */
interface Progress {
	url: string | undefined;
	posted: number;
	part: number;
	readonly refused: ReviewComment[];
	readonly homeless: string[];
	/** Why nothing more can be posted, once that is known. */
	stopped: string | undefined;
}

/**
 * Posts one review. A refused batch is halved until the bad comment is found, which moves a tier down (BR-14, R23);
 * an uncertain answer is looked up before anything is repeated (BR-45, R22); a lost commit or a missing permission
 * ends it with everything in the summary (BR-20).
 */
export async function applyReview(review: Review, context: ApplyContext): Promise<ReviewOutcome> {
	const progress: Progress = { url: undefined, posted: 0, part: 0, refused: [], homeless: [], stopped: undefined };
	if (review.comments.length > 0) await postBatch(review, review.comments, context, progress);
	for (const comment of progress.refused) {
		await postFileComment(review, { path: comment.path, body: withoutSuggestion(comment.body) }, context, progress);
	}
	for (const comment of review.fileComments) await postFileComment(review, comment, context, progress);
	return outcomeOf(review, progress);
}

/**
 * The review without findings that another run has posted since this one began: two runs at once say each thing once
 * (R41). What cannot be looked up is posted.
 */
export async function leaveOutPosted(review: Review, context: ApplyContext): Promise<Review> {
	try {
		const standing = await context.reader.reviewComments(review.pullRequest);
		const posted = new Set(
			standing.filter((each) => isOurs(each, context.identity)).flatMap((each) => parseMarker("finding", each.body)?.fingerprint ?? []),
		);
		const isNew = ({ body }: { readonly body: string }): boolean => !posted.has(parseMarker("finding", body)?.fingerprint ?? "");
		return { ...review, comments: review.comments.filter(isNew), fileComments: review.fileComments.filter(isNew) };
	} catch {
		return review;
	}
}

function outcomeOf(review: Review, progress: Progress): ReviewOutcome {
	const total = review.comments.length + review.fileComments.length;
	if (total === 0) {
		return {
			result: { kind: "review", state: "unchanged", detail: "another run has posted these findings" },
			homeless: [],
			notices: [],
		};
	}
	const url = progress.url === undefined ? {} : { url: progress.url };
	const detail = progress.stopped ?? (progress.homeless.length > 0 ? "some findings could not be placed as comments" : "");
	const moved = progress.refused.length > 0 ? `${progress.refused.length} refused on their line and moved` : "";
	const notices = progress.stopped === undefined ? [] : [`The findings are in this comment only: ${progress.stopped}.`];
	if (progress.posted === 0 && progress.homeless.length === total) {
		return { result: { kind: "review", state: "degraded", detail: detail || "refused", ...url }, homeless: progress.homeless, notices };
	}
	const state = detail === "" && moved === "" ? "created" : "degraded";
	return {
		result: { kind: "review", state, detail: [detail, moved].filter((part) => part !== "").join("; "), ...url },
		homeless: progress.homeless,
		notices,
	};
}

async function postBatch(review: Review, comments: readonly ReviewComment[], context: ApplyContext, progress: Progress): Promise<void> {
	if (progress.stopped !== undefined) {
		progress.homeless.push(...comments.map((comment) => comment.body));
		return;
	}
	const part = progress.part === 0 ? "all" : `part-${progress.part}`;
	progress.part += 1;
	const result = await writePart(review, comments, part, context);
	if (result.ok) {
		progress.url ??= result.value.url;
		progress.posted += comments.length;
		return;
	}
	if (result.reason === "refused" && result.status === 422 && !isCommitGone(result.message)) {
		const [only, ...others] = comments;
		if (only !== undefined && others.length === 0) progress.refused.push(only);
		else {
			const middle = Math.ceil(comments.length / 2);
			await postBatch(review, comments.slice(0, middle), context, progress);
			await postBatch(review, comments.slice(middle), context, progress);
		}
		return;
	}
	progress.stopped = whyStopped(result);
	progress.homeless.push(...comments.map((comment) => comment.body));
}

type PartResult = WriteResult<{ readonly id: number; readonly url: string }>;

async function writePart(review: Review, comments: readonly ReviewComment[], part: string, context: ApplyContext): Promise<PartResult> {
	const { instance, run, attempt } = context;
	const marker = printMarker("review", { instance, run, attempt, head: review.commit, part });
	// The first part has the planned body; halves of it only say which part they are.
	const body = part === "all" ? review.body : `${marker}\nMore findings of the same review.`;
	const write = (batch: readonly ReviewComment[]): Promise<PartResult> =>
		writeWithPatience(() => context.writer.createReview(review.pullRequest, review.commit, body, batch), context);
	const result = await write(comments);
	if (result.ok || result.reason !== "uncertain") return result;
	const found = await lookUp(review, comments, part, context);
	if (found === undefined) return { ...result, message: "GitHub did not answer and what was written cannot be listed" };
	if (found.url !== undefined) return { ok: true, value: { id: 0, url: found.url } };
	return write(found.missing);
}

/** What of a part stands on the pull request, by our own markers; undefined when that cannot be read. */
async function lookUp(
	review: Review,
	comments: readonly ReviewComment[],
	part: string,
	context: ApplyContext,
): Promise<{ readonly url: string | undefined; readonly missing: readonly ReviewComment[] } | undefined> {
	try {
		const reviews = await context.reader.reviews(review.pullRequest);
		const ours = reviews.find((each) => {
			const marker = isOurs(each, context.identity) ? parseMarker("review", each.body) : undefined;
			return marker?.run === context.run && marker.attempt === context.attempt && marker.head === review.commit && marker.part === part;
		});
		if (ours !== undefined) return { url: ours.url, missing: [] };
		const standing = await context.reader.reviewComments(review.pullRequest);
		const present = new Set(
			standing
				.filter((each) => isOurs(each, context.identity))
				.flatMap((each) => parseMarker("finding", each.body) ?? [])
				.filter((marker) => marker.run === context.run && marker.head === review.commit)
				.map((marker) => marker.id),
		);
		const missing = comments.filter((comment) => !present.has(comment.findingId));
		return missing.length === 0 ? { url: standing.at(-1)?.url ?? "", missing } : { url: undefined, missing };
	} catch {
		return undefined;
	}
}

async function postFileComment(
	review: Review,
	comment: { readonly path: string; readonly body: string },
	context: ApplyContext,
	progress: Progress,
): Promise<void> {
	if (progress.stopped !== undefined) {
		progress.homeless.push(comment.body);
		return;
	}
	const planned = { findingId: "", path: comment.path, body: comment.body };
	const result = await writeWithPatience(() => context.writer.createFileComment(review.pullRequest, review.commit, planned), context);
	if (result.ok) {
		progress.url ??= result.value.url;
		progress.posted += 1;
		return;
	}
	if (result.reason === "not-permitted" || result.reason === "limited") progress.stopped = whyStopped(result);
	// Not looked up: in doubt the finding is shown twice, once as a comment and once in the summary, and never posted twice.
	progress.homeless.push(comment.body);
}

/** A block that GitHub would apply to a range must not stand in a comment that has none. */
function withoutSuggestion(body: string): string {
	return body.replace(/^(`{3,})suggestion$/gm, "$1");
}

/** The commit left the pull request by a force push (BR-20). */
function isCommitGone(text: string): boolean {
	return /commit (?:oid|_?id)|not part of the pull request|no commit found/i.test(text);
}

function whyStopped(result: Extract<PartResult, { ok: false }>): string {
	switch (result.reason) {
		case "not-permitted":
			return "this token may not write reviews (it needs pull-requests: write)";
		case "limited":
			return "GitHub's rate limit did not let the review pass in time";
		case "uncertain":
			return `it is not known whether GitHub took the review (${result.message})`;
		case "refused":
			return isCommitGone(result.message)
				? "the reviewed commit is no longer part of the pull request"
				: `GitHub refused the review (${result.message})`;
	}
}
