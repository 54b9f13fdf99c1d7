import type { Publication, PublicationResult } from "../domain/publication.ts";
import type { ApplyContext } from "./apply-context.ts";
import { writeWithPatience } from "./write-with-patience.ts";

/** Resolves the conversations of fixed findings, all in one request. A token that may not is a result, with its reason. */
export async function applyResolutions(
	resolution: Extract<Publication, { kind: "resolve" }>,
	context: ApplyContext,
): Promise<PublicationResult> {
	const threads = resolution.threads.map((each) => each.thread);
	const write = () => writeWithPatience(() => context.writer.resolveThreads(threads), context);
	let result = await write();
	// Resolving twice is the same as once.
	if (!result.ok && result.reason === "uncertain") result = await write();
	if (!result.ok) {
		const why = result.reason === "not-permitted" ? "this token may not resolve them (it needs contents: write)" : result.message;
		return { kind: "resolve", state: "degraded", detail: `conversations about fixed findings stay open: ${why}` };
	}
	const left = threads.length - result.value.resolved.length;
	if (left === 0) return { kind: "resolve", state: "updated", detail: "" };
	return { kind: "resolve", state: "degraded", detail: `${left} of ${threads.length} conversations about fixed findings stay open` };
}
