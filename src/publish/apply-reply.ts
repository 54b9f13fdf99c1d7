import type { Publication, PublicationResult } from "../domain/publication.ts";
import type { HostComment } from "../seams.ts";
import type { ApplyContext } from "./apply-context.ts";
import { isOurs, parseMarker } from "./marker.ts";
import { MAX_BODY_CHARS, cutBalanced } from "./size-packing.ts";
import { writeWithPatience } from "./write-with-patience.ts";

type Reply = Extract<Publication, { kind: "reply" }>;

/**
 * Answers a command once: the marker names the comment that is answered, so a second delivery and a run that is started
 * again find the reply and edit it in place (BR-28, BR-45).
 */
export async function applyReply(reply: Reply, context: ApplyContext): Promise<PublicationResult> {
	const whole = context.redact(reply.body.startsWith(reply.marker) ? reply.body : `${reply.marker}\n${reply.body}`);
	const body = whole.length <= MAX_BODY_CHARS ? whole : cutBalanced(whole, { limit: MAX_BODY_CHARS, elsewhere: "in the run's journals" });
	const standing = await findReply(reply, context);
	if (standing !== undefined) return updateReply(standing, body, context);
	const write = () => writeWithPatience(() => context.writer.createComment(reply.number, body), context);
	let result = await write();
	if (!result.ok && result.reason === "uncertain") {
		const made = await findReply(reply, context);
		if (made !== undefined) return { kind: "reply", state: "created", detail: "", url: made.url };
		result = await write();
	}
	if (result.ok) return { kind: "reply", state: "created", detail: "", url: result.value.url };
	return { kind: "reply", state: "failed", detail: `the reply was not written: ${result.message}` };
}

async function updateReply(standing: HostComment, body: string, context: ApplyContext): Promise<PublicationResult> {
	if (standing.body === body) return { kind: "reply", state: "unchanged", detail: "", url: standing.url };
	const write = () => writeWithPatience(() => context.writer.updateComment(standing.id, body), context);
	let result = await write();
	// Setting the same text twice is the same as once.
	if (!result.ok && result.reason === "uncertain") result = await write();
	if (result.ok) return { kind: "reply", state: "updated", detail: "", url: result.value.url };
	return { kind: "reply", state: "failed", detail: `the reply was not changed: ${result.message}` };
}

async function findReply(reply: Reply, context: ApplyContext): Promise<HostComment | undefined> {
	const wanted = parseMarker("reply", reply.marker);
	const comments = await context.reader.issueComments(reply.number);
	return comments.find((comment) => isOurs(comment, context.identity) && answersTheSame(comment.body, reply.marker, wanted));
}

/** By what the marker says, since run, costs and outcome in it differ from run to run. */
function answersTheSame(body: string, marker: string, wanted: ReturnType<typeof parseMarker<"reply">>): boolean {
	if (wanted === undefined) return body.startsWith(marker);
	const found = parseMarker("reply", body);
	return found !== undefined && found.to === wanted.to && (found.command?.on ?? "issue") === (wanted.command?.on ?? "issue");
}
