import type { Actor } from "../../domain/ids.ts";
import type { EventFacts, ParsedEvent } from "../event-facts.ts";
import { commentEventSchema, readPayload, senderOf, toActor } from "../event-payload.ts";
import { type ParsedComment, parseComment, parseEditedComment } from "../parse-command.ts";
import { isAllowedBot, isSameLogin } from "../same-login.ts";

/**
 * `issue_comment` and `pull_request_review_comment`. Only the comment's own text is read: never the title or the
 * first post (BR-28), and never `pull_request` of an issue comment, which has none (BR-40).
 */
export function readCommentEvent(event: string, payload: unknown, facts: EventFacts): ParsedEvent {
	const skip = (reason: string): ParsedEvent => ({ kind: "skip", event, reason });
	const { action, comment, issue, pull_request: pull, changes, sender } = readPayload(event, commentEventSchema, payload);
	if (action !== "created" && action !== "edited") return skip(`nothing to do when a comment is ${action}`);
	const number = issue?.number ?? pull?.number;
	if (number === undefined) return skip("the comment belongs to no issue and no pull request");
	const actor = senderOf(sender, facts);
	const author = toActor(comment.user);
	const ignored = [actor, author].map((one) => whyIgnored(one, facts)).find((reason) => reason !== undefined);
	if (ignored !== undefined) return skip(ignored);
	const body = comment.body ?? "";
	const before = changes?.body?.from;
	if (action === "edited" && typeof before !== "string") return skip("the edit left the comment's text as it was");
	const parsed = action === "edited" ? parseEditedComment(body, before ?? "", facts.names) : parseComment(body, facts.names);
	if (parsed.commands.length === 0) return skip(describeNothing(parsed, action));
	return {
		kind: "command",
		event,
		repository: facts.repository,
		actor,
		number,
		isPullRequest: pull !== undefined && pull !== null ? true : issue?.pull_request !== undefined && issue.pull_request !== null,
		comment: { id: comment.id, kind: event === "issue_comment" ? "issue" : "review", author, createdAt: comment.created_at ?? "", body },
		commands: parsed.commands,
	};
}

/** BR-26: our own texts name our commands, and any bot's may. A person's token is told by the marker in its texts instead. */
function whyIgnored(actor: Actor, facts: EventFacts): string | undefined {
	if (actor.type !== "Bot") return undefined;
	const { self } = facts;
	if (self !== undefined && self !== null && isSameLogin(self.login, actor.login)) return "the comment is our own";
	if (isAllowedBot(actor.login, facts.allowedBots)) return undefined;
	return `comments of the bot ${actor.login} start nothing; the input allowed-bots can name it`;
}

function describeNothing(parsed: ParsedComment, action: string): string {
	const near = parsed.unknown.find((word) => word.nearest !== undefined);
	if (near !== undefined) return `no command in the comment; /${near.name} is unknown, did you mean /${near.nearest}?`;
	if (parsed.quotedCommand !== undefined) return `the command ${parsed.quotedCommand} is inside code marks, so it is not run`;
	return action === "edited" ? "the edit brought in no new command" : "no command in the comment";
}
