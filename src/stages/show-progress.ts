import type { Publication } from "../domain/publication.ts";
import type { RunContext } from "../domain/run-context.ts";
import { printMarker } from "../publish/marker.ts";
import type { ExistingState } from "../publish/read-existing-state.ts";
import { type ProgressRow, renderProgress } from "../publish/render/progress.ts";
import type { PipelineSeams, RunFacts } from "./pipeline-seams.ts";

/** What is seen of a run while its children work. */
export interface LiveView {
	readonly rows: () => readonly ProgressRow[];
	readonly subscribe: (listener: () => void) => void;
	/** Opens the comment; its first text is written with the first `touch`. */
	readonly openComment: (options: { readonly number: number; readonly commentId?: number; readonly render: () => string }) => {
		touch(): void;
		close(): Promise<unknown>;
	};
}

/** A run that is over sooner shows its result and nothing before it: each text is a message to everybody who watches. */
const QUIET_MS = 5_000;

/**
 * Shows a row a child in the sticky comment while the run goes on (S-034). The comment's state stays that of the last
 * finished run, so that a run that is cut off loses nothing. `close` before publishing: the last text is the publisher's.
 */
function showProgress(
	run: {
		readonly context: RunContext;
		readonly existing: ExistingState;
		readonly wanted: ReadonlySet<Publication["kind"]>;
	},
	seams: PipelineSeams,
	facts: RunFacts,
): { close(): Promise<void> } {
	const { live } = seams;
	const { pullRequest } = run.context;
	if (live === undefined || pullRequest === undefined || !run.wanted.has("sticky")) return { close: async () => undefined };
	const { sticky } = run.existing;
	const state = sticky?.marker ?? { instance: facts.instance, head: run.context.head, blobs: {}, open: [] };
	const marker = printMarker("sticky", { ...state, run: facts.runId, attempt: facts.attempt });
	const comment = live.openComment({
		number: pullRequest.number,
		...(sticky === undefined ? {} : { commentId: sticky.id }),
		render: () => renderProgress(live.rows(), run.context, marker),
	});
	const startedAt = seams.clock.now();
	live.subscribe(() => {
		if (seams.clock.now() - startedAt >= QUIET_MS) comment.touch();
	});
	return {
		async close() {
			await comment.close();
		},
	};
}

/** Shows progress as long as `work` takes. */
export async function withProgress<T>(
	run: Parameters<typeof showProgress>[0],
	seams: PipelineSeams,
	facts: RunFacts,
	work: () => Promise<T>,
): Promise<T> {
	const progress = showProgress(run, seams, facts);
	try {
		return await work();
	} finally {
		await progress.close();
	}
}
