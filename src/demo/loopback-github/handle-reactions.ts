import { created, noContent, notFound, ok, pageOf } from "./answer.ts";
import { type Call, type Handler, type HandlerTable, loginOf, numberParameter, repositoryOf } from "./handler.ts";
import { findIssueComment } from "./handle-issues.ts";
import type { CommentRecord, ReactionRecord, RepositoryRecord } from "./loopback-state.ts";
import { renderReaction } from "./render-issue.ts";
import { findReviewComment } from "./render-review.ts";

type Find = (repository: RepositoryRecord, id: number) => { readonly comment: CommentRecord };

function commentOf(call: Call, find: Find): CommentRecord {
	return find(repositoryOf(call), numberParameter(call, "comment_id")).comment;
}

function listReactions(find: Find): Handler {
	return async (call) => {
		const content = call.query["content"];
		const reactions = commentOf(call, find).reactions.filter((item) => content === undefined || item.content === content);
		const page = pageOf(reactions, call);
		return ok(
			page.items.map((reaction) => renderReaction(call.state, reaction)),
			page.headers,
		);
	};
}

/** The same reaction by the same user is not made twice: the first comes back with 200. */
function createReaction(find: Find): Handler {
	return async (call) => {
		const { reactions } = commentOf(call, find);
		const content = String(call.body["content"]);
		const login = loginOf(call);
		const known = reactions.find((reaction) => reaction.login === login && reaction.content === content);
		if (known !== undefined) return ok(renderReaction(call.state, known));
		const reaction: ReactionRecord = { id: call.state.nextId(), login, content, createdAt: call.state.now() };
		reactions.push(reaction);
		return created(renderReaction(call.state, reaction));
	};
}

function deleteReaction(find: Find): Handler {
	return async (call) => {
		const { reactions } = commentOf(call, find);
		const id = numberParameter(call, "reaction_id");
		const index = reactions.findIndex((reaction) => reaction.id === id && reaction.login === loginOf(call));
		if (index < 0) throw notFound();
		reactions.splice(index, 1);
		return noContent();
	};
}

export const REACTION_HANDLERS: HandlerTable = {
	"reactions/list-for-issue-comment": listReactions(findIssueComment),
	"reactions/create-for-issue-comment": createReaction(findIssueComment),
	"reactions/delete-for-issue-comment": deleteReaction(findIssueComment),
	"reactions/list-for-pull-request-review-comment": listReactions(findReviewComment),
	"reactions/create-for-pull-request-review-comment": createReaction(findReviewComment),
	"reactions/delete-for-pull-request-comment": deleteReaction(findReviewComment),
};
