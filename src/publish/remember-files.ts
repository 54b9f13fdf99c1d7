import type { ChangeSet, FilePatch } from "../domain/change-set.ts";
import type { ReviewPlan } from "../domain/review-plan.ts";
import type { Synthesis } from "../domain/synthesis.ts";
import { changeId } from "../domain/change-id.ts";
import { capBlobs, type StickyMarker } from "./marker.ts";
import type { ExistingState } from "./read-existing-state.ts";

export interface RememberInput {
	readonly changeSet: ChangeSet;
	readonly plan?: Pick<ReviewPlan, "carriedFiles">;
	/** The very patches that were read. */
	readonly patches?: readonly FilePatch[];
	/** Digest of who reviews by which settings. */
	readonly reviewers?: string;
	/** Only some of the reviewers or files took part: what was read by all of them before stays as it was. */
	readonly part?: boolean;
	readonly existing: ExistingState;
}

/** Characters of the marker that ids of changes may use. */
const MAX_CHANGE_CHARS = 8_000;

/**
 * What was last read of each file, which may be an older state than this run's: its blob, and the id of what the pull
 * request does to it. A file that was not read whole keeps what is remembered of it, if the same reviewers read it.
 */
export function rememberFiles(
	input: RememberInput,
	synthesis: Pick<Synthesis, "coverage">,
): Pick<StickyMarker, "blobs" | "changes" | "reviewers"> {
	const marker = input.existing.sticky?.marker;
	const reviewers = input.part === true ? marker?.reviewers : input.reviewers;
	const before = marker?.reviewers === reviewers ? marker : undefined;
	const read = new Set(synthesis.coverage.flatMap((row) => (input.part !== true && row.state === "reviewed" ? [row.path] : [])));
	const carried = new Set(input.plan?.carriedFiles?.map((file) => file.path));
	const patches = new Map(input.patches?.map((patch) => [patch.path, patch]));
	const blobs: Record<string, string> = {};
	const changes: Record<string, string> = {};
	// What the marker has no room for need not be computed: its lists are cut at the first entry that does not fit.
	let room = MAX_CHANGE_CHARS;
	for (const file of input.changeSet.files) {
		const again = read.has(file.path);
		const blob = again ? file.newBlob : before?.blobs[file.path];
		const change =
			room < 0 ? undefined : again && !carried.has(file.path) ? changeId(file, patches.get(file.path)) : before?.changes?.[file.path];
		if (blob !== undefined) blobs[file.path] = blob;
		if (blob === undefined || change === undefined) continue;
		changes[file.path] = change;
		room -= JSON.stringify(file.path).length + change.length;
	}
	return {
		blobs: { ...capBlobs(blobs) },
		changes: { ...capBlobs(changes, MAX_CHANGE_CHARS) },
		...(reviewers === undefined ? {} : { reviewers }),
	};
}
