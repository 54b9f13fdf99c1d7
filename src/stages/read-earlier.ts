import type { RunContext } from "../domain/run-context.ts";
import { errorText } from "../domain/errors.ts";
import { NO_REVIEW_STATE, type ReviewState, type SettledFinding } from "../domain/review-state.ts";
import { type ExistingState, NOTHING_POSTED, readExistingState } from "../publish/read-existing-state.ts";
import { readConversations } from "../publish/read-conversations.ts";
import type { PipelineSeams, RunFacts } from "./pipeline-seams.ts";

export interface Earlier {
	readonly existing: ExistingState;
	/** What people said with commands: `/dismiss`, `/resolve`, `/pause`. */
	readonly state: ReviewState;
	readonly notes: readonly string[];
}

/** What earlier runs left on the pull request. When it cannot be read, the review is a full one and says so. */
export async function readEarlier(context: RunContext, seams: PipelineSeams, facts: RunFacts): Promise<Earlier> {
	if (seams.host === undefined || context.pullRequest === undefined) return { existing: NOTHING_POSTED, state: NO_REVIEW_STATE, notes: [] };
	try {
		const { reader, early, activity } = seams.host;
		const found = await readExistingState(early ?? reader, context.pullRequest.number, facts.instance);
		const { conversations, signs, notes } = await readConversations(context.pullRequest.number, found.posted ?? [], {
			reader: early ?? reader,
			...(activity === undefined ? {} : { listReactions: (id: number) => activity.reactions({ id, kind: "review" as const }) }),
			identity: found.identity,
			closedByUs: new Set(found.sticky?.marker.closed),
		});
		const problem = found.problem === undefined ? [] : [`No state of an earlier review: ${found.problem}. This is a full review.`];
		return {
			existing: { ...found, conversations },
			state: withSigns(found.state ?? NO_REVIEW_STATE, signs),
			notes: [...problem, ...notes],
		};
	} catch (error) {
		const reason = errorText(error).split("\n", 1)[0] ?? "";
		return {
			existing: NOTHING_POSTED,
			state: NO_REVIEW_STATE,
			notes: [`Earlier comments could not be read (${reason}); this is a full review.`],
		};
	}
}

/** What somebody said in words counts before what a sign says. */
function withSigns(state: ReviewState, signs: readonly SettledFinding[]): ReviewState {
	const said = new Set(state.settled.map((each) => each.fingerprint));
	return { ...state, settled: [...state.settled, ...signs.filter((each) => !said.has(each.fingerprint))] };
}

/** The same without what earlier rounds have used up: every file is read anew and the caps count from zero. */
export function forgetRounds(earlier: Earlier): Earlier {
	const { sticky } = earlier.existing;
	const existing = { ...earlier.existing, inlinePosted: 0 };
	if (sticky === undefined) return { ...earlier, existing };
	return { ...earlier, existing: { ...existing, sticky: { ...sticky, marker: { ...sticky.marker, blobs: {} } } } };
}
