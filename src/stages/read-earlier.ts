import type { RunContext } from "../domain/run-context.ts";
import { errorText } from "../domain/errors.ts";
import { type ExistingState, NOTHING_POSTED, readExistingState } from "../publish/read-existing-state.ts";
import type { PipelineSeams, RunFacts } from "./pipeline-seams.ts";

export interface Earlier {
	readonly existing: ExistingState;
	readonly notes: readonly string[];
}

/** What earlier runs left on the pull request. When it cannot be read, the review is a full one and says so. */
export async function readEarlier(context: RunContext, seams: PipelineSeams, facts: RunFacts): Promise<Earlier> {
	if (seams.host === undefined || context.pullRequest === undefined) return { existing: NOTHING_POSTED, notes: [] };
	try {
		return { existing: await readExistingState(seams.host.reader, context.pullRequest.number, facts.instance), notes: [] };
	} catch (error) {
		const reason = errorText(error).split("\n", 1)[0] ?? "";
		return { existing: NOTHING_POSTED, notes: [`Earlier comments could not be read (${reason}); this is a full review.`] };
	}
}
