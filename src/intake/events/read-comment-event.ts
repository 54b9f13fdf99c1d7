import type { Actor } from "../../domain/ids.ts";
import type { CommandHint, SkipTrigger } from "../../domain/trigger.ts";
import type { EventFacts, ParsedEvent } from "../event-facts.ts";
import { commentEventSchema, readPayload, senderOf, toActor } from "../event-payload.ts";
import { OWN_MARKER, type ParsedComment, parseComment, parseEditedComment } from "../parse-command.ts";
import { isAllowedBot, isSameLogin } from "../same-login.ts";

/**
 * `issue_comment` and `pull_request_review_comment`. Only the comment's own text is read: never the title or the
 * first post (BR-28), and never `pull_request` of an issue comment, which has none (BR-40).
 */
export function readCommentEvent(event: string, payload: unknown, facts: EventFacts): ParsedEvent {
	const skip = (reason: string, more: Pick<SkipTrigger, "code" | "hint"> = {}): ParsedEvent => ({ kind: "skip", event, reason, ...more });
	const { action, comment, issue, pull_request: pull, changes, sender } = readPayload(event, commentEventSchema, payload);
	if (action !== "created" && action !== "edited") return skip(`nothing to do when a comment is ${action}`);
	const number = issue?.number ?? pull?.number;
	if (number === undefined) return skip("the comment belongs to no issue and no pull request");
	const actor = senderOf(sender, facts);
	const author = toActor(comment.user);
	const body = comment.body ?? "";
	if (body.includes(OWN_MARKER)) return skip("the comment carries our own marker", { code: "E_LOOP" });
	const ignored = [actor, author].map((one) => whyIgnored(one, facts)).find((found) => found !== undefined);
	if (ignored !== undefined) return skip(ignored.reason, ignored.own ? { code: "E_LOOP" } : {});
	const before = changes?.body?.from;
	if (action === "edited" && typeof before !== "string") return skip("the edit left the comment's text as it was");
	const parsed = action === "edited" ? parseEditedComment(body, before ?? "", facts.names) : parseComment(body, facts.names);
	const isPullRequest = pull !== undefined && pull !== null ? true : issue?.pull_request !== undefined && issue.pull_request !== null;
	const kind = event === "issue_comment" ? "issue" : "review";
	if (parsed.commands.length === 0) {
		const hint = action === "created" ? findHint(parsed) : undefined;
		const meant =
			hint === undefined ? {} : { hint: { actor, number, isPullRequest, comment: { id: comment.id, kind, author }, ...hint } as const };
		return skip(describeNothing(parsed, action), meant);
	}
	return {
		kind: "command",
		event,
		repository: facts.repository,
		actor,
		number,
		isPullRequest,
		comment: { id: comment.id, kind, author, createdAt: comment.created_at ?? "", body },
		commands: parsed.commands,
	};
}

/** BR-25: other programs have commands, too, so only what is near to one of ours, or behind our name, is answered. */
function findHint(parsed: ParsedComment): Pick<CommandHint, "word" | "nearest" | "quoted"> | undefined {
	if (parsed.quotedCommand !== undefined) return { word: parsed.quotedCommand, quoted: true };
	const meant = parsed.unknown.find((word) => word.nearest !== undefined || word.addressed === true);
	if (meant === undefined) return undefined;
	return { word: meant.name, ...(meant.nearest === undefined ? {} : { nearest: meant.nearest }) };
}

/** BR-26: our own texts name our commands, and any bot's may. A person's token is told by the marker in its texts instead. */
function whyIgnored(actor: Actor, facts: EventFacts): { readonly reason: string; readonly own: boolean } | undefined {
	if (actor.type !== "Bot") return undefined;
	const { self } = facts;
	if (self !== undefined && self !== null && isSameLogin(self.login, actor.login)) return { reason: "the comment is our own", own: true };
	if (isAllowedBot(actor.login, facts.allowedBots)) return undefined;
	return { reason: `comments of the bot ${actor.login} start nothing; the input allowed-bots can name it`, own: false };
}

function describeNothing(parsed: ParsedComment, action: string): string {
	const near = parsed.unknown.find((word) => word.nearest !== undefined);
	if (near !== undefined) return `no command in the comment; /${near.name} is unknown, did you mean /${near.nearest}?`;
	if (parsed.quotedCommand !== undefined) return `the command ${parsed.quotedCommand} is inside code marks, so it is not run`;
	return action === "edited" ? "the edit brought in no new command" : "no command in the comment";
}
