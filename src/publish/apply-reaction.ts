import type { GitHostWriter, Log } from "../seams.ts";

type Comment = Parameters<GitHostWriter["addReaction"]>[0];

/** How a command ended, as a reaction on its comment. */
export const END_REACTIONS = { done: "+1", refused: "-1", failed: "confused" } as const;

/** 👀 while a command runs. */
export interface ReactionInProgress {
	/** False when our account had reacted before: another run is at it. */
	readonly first: boolean;
	/** Puts the end state there and takes the 👀 away. Never rejects. */
	end(outcome: keyof typeof END_REACTIONS): Promise<void>;
}

/** Shows at once that a command was heard. A token that may not react does without; the reply tells the rest. */
export async function startReaction(comment: Comment, writer: GitHostWriter, log: Log): Promise<ReactionInProgress> {
	const eyes = await writer.addReaction(comment, "eyes");
	if (!eyes.ok) log.info(`no reaction on comment ${comment.id}: ${eyes.message}`);
	return {
		first: !eyes.ok || eyes.value.created !== false,
		async end(outcome) {
			await addReaction(comment, outcome, writer, log);
			if (!eyes.ok) return;
			const removed = await writer.removeReaction(comment, eyes.value.id);
			if (!removed.ok && removed.status !== 404) log.info(`the reaction on comment ${comment.id} could not be removed: ${removed.message}`);
		},
	};
}

/** Only the end state, for what is refused before it has begun. Never rejects. */
export async function addReaction(comment: Comment, outcome: keyof typeof END_REACTIONS, writer: GitHostWriter, log: Log): Promise<void> {
	const added = await writer.addReaction(comment, END_REACTIONS[outcome]);
	if (!added.ok) log.info(`no reaction on comment ${comment.id}: ${added.message}`);
}
