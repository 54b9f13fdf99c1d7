import type { Publication, PublicationResult } from "../domain/publication.ts";
import type { HostComment } from "../seams.ts";
import type { ApplyContext } from "./apply-context.ts";
import { isOurs } from "./marker.ts";
import { writeWithPatience } from "./write-with-patience.ts";

type Reply = Extract<Publication, { kind: "reply" }>;

/** Answers a command once: the marker names the comment that is answered, so a second delivery finds it (BR-28, BR-45). */
export async function applyReply(reply: Reply, context: ApplyContext): Promise<PublicationResult> {
	const standing = await findReply(reply, context);
	if (standing !== undefined) return { kind: "reply", state: "unchanged", detail: "", url: standing.url };
	const body = context.redact(reply.body.startsWith(reply.marker) ? reply.body : `${reply.marker}\n${reply.body}`);
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

async function findReply(reply: Reply, context: ApplyContext): Promise<HostComment | undefined> {
	const comments = await context.reader.issueComments(reply.number);
	return comments.find((comment) => isOurs(comment, context.identity) && comment.body.startsWith(reply.marker));
}
