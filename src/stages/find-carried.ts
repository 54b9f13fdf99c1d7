import { createHash } from "node:crypto";
import type { ChangedFile, FilePatch } from "../domain/change-set.ts";
import type { SkippedFile } from "../domain/review-plan.ts";
import { changeId } from "../domain/change-id.ts";
import type { Change } from "./load-change.ts";
import type { Trusted } from "./load-trusted.ts";
import type { Earlier } from "./read-earlier.ts";

/** What an earlier round has read and nobody needs to read again. */
export interface Carried {
	readonly files: readonly SkippedFile[];
	readonly notes: readonly string[];
	/** Digest of who reviews by which settings; kept in the sticky comment for the next round. */
	readonly reviewers: string;
}

/**
 * Compares what the pull request does to each file with what it did when the file was last read: the same lines in the
 * same context, or the same blob where no lines tell. So a rebase, a squash or `main` merged in costs nothing, and
 * neither dates nor commit ids play a part. Other reviewers, settings or another provider make it a full review, and a
 * note says so. Rejects only when git fails.
 */
export async function findCarried(
	earlier: Earlier,
	change: Pick<Change, "changeSet" | "readPatches">,
	by: { readonly trusted: Trusted; readonly provider: string },
): Promise<Carried> {
	const reviewers = digestReviewers(by.trusted, by.provider);
	const marker = earlier.existing.sticky?.marker;
	if (marker === undefined || Object.keys(marker.blobs).length === 0) return { files: [], notes: [], reviewers };
	if (marker.reviewers !== reviewers) {
		const note = "Reviewers, their settings or the provider differ from those of the last review; this is a full review.";
		return { files: [], notes: [note], reviewers };
	}
	const before = marker.changes ?? {};
	const candidates = change.changeSet.files.filter((file) => before[file.path] !== undefined || marker.blobs[file.path] === file.newBlob);
	const patches = new Map((await change.readPatches(candidates.map((file) => file.path))).map((patch) => [patch.path, patch]));
	const same = candidates.filter((file) => isSame(file, patches.get(file.path), before[file.path], marker.blobs[file.path]));
	const reason = `unchanged since it was read at ${marker.head.slice(0, 7)}`;
	const files = same.map(({ path }) => ({ path, reason }));
	return { files, notes: describe(same.length, change.changeSet.files.length), reviewers };
}

function isSame(file: ChangedFile, patch: FilePatch | undefined, before: string | undefined, blob: string | undefined): boolean {
	const now = changeId(file, patch);
	return now === undefined || before === undefined ? blob === file.newBlob : now === before;
}

function describe(same: number, all: number): readonly string[] {
	if (same === 0) return [];
	const left = all - same;
	return [`${left} of ${all} changed ${all === 1 ? "file" : "files"} changed since the last review; ${same} unchanged, carried over.`];
}

/** Texts of agents by their hashes: what a changed reviewer would say of unchanged code is not known. */
function digestReviewers({ agents, settings }: Trusted, provider: string): string {
	const { paths, pathsIgnore, reviewers, maxReviewers } = settings.review;
	const named = agents.map((agent) => [agent.name, agent.source?.sha256 ?? ""]).sort((a, b) => (String(a) < String(b) ? -1 : 1));
	return createHash("sha256")
		.update(JSON.stringify([provider, named, settings.moe, { paths, pathsIgnore, reviewers, maxReviewers }]))
		.digest("hex")
		.slice(0, 16);
}
