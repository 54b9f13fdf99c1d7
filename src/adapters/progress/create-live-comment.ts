import { errorText } from "../../domain/errors.ts";
import type { Clock, GitHostWriter, WriteResult } from "../../seams.ts";

/** GitHub counts each edit against the limits of content creation (BR-44), and people do not read faster. */
export const EDIT_INTERVAL_MS = 12_000;

export interface LiveCommentOptions {
	readonly writer: Pick<GitHostWriter, "createComment" | "updateComment">;
	/** Of the pull request. */
	readonly number: number;
	/** The comment that is edited; made with the first text when there is none. */
	readonly commentId?: number;
	/** The whole body as it stands now, its marker in front, cleaned and redacted. */
	render(): string;
	readonly clock: Clock;
	readonly intervalMs?: number;
	/** One line when the comment is given up; the run itself goes on. */
	onGivenUp?(reason: string): void;
}

export interface LiveComment {
	/** Says that something has changed. Cheap; call it as often as you like. */
	touch(): void;
	/** Stops, and waits for a write that is under way. The last text is the publisher's to write. */
	close(): Promise<{ readonly commentId: number | undefined; readonly edits: number }>;
}

/**
 * Keeps one comment up to date while a run goes on: the first text at once, later ones at most every 12 seconds, never
 * two writes at a time, and none for a text that is the same. What GitHub refuses ends the updates and nothing else;
 * what it limits makes them wait as long as it asks. Never rejects.
 */
export function createLiveComment(options: LiveCommentOptions): LiveComment {
	const { clock } = options;
	const interval = options.intervalMs ?? EDIT_INTERVAL_MS;
	const stop = new AbortController();
	let commentId = options.commentId;
	let written = "";
	let edits = 0;
	let pending = false;
	let loop: Promise<void> | undefined;

	async function run(): Promise<void> {
		while (pending && !stop.signal.aborted) {
			pending = false;
			const pause = await writeOnce();
			if (pause === undefined) return stop.abort();
			await clock.sleep(pause, stop.signal);
		}
	}

	/** How long to wait before the next write; undefined when there is to be none. */
	async function writeOnce(): Promise<number | undefined> {
		try {
			const body = options.render();
			if (body === written) return 0;
			const result: WriteResult<{ readonly id: number }> =
				commentId === undefined
					? await options.writer.createComment(options.number, body)
					: await options.writer.updateComment(commentId, body);
			return take(result, body);
		} catch (error) {
			return giveUp(errorText(error));
		}
	}

	function take(result: WriteResult<{ readonly id: number }>, body: string): number | undefined {
		if (result.ok) {
			commentId = result.value.id;
			written = body;
			edits += 1;
			return interval;
		}
		if (result.reason === "limited") {
			pending = true;
			return Math.max(interval, result.retryAfterMs ?? interval * 5);
		}
		// A comment may have been made all the same, and a second one would be noise: the publisher looks before it writes (BR-45).
		if (result.reason === "uncertain" && commentId !== undefined) {
			pending = true;
			return interval;
		}
		return giveUp(result.message);
	}

	function giveUp(reason: string): undefined {
		options.onGivenUp?.(`the progress comment is no longer updated: ${reason}`);
		return undefined;
	}

	return {
		touch() {
			if (stop.signal.aborted) return;
			pending = true;
			loop ??= run().finally(() => {
				loop = undefined;
			});
		},
		async close() {
			stop.abort();
			await loop;
			return { commentId, edits };
		},
	};
}
