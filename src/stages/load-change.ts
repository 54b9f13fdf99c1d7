import type { ChangedFile, ChangeSet, FilePatch } from "../domain/change-set.ts";
import type { RunContext } from "../domain/run-context.ts";
import type { TrustDiffRow } from "../domain/synthesis.ts";
import { parseAgentFile } from "../agents/agent-file.ts";
import { buildTrustDiff } from "../trust/trust-diff.ts";
import type { PipelineSeams } from "./pipeline-seams.ts";

/** What is under review: names and sizes at once, patches when they are asked for. */
export interface Change {
	readonly changeSet: ChangeSet;
	/** Patches of files that changed, in the order given; read once each. */
	readonly readPatches: (paths: readonly string[]) => Promise<readonly FilePatch[]>;
	/** Text of a file at the head; undefined when it is not there or is no text. */
	readonly readHead: (path: string) => Promise<string | undefined>;
	/** What the change does to the files that steer reviewers. */
	readonly trustDiff: readonly TrustDiffRow[];
}

/** Reads the list of changed files from git. Rejects when git fails; a failure is never an empty list (BR-47). */
export async function loadChange(context: RunContext, seams: PipelineSeams): Promise<Change> {
	const { reader } = seams;
	const changeSet = await seams.loadChangeSet(context.mergeBase, context.head);
	const byPath = new Map(changeSet.files.map((file) => [file.path, file]));
	const known = new Map<string, FilePatch>();
	const trustDiff = await buildTrustDiff({
		reader,
		changes: changeSet,
		parseAgent: ({ path, bytes }) => parseAgentFile({ path, bytes, tier: "repository" }),
	});
	return {
		changeSet,
		trustDiff,
		async readPatches(wanted) {
			// Several children may read one file; its diff is still one.
			const paths = [...new Set(wanted)];
			const missing = paths
				.map((path) => byPath.get(path))
				.filter((file): file is ChangedFile => file !== undefined && !known.has(file.path));
			for (const patch of await reader.patches(context.mergeBase, context.head, missing)) known.set(patch.path, patch);
			return paths.flatMap((path) => known.get(path) ?? []);
		},
		async readHead(path) {
			const bytes = await reader.readFile(context.head, path);
			return bytes === undefined || bytes.includes(0) ? undefined : bytes.toString("utf8");
		},
	};
}
