import type { PublishedAgent } from "../domain/review-state.ts";
import type { StickyMarker } from "../publish/marker.ts";
import type { CommandReply } from "../publish/read-replies.ts";

/** What comments of ours say about a run: enough to find its files and to check them. */
export interface PublishedRun {
	readonly run: string;
	readonly attempt: number;
	readonly agents: readonly PublishedAgent[];
	readonly audit?: { readonly entries: number; readonly head: string } | undefined;
}

/** Runs whose agents were published on this issue or pull request, the newest first. Run ids of GitHub only grow. */
export function listPublishedRuns(sticky: StickyMarker | undefined, replies: readonly CommandReply[]): readonly PublishedRun[] {
	const reviews =
		sticky?.agents === undefined ? [] : [{ run: sticky.run, attempt: sticky.attempt, agents: sticky.agents, audit: sticky.audit }];
	const commands = replies.map(({ run, command }) => ({ run, attempt: command.attempt, agents: command.agents, audit: command.audit }));
	return [...reviews, ...commands]
		.filter((each) => each.agents.length > 0)
		.sort((a, b) => Number(b.run) - Number(a.run) || b.attempt - a.attempt);
}
