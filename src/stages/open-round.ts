import type { RunContext } from "../domain/run-context.ts";
import { type Carried, findCarried } from "./find-carried.ts";
import type { Change } from "./load-change.ts";
import type { Trusted } from "./load-trusted.ts";
import type { PipelineSeams, RunFacts } from "./pipeline-seams.ts";
import { type Earlier, forgetRounds, readEarlier } from "./read-earlier.ts";

export interface Round {
	readonly earlier: Earlier;
	readonly carried: Carried;
}

/**
 * What earlier rounds have left, and what of it counts: nothing for a full review, no carried file for a part of a
 * review that somebody asked for. Rejects only when git fails.
 */
export async function openRound(
	run: {
		readonly context: RunContext;
		readonly trusted: Trusted;
		readonly narrow?: unknown;
		readonly full?: boolean;
		readonly carried?: readonly string[];
	},
	change: Change,
	seams: PipelineSeams,
	facts: RunFacts,
): Promise<Round> {
	const found = await readEarlier(run.context, seams, facts);
	const earlier = run.full === true ? forgetRounds(found) : found;
	const carried = await findCarried(earlier, change, { trusted: run.trusted, provider: seams.model.provider });
	const pinned = pinCarried(run.carried, earlier, change, facts);
	if (pinned !== undefined) return { earlier, carried: { ...carried, ...pinned } };
	return { earlier, carried: run.narrow === undefined ? carried : { ...carried, files: [], notes: [] } };
}

/**
 * When this very run has published before, in an earlier attempt, what it wrote then must not change its plan: what was
 * carried over at first stays so. Undefined where there is nothing to pin.
 */
function pinCarried(
	paths: readonly string[] | undefined,
	{ existing }: Earlier,
	change: Change,
	facts: RunFacts,
): Pick<Carried, "files" | "notes"> | undefined {
	if (paths === undefined || existing.sticky?.marker.run !== facts.runId) return undefined;
	const wanted = new Set(paths);
	const files = change.changeSet.files.filter((file) => wanted.has(file.path));
	return { files: files.map(({ path }) => ({ path, reason: "unchanged since an earlier review" })), notes: [] };
}
