import type { Publication } from "../domain/publication.ts";
import { markerOf, parseMarker, printMarker } from "./marker.ts";
import { planPublications, type PublicationsInput } from "./plan-publications.ts";
import { shortSha } from "./render/format.ts";
import { code } from "./render/markdown.ts";

type Sticky = Extract<Publication, { kind: "sticky" }>;

/**
 * What a run that was cancelled writes: no review and no check, since half a review is none, and a newer run may be
 * under way (R36, PEERS.md 1.1). A summary that stands there says so and keeps the state of the last whole review; none
 * is made for it. What was found and spent until then is in the step summary, the outputs and the report.
 * @param at milliseconds since the epoch
 */
export function planCancelled(input: PublicationsInput, at: number): readonly Publication[] {
	return planPublications(input).flatMap((publication): readonly Publication[] => {
		if (publication.kind === "review" || publication.kind === "check") return [];
		return publication.kind === "sticky" ? [cancelSticky(publication, input, at)] : [publication];
	});
}

function cancelSticky(sticky: Sticky, input: PublicationsInput, at: number): Sticky {
	const { context, existing } = input;
	const before = existing.sticky?.marker;
	const state = before ?? { instance: input.instance, head: context.head, blobs: {}, open: [], provider: input.provider };
	const marker = printMarker("sticky", {
		...state,
		run: context.runId,
		attempt: context.attempt,
		usd: parseMarker("sticky", sticky.body)?.usd,
		day: parseMarker("sticky", sticky.body)?.day,
	});
	const time = `${new Date(at).toISOString().slice(0, 16).replace("T", " ")} UTC`;
	const run = context.links === undefined ? `run ${context.runId}` : `[run ${context.runId}](${context.links.run})`;
	const note = `**Cancelled at ${time}:** the review of ${code(shortSha(context.head))} in ${run} ended before it was complete; what it had found is in the job summary.`;
	const whole =
		existing.sticky === undefined ? "## Rookery review" : existing.sticky.body.slice(markerOf(existing.sticky.body).length).trim();
	const standing = whole.replace(/^\*\*Cancelled at .*$\n*/m, "");
	const [title = "", ...rest] = standing.split("\n\n");
	return { ...sticky, marker, onlyUpdate: true, body: [marker, title, note, ...rest].join("\n\n") };
}
