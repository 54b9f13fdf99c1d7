import type { FilePatch } from "../domain/change-set.ts";
import type { RunContext } from "../domain/run-context.ts";
import type { Surroundings } from "../domain/surroundings.ts";
import { createPathRules } from "../guard/path-rules.ts";
import type { Trusted } from "./load-trusted.ts";
import type { PipelineSeams } from "./pipeline-seams.ts";

/**
 * What the pack shows around the change; nothing where no model reads it. The rules of the languages are loaded here, so
 * that a run without a model starts as fast as before. Never rejects.
 */
export async function readSurroundings(
	run: { readonly context: RunContext; readonly trusted: Trusted },
	patches: readonly FilePatch[],
	seams: PipelineSeams,
): Promise<{ readonly surroundings?: Surroundings }> {
	if (seams.model.provider === "offline" || patches.length === 0) return {};
	const { gatherSurroundings } = await import("./gather-surroundings.ts");
	const unique = [...new Map(patches.map((patch) => [patch.path, patch])).values()];
	const surroundings = await gatherSurroundings(
		{ head: run.context.head, patches: unique, paths: createPathRules(run.trusted.policy) },
		seams,
	);
	return surroundings === undefined ? {} : { surroundings };
}
