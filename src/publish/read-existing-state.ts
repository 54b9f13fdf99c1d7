import type { Actor } from "../domain/ids.ts";
import type { OtherComment } from "../domain/other-comment.ts";
import type { ReviewState } from "../domain/review-state.ts";
import type { PreviousReview } from "../domain/synthesis.ts";
import type { GitHostReader, HostComment, HostReviewComment } from "../seams.ts";
import type { Conversation } from "./read-conversations.ts";
import { isOurs, parseMarker, type StickyMarker } from "./marker.ts";
import { foldReviewState, readReplies } from "./read-replies.ts";

/** What earlier runs of ours left on a pull request; only our own texts are believed (BR-37, A97). */
export interface ExistingState {
	readonly identity: Actor | null;
	readonly sticky: { readonly id: number; readonly url: string; readonly body: string; readonly marker: StickyMarker } | undefined;
	/** Fingerprints of findings that already have a comment. */
	readonly postedFingerprints: ReadonlySet<string>;
	/** The comments of ours on lines or files, one a finding. */
	readonly posted?: readonly PostedFinding[];
	/** Where other bots have commented (1c-17). */
	readonly otherComments?: readonly OtherComment[];
	/** What people did to our comments; absent when it was not read. */
	readonly conversations?: readonly Conversation[];
	/** Comments on lines or files of ours that stand on the pull request. */
	readonly inlinePosted: number;
	/** Why there is no state although there was a review: said, and everything is read again (1c-6). */
	readonly problem?: string;
	/** What people said with commands; absent when it was not read. */
	readonly state?: ReviewState;
}

/** A comment of ours about one finding. */
export interface PostedFinding {
	readonly comment: number;
	readonly fingerprint: string;
	/** The finding's short id. */
	readonly id: string;
	/** Number of 👎 on it. */
	readonly dislikes: number;
}

export const NOTHING_POSTED: ExistingState = { identity: null, sticky: undefined, postedFingerprints: new Set(), inlinePosted: 0 };

/** Reads all pages of comments and review comments. Rejects when the API does. */
export async function readExistingState(reader: GitHostReader, pullRequest: number, instance: string): Promise<ExistingState> {
	const identity = await reader.viewer();
	const [comments, reviewComments] = await Promise.all([reader.issueComments(pullRequest), reader.reviewComments(pullRequest)]);
	const posted = reviewComments
		.filter((comment) => isOurs(comment, identity))
		.flatMap((comment): PostedFinding[] => {
			const marker = parseMarker("finding", comment.body);
			if (marker === undefined) return [];
			return [{ comment: comment.id, fingerprint: marker.fingerprint, id: marker.id, dislikes: comment.dislikes }];
		});
	const sticky = findStickies(comments, identity, instance)[0];
	const problem = sticky === undefined ? whyNoState(comments, identity, posted.length) : undefined;
	return {
		identity,
		sticky,
		...(problem === undefined ? {} : { problem }),
		postedFingerprints: new Set(posted.map((marker) => marker.fingerprint)),
		inlinePosted: posted.length,
		posted,
		otherComments: reviewComments.flatMap((comment) => toOtherComment(comment, identity)),
		state: foldReviewState(readReplies(comments, identity)),
	};
}

/** Only first comments on lines that still stand: an answer is about the comment above it. */
function toOtherComment(comment: HostReviewComment, identity: Actor | null): readonly OtherComment[] {
	const { author, path, line, startLine } = comment;
	if (author.type !== "Bot" || isOurs(comment, identity) || comment.inReplyTo !== null || line === null) return [];
	return [{ author: author.login, path, startLine: startLine ?? line, endLine: line }];
}

/** A summary that somebody else wrote is not believed; one that was deleted leaves our comments on lines behind. */
function whyNoState(comments: readonly HostComment[], identity: Actor | null, posted: number): string | undefined {
	const forged = comments.find((comment) => !isOurs(comment, identity) && parseMarker("sticky", comment.body) !== undefined);
	if (forged !== undefined) return `a comment with the mark of our summary is by ${forged.author.login} and not ours`;
	const own = comments.filter((comment) => isOurs(comment, identity) && comment.body.startsWith("<!-- rookery:sticky"));
	if (own.some((comment) => parseMarker("sticky", comment.body) === undefined)) return "the state in our summary cannot be read";
	// Another installation's summary explains comments that are not this one's.
	return posted > 0 && own.length === 0 ? "our earlier summary is gone" : undefined;
}

/** Our sticky comments of this instance, the newest first. */
export function findStickies(
	comments: readonly HostComment[],
	identity: Actor | null,
	instance: string,
): readonly NonNullable<ExistingState["sticky"]>[] {
	return comments
		.filter((comment) => isOurs(comment, identity))
		.flatMap((comment) => {
			const marker = parseMarker("sticky", comment.body);
			return marker === undefined || marker.instance !== instance ? [] : [{ id: comment.id, url: comment.url, body: comment.body, marker }];
		})
		.sort((a, b) => b.id - a.id);
}

/** The part the synthesis needs to tell new, open and fixed apart; undefined on the first run. */
export function toPreviousReview(state: ExistingState): PreviousReview | undefined {
	if (state.sticky === undefined) return undefined;
	const { head, blobs, open, provider } = state.sticky.marker;
	return { head, blobs, open, inlinePosted: state.inlinePosted, ...(provider === undefined ? {} : { provider }) };
}
