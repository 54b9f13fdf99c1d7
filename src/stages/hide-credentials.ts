import { errorText } from "../domain/errors.ts";
import { findCredentials } from "../guard/find-credentials.ts";
import type { PipelineSeams } from "./pipeline-seams.ts";

/**
 * Makes credentials that nobody named, in text that is about to be published or committed, known ones: the filter then
 * takes them out of every sink and says `E_SECRET` (SECURITY.md 6, X-16). Without the linter the run goes on with the
 * known values only, and the log says so.
 */
export async function hideCredentials(texts: readonly string[], seams: Pick<PipelineSeams, "hideSecret" | "log">): Promise<void> {
	try {
		for (const value of await findCredentials(texts)) seams.hideSecret(value);
	} catch (error) {
		seams.log.warning(`Text was not searched for credentials that are not known: ${errorText(error)}`);
	}
}

/** Every text of a value, at any depth, in order. */
export function listTexts(value: unknown): readonly string[] {
	if (typeof value === "string") return [value];
	if (value === null || typeof value !== "object") return [];
	return Object.values(value).flatMap(listTexts);
}
