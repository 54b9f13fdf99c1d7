import { changeReviewState, NO_REVIEW_STATE, type ReviewState } from "../domain/review-state.ts";
import type { Actor } from "../domain/ids.ts";
import type { HostComment } from "../seams.ts";
import { type CommandRecord, isOurs, parseMarker } from "./marker.ts";

/** One of our replies to a command, as its marker tells it. */
export interface CommandReply {
	/** Id of the reply. */
	readonly id: number;
	readonly url: string;
	readonly createdAt: string;
	/** Id of the comment that was answered. */
	readonly to: number;
	readonly run: string;
	readonly command: CommandRecord;
}

/** Our replies, oldest first; nobody else's text is believed (BR-37, A97). */
export function readReplies(comments: readonly HostComment[], identity: Actor | null): readonly CommandReply[] {
	return comments
		.filter((comment) => isOurs(comment, identity))
		.flatMap((comment): CommandReply[] => {
			const marker = parseMarker("reply", comment.body);
			if (marker?.command === undefined) return [];
			const { id, url, createdAt } = comment;
			return [{ id, url, createdAt, to: marker.to, run: marker.run, command: marker.command }];
		})
		.sort((a, b) => a.id - b.id);
}

/** What the commands so far add up to. */
export function foldReviewState(replies: readonly CommandReply[]): ReviewState {
	return replies.reduce(
		(state, { command, createdAt }) =>
			command.changes.reduce((inner, change) => changeReviewState(inner, change, { by: command.by, at: createdAt }), state),
		NO_REVIEW_STATE,
	);
}
