import type { Writable } from "node:stream";
import { createLiveComment } from "../adapters/progress/create-live-comment.ts";
import { createProgressRows } from "../adapters/progress/progress-rows.ts";
import { watchJournals } from "../adapters/progress/watch-journals.ts";
import type { GitHostWriter, Log } from "../seams.ts";
import type { PipelineSeams } from "../stages/pipeline-seams.ts";
import { createProgressLog } from "./report-progress.ts";

export interface FollowOptions {
	readonly journals: PipelineSeams["journals"];
	readonly clock: PipelineSeams["clock"];
	readonly log: Log;
	/** Shows rows in the sticky comment. */
	readonly writer?: GitHostWriter;
	/** A terminal to draw a tree of the agents on. */
	readonly terminal?: Writable & { readonly isTTY?: boolean; readonly columns?: number };
}

/** Everything that is seen of a run while it goes on. */
export interface FollowedRun {
	/** Take the place of the run's own. */
	readonly seams: Pick<PipelineSeams, "journals" | "progress" | "live">;
	/** Prints the log groups and gives the terminal back. */
	close(): Promise<void>;
}

/** Journals are the only source: a row shows what a record says (S-034). */
export async function followRun(options: FollowOptions): Promise<FollowedRun> {
	const { clock, log, writer } = options;
	const rows = createProgressRows(clock);
	const steps = createProgressLog();
	const tree = options.terminal?.isTTY === true ? await drawTree(rows, options.terminal) : undefined;
	return {
		seams: {
			journals: { ...options.journals, ...watchJournals(options.journals, rows.record) },
			progress(progress) {
				steps.onProgress(progress);
				rows.step(progress);
			},
			...(writer === undefined
				? {}
				: {
						live: {
							rows: () => rows.rows().map(({ description, ...row }) => ({ ...row, reason: description })),
							subscribe: rows.subscribe,
							openComment: (comment) => createLiveComment({ ...comment, writer, clock, onGivenUp: (reason) => log.info(reason) }),
						},
					}),
		},
		async close() {
			await tree?.close();
			steps.flush(log);
		},
	};
}

/** The library is loaded only where there is a terminal to draw on. */
async function drawTree(rows: ReturnType<typeof createProgressRows>, output: NonNullable<FollowOptions["terminal"]>) {
	const { createTerminalTree } = await import("../adapters/progress/create-terminal-tree.ts");
	return createTerminalTree({ rows, output, title: "Reviewing" });
}
